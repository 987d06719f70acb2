"""Rows in JAX, as one writes them there: whole arrays, scans over time. See ../in_jax.py."""
