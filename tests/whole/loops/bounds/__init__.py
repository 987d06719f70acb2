"""Where loops end: what Enzyme takes for equal, computes anew, or takes for fixed."""
