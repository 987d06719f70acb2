"""Files of the cache folder, and of this package."""
