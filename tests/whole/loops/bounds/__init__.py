"""Exits, merges, bounds and calls in loops."""
