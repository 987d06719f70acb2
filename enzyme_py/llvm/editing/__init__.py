"""Making new code: instructions at a place, copies of blocks and functions, other names."""
