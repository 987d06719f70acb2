"""Text to objects: the patterns of LLVM's language, forms of instructions, bodies of functions."""
