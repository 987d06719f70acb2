"""Passes about derivatives that we tell Enzyme: what it must know of functions, and in which order."""
