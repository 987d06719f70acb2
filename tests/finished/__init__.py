"""Finished derivatives: what finds them, what must not, and what is done where something is amiss."""
