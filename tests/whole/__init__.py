"""Whole derivatives, from the call to the answer, by what could go wrong with them."""
