"""From the module behind Enzyme to loaded machine code, and the C runtime."""
