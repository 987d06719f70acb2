"""Memory that loops make, fill, carry and write over."""
