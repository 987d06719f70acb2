"""Derivatives of `prange` loops on threads: docs/threads.md."""
