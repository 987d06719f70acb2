"""enzyme_py.cluster: sums over pieces, on real workers and ranks."""
