"""Loops of derivatives that run on threads: docs/threads.md."""
