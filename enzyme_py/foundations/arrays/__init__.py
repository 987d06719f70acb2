"""Numbers in arrays: floats among them, differences, and arrays of others."""
