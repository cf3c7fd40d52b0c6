"""Partial evaluation of programs in a Scheme-like language.

    import cogen
    program  = cogen.load("power.scm")
    residual = cogen.specialize(program, "power", cogen.dynamic("int"), cogen.static(5))
    residual.scheme, residual.il, residual.python, residual.c          # text
    residual.to_python()(2)                                            # 32
    residual.compile()(2)                                              # 32, through C
    compiler = cogen.generate(program, "power", cogen.dynamic("int"), cogen.static())
    compiler(cogen.dynamic("int"), cogen.static(5)).scheme == residual.scheme

Every error a user can cause is a `CogenError`; its `span` says where.
"""

from typing import TYPE_CHECKING, Any

from cogen.compiled import heed_environment
from cogen.foreign import refuse_foreign_packages

heed_environment()
refuse_foreign_packages()

# Both must come before anything that imports `lang`.
from cogen.api import (  # noqa: E402
    Residual,
    generate,
    load,
    load_extension,
    loads,
    specialize,
)
from cogen.bt import (  # noqa: E402
    cons,
    cyclic,
    dynamic,
    list_,
    record,
    static,
    to_sexpdata,
    vector,
)
from cogen.convert import datum, symbol  # noqa: E402
from cogen.version import __version__ as __version__  # noqa: E402
from lang.errors import CogenError  # noqa: E402

if TYPE_CHECKING:
    from cogen import array as array

DISTRIBUTION = "cogen-specializer"

__all__ = [
    "CogenError",
    "Residual",
    "cons",
    "cyclic",
    "datum",
    "dynamic",
    "generate",
    "list_",
    "load",
    "load_extension",
    "loads",
    "record",
    "specialize",
    "static",
    "symbol",
    "to_sexpdata",
    "vector",
]


def __getattr__(name: str) -> Any:
    """The array half, `cogen.array`, is imported when it is first used."""
    if name == "array":
        from importlib import import_module

        return import_module("cogen.array")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
