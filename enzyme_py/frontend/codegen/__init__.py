"""How kernels are lowered: their calling convention, the libraries they stand in, hints of types."""
