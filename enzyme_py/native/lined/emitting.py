"""IR -> object and assembly, in a process of its own: what LLVM fails an assertion on there, is no crash here.

The process imports llvmlite only. It is given the module on its standard input, behind one line of JSON: the processor.
"""

from __future__ import annotations

import json
import subprocess
import sys

from enzyme_py.native.machine import OFF, host_cpu, leaves_addresses

_PROGRAM = """
import json, struct, sys
import llvmlite.binding as llvm
asked = json.loads(sys.stdin.buffer.readline())
for option in asked["options"]:
    llvm.set_option("", option)
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
machine = llvm.Target.from_triple(asked["triple"]).create_target_machine(
    cpu=asked["name"], features=asked["features"], opt=3, reloc="pic", codemodel="small", jit=True)
module = llvm.parse_assembly(sys.stdin.buffer.read().decode(errors="surrogateescape"))
binary, text = machine.emit_object(module), machine.emit_assembly(module).encode()
sys.stdout.buffer.write(struct.pack("<Q", len(binary)) + binary + text)
"""
_LIMIT = 300  # seconds


class NotEmitted(Exception):
    """Why there is no machine code with lines."""


def emitted(ir: str) -> tuple[bytes, str]:
    """Return the object and the assembly of a module that LLVM has optimised already."""
    cpu = host_cpu()
    options = [OFF] if leaves_addresses() else []
    head = json.dumps({"triple": cpu.triple, "name": cpu.name, "features": cpu.features, "options": options})
    given = f"{head}\n{ir}".encode(errors="surrogateescape")
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM], input=given, capture_output=True, timeout=_LIMIT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotEmitted(f"LLVM could not be asked for code with lines: {error}") from error
    if done.returncode != 0 or len(done.stdout) < 8:
        said = done.stderr.decode(errors="replace").strip().split("\n")[-1]
        raise NotEmitted(f"LLVM writes no code with lines for it (status {done.returncode}): {said}")
    size = int.from_bytes(done.stdout[:8], "little")
    return done.stdout[8 : 8 + size], done.stdout[8 + size :].decode(errors="replace")
