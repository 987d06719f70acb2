"""Which numbers in memory are integers."""
