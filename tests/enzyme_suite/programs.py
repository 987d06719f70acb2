"""A program of a checkout: its IR by clang, and the types of its functions, as clang's syntax tree has them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import llvmlite.binding as llvm

from enzyme_py.foundations.llvm_modules import run_once
from enzyme_py.native.machine import target_machine

LEVELS = ("O0", "O1", "O2")
SHORT = Path(__file__).parent / "short"  # programs of our own
MARKERS = ("__enzyme_autodiff", "__enzyme_fwddiff")
_UNVECTORISED = ("-fno-vectorize", "-fno-slp-vectorize")
_LANGUAGES = {
    ".c": ("-std=c11", "-Wno-implicit-function-declaration"),
    ".cpp": ("-std=c++17", "-fno-exceptions"),
}
_PLUGIN = re.compile(r"__attribute__\(\((?:__)?enzyme_(\w+)")
_WORDS = re.compile(r"\b(?:const|volatile|restrict|__restrict(?:__)?)\b")
_MATRIX = re.compile(
    r"^(?:Eigen::)?Matrix<(double|float), [A-Z\d]+, [A-Z\d]+>$"
)  # its numbers, and nothing else
_PLAIN = {
    "double": "float64",
    "float": "float32",
    "int": "int32",
    "unsigned int": "uint32",
    "long": "int64",
    "unsigned long": "uint64",
    "long long": "int64",
    "unsigned long long": "uint64",
}


class NotAsked(Exception):
    """The program is no question: its reason."""


@dataclass(frozen=True)
class Declared:
    """The types of a function, as C writes them."""

    result: str
    arguments: tuple[str, ...]


def newest_clang() -> str | None:
    """Return the newest clang whose IR llvmlite can read."""
    for version in range(llvm.llvm_version_info[0], 15, -1):
        if shutil.which(f"clang-{version}"):
            return f"clang-{version}"
    return shutil.which("clang")


def programs(checkout: Path | None) -> Iterator[Path]:
    """Yield the programs of a checkout, or those of the short form."""
    found = sorted((checkout / "enzyme" / "test" / "Integration" if checkout else SHORT).rglob("*.c*"))
    return (one for one in found if one.suffix in _LANGUAGES)


def compiled(file: Path, clang: str, level: str) -> str:
    """Return the IR of a program, if it asks nothing that only Enzyme's plugin of clang understands."""
    asked = _PLUGIN.search(file.read_text())
    if asked:
        raise NotAsked(f"attribute enzyme_{asked[1]}")
    return _run(clang, file, f"-{level}", *_UNVECTORISED, "-S", "-emit-llvm", "-o", "-")


def declared(file: Path, clang: str, name: str) -> Declared:
    """Return the types of the function of this name in IR."""
    length = re.match(r"_ZL?(\d+)", name)
    plain = name[length.end() :][: int(length[1])] if length else name
    dump = ("-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={plain}")
    found = list(_functions(_run(clang, file, *dump)))
    if len(found) > 1:
        found = [one for one in found if one[0] == name]
    if not found or found[0][0] not in (name, plain):
        raise NotAsked("a function that clang's tree does not show: a template's, or a lambda")
    return found[0][1]


def _functions(text: str) -> Iterator[tuple[str, Declared]]:
    """Yield the functions of a dump: one value of JSON behind the other, with lines between."""
    decoder, place = json.JSONDecoder(), 0
    while (place := text.find("{\n", place)) >= 0:
        one, place = decoder.raw_decode(text, place)
        if one.get("kind") == "FunctionDecl":
            arguments = [
                part["type"].get("desugaredQualType", part["type"]["qualType"])
                for part in one.get("inner", ())
                if part.get("kind") == "ParmVarDecl"
            ]
            result = one["type"]["qualType"].partition("(")[0]
            yield one.get("mangledName", one["name"]), Declared(result, tuple(arguments))


def _run(clang: str, file: Path, *options: str) -> str:
    """Return what clang writes; kept for the other levels, which ask for much of it again, where the command made a place."""
    kept = None
    if "SUITE_KEPT" in os.environ:
        key = hashlib.sha256(repr((clang, str(file), options)).encode()).hexdigest()
        kept = Path(os.environ["SUITE_KEPT"]) / key
        if kept.exists():
            return kept.read_text()
    done = subprocess.run(
        [clang, "-w", *_LANGUAGES[file.suffix], *fast(file), f"-I{file.parent}", *options, str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        message = errors[0].partition("error: ")[2] if errors else "clang fails"
        raise NotAsked(f"clang: {message}")
    if kept:
        kept.write_text(done.stdout)
    return done.stdout


def fast(file: Path) -> tuple[str, ...]:
    """Return the option of fast numbers, if a program is meant for it alone: its answers may need it."""
    meant = [line for line in file.read_text().splitlines() if "RUN:" in line and "%clang" in line]
    is_fast = meant and all(" -ffast-math" in line for line in meant)
    return ("-ffast-math",) if is_fast else ()


# --- what link_ir is given ------------------------------------------------------------------------------------------------


def signature(found: Declared) -> tuple[str, list[str]]:
    """Return Numba's types of a function: its result, and its arguments."""
    result = _plain(found.result)
    if result != "void" and result not in _PLAIN:
        raise NotAsked(f"result: {result}")
    kinds = []
    for one in map(_plain, found.arguments):
        base = one.rstrip("*&").strip()
        stars = one[len(base) :].replace(" ", "")
        base = _MATRIX.sub(r"\1", base) if stars else base
        if base not in _PLAIN or len(stars) > 1:
            raise NotAsked(f"argument: {_kind_of(one)}")
        kinds.append(_PLAIN[base] + "[::1]" * len(stars))
    return _PLAIN.get(result, result), kinds


def _plain(text: str) -> str:
    return " ".join(_WORDS.sub("", text).split())


def _kind_of(text: str) -> str:
    if "(" in text:
        return "pointer to a function"
    if text.count("*") > 1:
        return "pointer to a pointer"
    if text.strip("*& ") in ("bool", "_Bool", "char", "void"):
        return text
    return "structure, object, or pointer to one"


def alone(text: str, name: str, folder: Path) -> Path:
    """Write the IR of one function and of what it calls to a file."""
    lines = (line for line in text.splitlines() if not line.startswith("@llvm.global_ctors"))
    module = llvm.parse_assembly("\n".join(lines), llvm.create_context())
    for one in (*module.functions, *module.global_variables):
        if not one.is_declaration and one.name != name and not one.name.startswith("llvm."):
            one.linkage = "internal"
    module.get_function(name).linkage = "external"
    drop_unused(module)
    with tempfile.NamedTemporaryFile("w", suffix=".ll", dir=folder, delete=False) as file:
        file.write(str(module))
    return Path(file.name)


def drop_unused(module: llvm.ModuleRef) -> None:
    """Take out what a module does not need, declarations too."""
    passes, tuning = llvm.create_new_module_pass_manager(), llvm.create_pipeline_tuning_options(0)
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    run_once(passes, module, llvm.create_pass_builder(target_machine(), tuning))
