"""Jacobians and second derivatives as plans, by columns, by rows and by products."""
