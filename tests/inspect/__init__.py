"""What `enzyme.inspect` and `enzyme.testing` tell."""
