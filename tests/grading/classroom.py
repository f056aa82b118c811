"""A class for the tests: students whose answers are known, and hand-ins that mean harm."""

from __future__ import annotations

import io
import json
import os
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

PROBLEM = "average-two-values"
DIRECTION = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]  # k_a + k_b of the instance, whose keys are unit vectors

# By hand: with q = C (k_a + k_b) each of the two has the weight 1/(2 + 4 e^-C), which is within
# 1e-3 of 1/2 from C = log(4 * 499 / 2 / 2) = 6.9 on.
RIGHT = (
    'q = "C (k_a + k_b)"',
    'q = "20 (k_a + k_b)"',
    'q = "C (k_b + k_a)"\nC = 12',
    'problem = "average-two-values"\n[answer]\nq = "beta k_a + beta k_b"\nbeta = 30',
    'q = "C k_a + C k_b"',
    'q = "C (k_a+k_b)"\nC = "C -> inf"',
)
WRONG = ('q = "k_a + k_b"', 'q = "C k_a"', 'q = "2 (k_a + k_b)"', 'q = "k_a - k_b"\n')
UNREADABLE = ('q = "k_a + nobody"', "q = ", 'p = "k_a"', 'q = "k_a +"')

Write = Callable[[Path], object]


def honest(folder: Path, count: int) -> dict[str, str]:
    """Write so many honest hand-ins; return what each must come to: right, wrong or unreadable."""
    expected = {}
    for i in range(count):
        words, texts = (
            ("right", RIGHT), ("wrong", WRONG), ("right", RIGHT), ("unreadable", UNREADABLE),
        )[i % 4]  # fmt: skip
        name = f"student{i:04d}"
        text = texts[i // 4 % len(texts)]
        if i % 5 == 4:
            (folder / name).mkdir()
            (folder / name / "answer.toml").write_text(text)
        else:
            (folder / f"{name}.toml").write_text(text)
        expected[name] = words
    return expected


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def archive(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)


def header(shape: str, dtype: str = "<f8") -> str:
    return f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"


def _bomb(method: int) -> Write:
    return lambda path: archive(
        path, {"q.npy": npy(header("(3000000,)"), bytes(24_000_000))}, method
    )


def _objects(path: Path) -> None:
    np.savez(path, q=np.array([os.getcwd, 1], dtype=object), allow_pickle=True)


def _device(path: Path) -> None:
    try:
        os.mknod(path, 0o666 | 0o020000, os.makedev(1, 5))  # /dev/zero by another name
    except PermissionError:
        with socket.socket(socket.AF_UNIX) as ordinary:  # only root makes devices
            ordinary.bind(str(path))


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100_000_000)


def _text(text: str) -> Write:
    return lambda path: path.write_text(text)


def _link(target: str) -> Write:
    return lambda path: path.symlink_to(target)


# What each is called, and how it is made. None of them is right.
HOSTILE: dict[str, Write] = {
    "fork-bomb.py": _text("import os\nwhile True:\n    os.fork()\n"),
    "fork-bomb-text.toml": _text('q = ":(){ :|:& };:"'),
    "infinite-loop.py": _text("while True:\n    pass\n"),
    "ten-gigabytes.toml": _text('q = "zeros(100000, 100000)"'),
    "zip-bomb.npz": _bomb(zipfile.ZIP_DEFLATED),
    "zip-bomb-bz2.npz": _bomb(zipfile.ZIP_BZIP2),
    "zip-bomb-lzma.npz": _bomb(zipfile.ZIP_LZMA),
    "huge-shape.npz": lambda path: archive(path, {"q.npy": npy(header("(1000000000,)"))}),
    "huge-header.npz": lambda path: archive(
        path, {"q.npy": b"\x93NUMPY\x02\x00" + b"\xff" * 4 + b"{"}
    ),
    "pickled.npz": _objects,
    "path-inside.npz": lambda path: archive(path, {"../../etc/cron.npy": npy(header("()"))}),
    "link-out.toml": _link("/etc/passwd"),
    "link-to-zero.json": _link("/dev/zero"),
    "link-to-folder": _link("/etc"),
    "fifo.toml": os.mkfifo,
    "device.toml": _device,
    "deeper.json": _text("[" * 200_000),
    "deep.toml": _text("q = " + "[" * 100_000),
    "dotted.toml": _text(".".join(["a"] * 200_000) + " = 1"),
    "nan.toml": _text("q = [nan, nan, nan, nan, nan, nan]"),
    "nan-in-json.json": _text('{"q": [NaN, Infinity, 1e999, 0, 0, 0]}'),
    "hundred-megabytes.toml": _large,
    "..%2f..%2fetc%2fpasswd.toml": _text('q = "k_a"'),
    "back\\slash.toml": _text('q = "k_a"'),
    "<script>alert(1)<": _text(""),
    "<img src=x onerror=alert(2)>.toml": _text('q = "<script>alert(3)</script>"'),
    "\x1b[31mred\x1b]0;title\x07.toml": _text('q = "\\u001b[2J"'),
    "=1+1.toml": _text('q = "k_a"'),
    "@SUM(A1:A9).toml": _text('problem = "=cmd|\' /C calc\'!A0"\n[answer]\nq = "k_a"'),
    "0012.toml": _text('q = "k_a"'),
    "1e5.toml": _text('q = "k_a"'),
    "$x^2$.toml": _text('q = "k_a"'),
    "mine.pdf": _text("%PDF"),
    "many-digits.toml": _text("q = " + "9" * 10_000),
    "not-utf8.toml": lambda path: path.write_bytes(b"q = '\xff\xfe'"),
    "empty.toml": _text(""),
    "doubled.toml": _text('q = "k_a"\nq = "k_b"'),
}


def hostile(folder: Path) -> list[str]:
    """Write every hostile hand-in; return their names as a table shows them."""
    for name, make in HOSTILE.items():
        make(folder / name)
    made = os.fsencode(folder) + b"/bad\xff\xfename.toml"
    Path(os.fsdecode(made)).write_text('q = "k_a"')
    return [Path(name).stem for name in HOSTILE]


def all_files(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder of grades, but for the progress, whose order is as it happened."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "progress.jsonl"
    }


def rows_of(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((folder / "grades.json").read_text())["rows"]
    return found


def saved(**arrays: object) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()
