"""Adds to the package what cffi makes of the declarations, so that importing it need not parse them. No compiler."""
from setuptools import setup

setup(cffi_modules=["build_native.py:builder"])
