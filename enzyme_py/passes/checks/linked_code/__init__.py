"""Refusals of what only linked code does."""
