"""The kernel in C, compiled where there is a compiler. All else is in pyproject.toml.

REGARD_PURE=1 leaves it out, for a wheel that installs anywhere: the NumPy tiles then serve.
"""

import os
from pathlib import Path

from setuptools import Extension, setup

SOURCES = Path("src/regard/core/kernels/csrc")

# Optional: without a compiler the install succeeds, and the NumPy tiles serve.
kernel = Extension(
    "regard.core.kernels._native",
    sources=[str(SOURCES / "module.c")],
    depends=sorted(str(header) for header in SOURCES.glob("*.h")),
    extra_compile_args=["-O3", "-std=gnu11", "-ffp-contract=fast", "-Wno-psabi", "-pthread"],
    extra_link_args=["-pthread"],
    optional=True,
)
setup(ext_modules=[] if os.environ.get("REGARD_PURE") == "1" else [kernel])
