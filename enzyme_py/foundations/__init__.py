"""Small helpers that know nothing of derivatives, and that every room may use."""
