"""Passes about types: what memory and values hold, told in words that Enzyme reads and copies."""
