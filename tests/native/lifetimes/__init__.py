"""Frees behind the last use."""
