"""Builds the wheel from a copy of this folder: setuptools leaves build/ and an .egg-info wherever it builds."""

import os
import shutil
import tempfile
from pathlib import Path

from setuptools import build_meta

HERE = Path(__file__).resolve().parent


def _in_a_copy(hook):
    """The hook of setuptools, run in a copy; its first argument is the folder that gets the result."""

    def run(directory, *rest, **options):
        target = os.path.abspath(directory)
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "client")
            shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
            os.chdir(copy)
            try:
                return hook(target, *rest, **options)
            finally:
                os.chdir(HERE)
                # That of this module.
                shutil.rmtree(HERE / "__pycache__", ignore_errors=True)

    return run


build_wheel = _in_a_copy(build_meta.build_wheel)
build_sdist = _in_a_copy(build_meta.build_sdist)
prepare_metadata_for_build_wheel = _in_a_copy(build_meta.prepare_metadata_for_build_wheel)
