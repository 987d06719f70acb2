"""Passes about where code goes on: exits of loops, merges of paths, bounds and trip counts."""
