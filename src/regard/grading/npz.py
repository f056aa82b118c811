r"""Arrays in a NumPy archive, read without pickle and without trust.

NumPy's own reader allocates what a header claims before it looks at the file. Here the members of
the archive, their sizes and how much they are compressed, and the header of each array are read
first; arrays are then views of bytes that are there.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
import zlib
from typing import Any

import numpy as np

from regard.errors import InvalidAnswer

MOST_MEMBERS = 32
MOST_BYTES = 8_000_000  # of all arrays together, unpacked
MOST_RATIO = 200  # of what is unpacked to what is stored, where it is more than ALWAYS_FINE
ALWAYS_FINE = 1_000_000
MOST_HEADER = 10_000
_DTYPES = ("<f4", "<f8", "<i4", "<i8", "|b1")
_MEMBER = re.compile(r"([A-Za-z][A-Za-z0-9_]{0,79})\.npy")
_HEADER = re.compile(
    r"\{'descr': '([^']{1,8})', 'fortran_order': (True|False), "
    r"'shape': \(((?:[0-9]{1,12}, ?)*[0-9]{0,12})\),? ?\} *\n?"
)


def read_npz(data: bytes) -> dict[str, Any]:
    """Return the arrays of an archive by the names of its members.

    Raises:
        InvalidAnswer: it is no such archive, or holds what an answer cannot need.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check(members)
            return {m.filename.removesuffix(".npy"): _array(archive, m) for m in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InvalidAnswer(f"is no NumPy archive that can be read: {error}.") from None
    except (UnicodeDecodeError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidAnswer):
            raise
        raise InvalidAnswer("is no NumPy archive that can be read.") from None


def _check(members: list[zipfile.ZipInfo]) -> None:
    """Refuse an archive by what it says of its members, before any is unpacked."""
    if len(members) > MOST_MEMBERS:
        raise InvalidAnswer(f"has {len(members)} arrays, and at most {MOST_MEMBERS} are read.")
    names = [member.filename for member in members]
    for member in members:
        name = member.filename
        if not _MEMBER.fullmatch(name):
            raise InvalidAnswer(f"{name[:80]!r} is no name of an array in it: use q.npy, C.npy …")
        if names.count(name) > 1:
            raise InvalidAnswer(f"{name[:80]} is there twice.")
        if member.flag_bits & 0x1:
            raise InvalidAnswer(f"{name[:80]} is encrypted.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InvalidAnswer(f"{name[:80]} is packed in a way that is not read.")
        if member.file_size > max(ALWAYS_FINE, MOST_RATIO * member.compress_size):
            raise InvalidAnswer(f"{name[:80]} unpacks to {member.file_size} bytes: too many.")
    if sum(member.file_size for member in members) > MOST_BYTES:
        raise InvalidAnswer(f"unpacks to more than {MOST_BYTES // 1_000_000} MB.")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
    with archive.open(member) as file:
        data = file.read(member.file_size + 1)
    if len(data) != member.file_size:
        raise InvalidAnswer(f"{member.filename}: is not as long as the archive says.")
    try:
        return read_npy(data)
    except InvalidAnswer as error:
        raise InvalidAnswer(f"{member.filename}: {error}") from None


def read_npy(data: bytes) -> Any:
    """Return the array in the bytes of a .npy file, as a view of them."""
    if data[:6] != b"\x93NUMPY" or len(data) < 12 or data[6] not in (1, 2, 3):
        raise InvalidAnswer("is no array of NumPy.")
    width = 2 if data[6] == 1 else 4
    length = int.from_bytes(data[8 : 8 + width], "little")
    start = 8 + width + length
    if length > MOST_HEADER or start > len(data):
        raise InvalidAnswer(f"its header claims {length} bytes.")
    header = _HEADER.fullmatch(data[8 + width : start].decode("latin-1"))
    if header is None:
        raise InvalidAnswer("its header cannot be read.")
    dtype, order, sizes = header.groups()
    if dtype not in _DTYPES:
        raise InvalidAnswer(f"holds {dtype[:8]!r}, and only {', '.join(_DTYPES)} are read.")
    shape = tuple(int(size) for size in sizes.replace(" ", "").split(",") if size)
    if len(shape) > 8 or math.prod(shape) * np.dtype(dtype).itemsize != len(data) - start:
        raise InvalidAnswer(f"its header claims a shape {shape} that does not fit its bytes.")
    flat = np.frombuffer(data, dtype, offset=start)
    return flat.reshape(shape, order="F" if order == "True" else "C")
