"""Lists, sets, dicts and instances of jitclasses in kernels, and the memory they lie in."""
