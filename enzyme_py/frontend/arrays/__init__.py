"""Arrays in kernels: their shapes, copies, growth, and iteration over them."""
