"""Where the Enzyme executable comes from, and whether it may be run."""
