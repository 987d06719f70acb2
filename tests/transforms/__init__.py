"""Plans, what lives as long as a kernel, and checks at the first call."""
