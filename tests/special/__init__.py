"""scipy.special in kernels: the table of derivatives, its edges, and how users meet it."""
