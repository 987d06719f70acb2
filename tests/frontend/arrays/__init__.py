"""Arrays in kernels: shapes, copies, growth, iteration."""
