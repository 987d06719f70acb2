"""Passes that look at memory: enzyme_py/passes/memory."""
