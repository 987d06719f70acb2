"""Records of functions that call themselves."""
