"""Functions whose derivatives users give: everything behind `enzyme.custom_vjp` and `enzyme.rules`."""
