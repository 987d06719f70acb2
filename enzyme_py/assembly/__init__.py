"""A kernel, its shims and its requests in one module."""
