"""Numbers that leave loops, are carried by them, or are cached."""
