"""What users write, with answers by hand."""
