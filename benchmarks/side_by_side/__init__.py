"""Problems times tools, measured side by side: see benchmarks/run.py."""
