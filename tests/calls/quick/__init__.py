"""What users call from Python, and what each call answers or refuses."""
