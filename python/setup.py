"""Adds cffi's form of the declarations to the package, so that an import does not parse them. Needs no compiler."""
from setuptools import setup

setup(cffi_modules=["build_native.py:builder"])
