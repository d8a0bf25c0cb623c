"""Builds the module crawlfrontier._native from crawlfrontier/_cdef.txt when the package is built (cffi's ABI mode)."""
from pathlib import Path

import cffi

builder = cffi.FFI()
builder.set_source("crawlfrontier._native", None)
builder.cdef((Path(__file__).resolve().parent / "crawlfrontier" / "_cdef.txt").read_text())
