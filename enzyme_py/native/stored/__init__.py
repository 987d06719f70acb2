"""Derivatives on disk: the cache, what packages bring, and what was found fastest."""
