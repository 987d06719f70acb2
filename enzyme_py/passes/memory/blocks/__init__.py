"""Blocks of memory that are copied, filled, or made in loops."""
