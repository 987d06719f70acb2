"""Memory of functions that are called, and not inlined."""
