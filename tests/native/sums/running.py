"""Runs a function `double f(double *d, double *b, long n, double start)` that is given as LLVM code."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import numpy as np

from enzyme_py.native.machine import initialise_llvm


def run(text: str, d: np.ndarray, b: np.ndarray, start: float) -> float:
    initialise_llvm()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), opt=3)
    module = llvm.parse_assembly(text)
    module.verify()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    pointer, number = ctypes.c_void_p, ctypes.c_double
    shape = ctypes.CFUNCTYPE(number, pointer, pointer, ctypes.c_int64, number)
    return float(shape(engine.get_function_address("f"))(d.ctypes.data, b.ctypes.data, d.size, start))
