"""Running Enzyme: a server that forks, or one process a request, and what is said to it."""
