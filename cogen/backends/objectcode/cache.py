"""C text -> shared object, kept in the store (`cogen.diskstore`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cogen import diskstore as store
from cogen.backends.objectcode import toolchain


def shared_object(text: str, options: Sequence[str] = ()) -> Path:
    """The file of the text compiled with further options, from the store or built now.

    CogenError if there is no compiler or no place to build in; InternalError, with its output, if
    the compiler refuses the text.
    """
    compiler = toolchain.find_compiler()

    def build(made: Path) -> None:
        toolchain.compile_shared(text, made, compiler, options)

    return store.file("so", compiler.fingerprint(options), text, make=build)
