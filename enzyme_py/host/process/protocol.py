"""The frames between client and host: the Python mirror of csrc/protocol.h (see csrc/PROTOCOL.md).

Packing and unpacking only; nothing here touches a descriptor. Whatever does not follow the
protocol raises `ProtocolError`.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from enzyme_py.errors import ProtocolError

FRAME_MAGIC = 0x48595A45
PROTOCOL_VERSION = 1

KIND_HELLO = 1
KIND_REQUEST = 2
KIND_REPLY = 3
KIND_REFUSAL = 4

REQUEST_DESCRIPTORS = 4
MAX_PAYLOAD = 65536
MAX_REQUESTS = 64
LOG_LIMIT = 67108864

INPUT_DESCRIPTOR = 3
OUTPUT_DESCRIPTOR = 4

WORKSPACE = "/proc/self/task"
RESULT_SUFFIX = "_AfterEnzymePasses.ll"

SERVER_FD_VARIABLE = "ENZYME_PY_SERVER_FD"
CLIENT_PID_VARIABLE = "ENZYME_PY_CLIENT_PID"

HEADER = struct.Struct("=IHHQII")
HELLO = struct.Struct("=6I")
REQUEST = struct.Struct("=QQQII")
REPLY = struct.Struct("=IIQQQ")

LARGEST_FRAME = HEADER.size + MAX_PAYLOAD


class Cause(IntEnum):
    """What the server did to a child, as far as it did anything."""

    ENDED = 0
    TIMED_OUT = 1


@dataclass(frozen=True)
class Hello:
    """The server's first words."""

    pid: int
    llvm_version: tuple[int, int, int]  # zeros if the program does not say
    has_enzyme: bool  # linked in; a plugin comes later


@dataclass(frozen=True)
class Reply:
    """How the child of one request ended; `wait_status` is what waitpid gave."""

    id: int
    wait_status: int
    cause: Cause
    elapsed_us: int
    cpu_us: int
    peak_kib: int


@dataclass(frozen=True)
class Refusal:
    """The server did not run a request, and says why."""

    id: int
    reason: str


def pack_frame(kind: int, id: int, payload: bytes) -> bytes:
    """One whole frame."""
    return HEADER.pack(FRAME_MAGIC, PROTOCOL_VERSION, kind, id, len(payload), 0) + payload


def pack_request(
    id: int, arguments: Sequence[str], *, time_limit: float, memory_limit: int, file_limit: int
) -> bytes:
    """A REQUEST frame. Limits are in seconds and bytes; 0 means none."""
    strings = b"".join(os.fsencode(argument) + b"\0" for argument in arguments)
    milliseconds = max(1, round(time_limit * 1000)) if time_limit > 0 else 0
    fields = REQUEST.pack(milliseconds, memory_limit, file_limit, len(arguments), 0)
    if len(fields) + len(strings) > MAX_PAYLOAD:
        message = f"the options of the pass are too long: {len(strings)} bytes"
        raise ProtocolError(message, remedy=f"at most {MAX_PAYLOAD} bytes of options are possible")
    return pack_frame(KIND_REQUEST, id, fields + strings)


def _unpack_frame(frame: bytes) -> tuple[int, int, bytes]:
    """Kind, id and payload."""
    if len(frame) < HEADER.size:
        raise ProtocolError(f"the host sent a frame of {len(frame)} bytes, shorter than a header")
    magic, version, kind, id, length, _ = HEADER.unpack_from(frame)
    if magic != FRAME_MAGIC:
        raise ProtocolError(f"the host does not speak our protocol (magic {magic:#x})")
    if version != PROTOCOL_VERSION:
        message = f"the host speaks protocol version {version}, we speak {PROTOCOL_VERSION}"
        remedy = "reinstall enzyme_py: its library and its Python code are of different versions"
        raise ProtocolError(message, remedy=remedy)
    payload = frame[HEADER.size :]
    if length != len(payload):
        raise ProtocolError(f"the host sent {len(payload)} bytes of a frame of {length}")
    return kind, id, payload


def _fields(layout: struct.Struct, payload: bytes) -> tuple[int, ...]:
    if len(payload) != layout.size:
        raise ProtocolError(f"the host sent {len(payload)} bytes where {layout.size} belong")
    return layout.unpack(payload)


def unpack_hello(frame: bytes) -> Hello:
    """Read the server's first frame."""
    kind, _, payload = _unpack_frame(frame)
    if kind != KIND_HELLO:
        raise ProtocolError(f"the host began with a frame of kind {kind}")
    pid, major, minor, patch, has_enzyme, _ = _fields(HELLO, payload)
    return Hello(pid, (major, minor, patch), bool(has_enzyme))


def unpack_answer(frame: bytes, id: int) -> Reply | Refusal:
    """Read the answer to request `id`."""
    kind, answered, payload = _unpack_frame(frame)
    if answered != id:
        raise ProtocolError(f"the host answered request {answered} instead of {id}")
    if kind == KIND_REFUSAL:
        return Refusal(id, payload.decode("utf-8", "replace"))
    if kind != KIND_REPLY:
        raise ProtocolError(f"the host answered with a frame of kind {kind}")
    status, cause, elapsed, cpu, peak = _fields(REPLY, payload)
    if cause not in tuple(Cause):
        raise ProtocolError(f"the host gave an unknown cause, {cause}")
    return Reply(id, status, Cause(cause), elapsed, cpu, peak)
