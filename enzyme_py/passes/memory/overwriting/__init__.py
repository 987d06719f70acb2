"""Whether what is read is written over before the reverse sweep, and what Enzyme is told of it."""
