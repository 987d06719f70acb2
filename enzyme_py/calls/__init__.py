"""What users call from Python: `grad`, `jacobian`, `vmap`, `autodiff` and their relatives."""
