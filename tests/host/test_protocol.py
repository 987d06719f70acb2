"""The Python half of the protocol: it agrees with the C half, and believes nothing that is not in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from enzyme_py.errors import ProtocolError
from enzyme_py.host.process import protocol
from enzyme_py.host.process.protocol import Cause, Hello, Refusal, Reply
from tests.host.host_programs import ROOT, compile_c

SIZES = {
    "HEADER": "frame_header",
    "HELLO": "hello_payload",
    "REQUEST": "request_payload",
    "REPLY": "reply_payload",
}
TEXTS = ("WORKSPACE", "RESULT_SUFFIX", "SERVER_FD_VARIABLE", "CLIENT_PID_VARIABLE")
PYTHON_ONLY = {"LARGEST_FRAME"}


def test_the_numbers_of_c_and_python_agree(tmp_path: Path) -> None:
    names = [name for name in dir(protocol) if isinstance(getattr(protocol, name), int)]
    names = sorted(set(names) - PYTHON_ONLY)
    lines = [f'printf("{name} %llu\\n", (unsigned long long){name});' for name in names]
    sizes = [f'printf("{name} %zu\\n", sizeof(struct {SIZES[name]}));' for name in SIZES]
    texts = [f'printf("{name} %s\\n", {name});' for name in TEXTS]
    causes = [f'printf("{cause.name} %u\\n", CAUSE_{cause.name});' for cause in protocol.Cause]
    body = "\n".join(lines + sizes + texts + causes)
    source = tmp_path / "numbers.c"
    source.write_text(
        f'#include <stdio.h>\n#include "protocol.h"\nint main(void) {{\n{body}\nreturn 0;\n}}\n'
    )
    program = compile_c(tmp_path / "numbers", f"-I{ROOT / 'csrc'}", str(source))
    told = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    found = dict(line.split(" ", 1) for line in told.splitlines())
    expected = {name: str(getattr(protocol, name)) for name in (*names, *TEXTS)}
    expected |= {name: str(getattr(protocol, name).size) for name in SIZES}
    expected |= {cause.name: str(int(cause)) for cause in protocol.Cause}
    assert found == expected


def test_python_knows_every_number_of_c() -> None:
    header = (ROOT / "csrc" / "protocol.h").read_text()
    defined = {line.split()[1] for line in header.splitlines() if line.startswith("#define ")}
    known = set(dir(protocol)) | {f"CAUSE_{cause.name}" for cause in Cause}
    assert defined - known == {"ENZYME_PY_PROTOCOL_H"}


def test_the_document_names_every_kind_cause_and_field() -> None:
    document = (ROOT / "csrc" / "PROTOCOL.md").read_text()
    header = (ROOT / "csrc" / "protocol.h").read_text()
    for line in header.splitlines():
        words = line.split()
        if line.startswith(("#define KIND_", "#define CAUSE_")):
            name, number = words[1].split("_", 1)[1], words[2].rstrip("u")
            assert f"| {name} | {number} |" in document
        if line.startswith("    uint"):
            assert f"`{words[1].rstrip(';')}`" in document


HELLO = protocol.pack_frame(protocol.KIND_HELLO, 0, protocol.HELLO.pack(7, 22, 1, 0, 1, 0))
REPLY = protocol.pack_frame(protocol.KIND_REPLY, 3, protocol.REPLY.pack(134, 0, 10, 20, 30))


def test_hello() -> None:
    assert protocol.unpack_hello(HELLO) == Hello(7, (22, 1, 0), True)


def test_reply() -> None:
    assert protocol.unpack_answer(REPLY, 3) == Reply(3, 134, Cause.ENDED, 10, 20, 30)


def test_refusal() -> None:
    frame = protocol.pack_frame(protocol.KIND_REFUSAL, 3, "no: \u2014".encode())
    assert protocol.unpack_answer(frame, 3) == Refusal(3, "no: \u2014")


BAD_ANSWERS = {
    "cut header": (REPLY[:10], "shorter than a header"),
    "cut payload": (REPLY[:-1], "31 bytes of a frame of 32"),
    "magic": (b"HTTP" + REPLY[4:], "does not speak our protocol"),
    "version": (REPLY[:4] + b"\7\0" + REPLY[6:], "version 7, we speak 1"),
    "kind": (protocol.pack_frame(9, 3, b""), "kind 9"),
    "size": (protocol.pack_frame(protocol.KIND_REPLY, 3, b"12"), "2 bytes where 32 belong"),
    "cause": (
        protocol.pack_frame(protocol.KIND_REPLY, 3, protocol.REPLY.pack(0, 9, 0, 0, 0)),
        "unknown cause, 9",
    ),
}


@pytest.mark.parametrize("case", BAD_ANSWERS)
def test_a_bad_answer(case: str) -> None:
    frame, reason = BAD_ANSWERS[case]
    with pytest.raises(ProtocolError, match=reason):
        protocol.unpack_answer(frame, 3)


def test_an_answer_to_another_request() -> None:
    with pytest.raises(ProtocolError, match="answered request 3 instead of 4"):
        protocol.unpack_answer(REPLY, 4)


@pytest.mark.parametrize("frame", [HELLO[:-1], REPLY, b"", HELLO + b"x"])
def test_a_bad_hello(frame: bytes) -> None:
    with pytest.raises(ProtocolError):
        protocol.unpack_hello(frame)


def test_a_request_that_is_too_long() -> None:
    with pytest.raises(ProtocolError, match="too long"):
        protocol.pack_request(1, ["x" * 70000], time_limit=0, memory_limit=0, file_limit=0)


def test_a_tiny_time_limit_is_not_no_limit() -> None:
    frame = protocol.pack_request(1, ["x"], time_limit=1e-9, memory_limit=0, file_limit=0)
    assert protocol.REQUEST.unpack_from(frame, protocol.HEADER.size)[0] == 1
