"""Transforms as plans, which compiled code runs: gradients, products, Jacobians."""
