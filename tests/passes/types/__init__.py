"""Passes that look at types: enzyme_py/passes/types."""
