"""The tests of enzyme_py; docs/testing.md says how they are built and run."""
