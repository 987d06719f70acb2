"""What is constant and what is active: nothing is lost, and what may be is told."""
