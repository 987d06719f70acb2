"""First derivatives as plans, in forward and in reverse mode."""
