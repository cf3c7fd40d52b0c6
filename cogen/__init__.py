"""Partial evaluation of programs in a Scheme-like language.

    import cogen
    program  = cogen.load("power.scm")
    residual = cogen.specialize(program, "power", cogen.dynamic("int"), cogen.static(5))
    residual.scheme, residual.il, residual.python, residual.c          # text
    residual.to_python()(2)                                            # 32
    residual.compile()(2)                                              # 32, through C
    compiler = cogen.generate(program, "power", cogen.dynamic("int"), cogen.static())
    compiler(cogen.dynamic("int"), cogen.static(5)).scheme == residual.scheme

`cogen.array` has programs on whole arrays, `cogen.signals` packed samples, `cogen.regex` regular
expressions, `cogen.templates` texts, `cogen.lang` the language itself.  Every error a user can
cause is a `CogenError`; its `span` says where.

Names are imported when they are first used, so that a part costs only what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cogen.compiled import heed_environment
from cogen.version import __version__ as __version__

heed_environment()

if TYPE_CHECKING:
    from cogen import array as array
    from cogen.api import generate, load, load_extension, loads, specialize
    from cogen.binding_times import (
        cons,
        cyclic,
        dynamic,
        list_,
        record,
        static,
        to_sexpdata,
        vector,
    )
    from cogen.convert import datum, symbol
    from cogen.lang.errors import CogenError
    from cogen.origins import Origin
    from cogen.specialized import Residual
    from cogen.staging.arguments import packed
    from cogen.staging.combinators import (
        bucket_reduce,
        distinct,
        filter,
        flat_map,
        group_by,
        loop,
        map,
        reduce,
        scan,
    )
    from cogen.staging.kinds import Kind, Kinds, NumberKind
    from cogen.staging.packvalues import store
    from cogen.staging.stage import stage

_MODULES = {
    "cogen.api": ("generate", "load", "load_extension", "loads", "specialize"),
    "cogen.binding_times": (
        "cons",
        "cyclic",
        "dynamic",
        "list_",
        "record",
        "static",
        "to_sexpdata",
        "vector",
    ),
    "cogen.convert": ("datum", "symbol"),
    "cogen.lang.errors": ("CogenError",),
    "cogen.origins": ("Origin",),
    "cogen.specialized": ("Residual",),
    "cogen.staging.arguments": ("packed",),
    "cogen.staging.combinators": (
        "bucket_reduce",
        "distinct",
        "filter",
        "flat_map",
        "group_by",
        "loop",
        "map",
        "reduce",
        "scan",
    ),
    "cogen.staging.kinds": ("Kind", "Kinds", "NumberKind"),
    "cogen.staging.packvalues": ("store",),
    "cogen.staging.stage": ("stage",),
}
"""The modules of the names that stand here."""

_RUN = "cogen.specialize(program, entry, cogen.dynamic(), ...).compile()(...) runs a procedure"
_MEANT = {"run": _RUN, "call": _RUN, "eval": _RUN, "compile": _RUN}
"""What to write for what there is not."""

_PARTS = ("array", "bt", "lang", "regex", "signals", "templates")

__all__ = [
    "CogenError",
    "Kind",
    "Kinds",
    "NumberKind",
    "Origin",
    "Residual",
    "bucket_reduce",
    "cons",
    "cyclic",
    "datum",
    "distinct",
    "dynamic",
    "filter",
    "flat_map",
    "generate",
    "group_by",
    "list_",
    "load",
    "load_extension",
    "loads",
    "loop",
    "map",
    "packed",
    "record",
    "reduce",
    "scan",
    "specialize",
    "stage",
    "static",
    "store",
    "symbol",
    "to_sexpdata",
    "vector",
]


def __getattr__(name: str) -> Any:
    """A name or a part, imported when it is first used."""
    if name in _PARTS:
        return import_module(f"cogen.{name}")
    for module, names in _MODULES.items():
        if name in names:
            value = getattr(import_module(module), name)
            globals()[name] = value
            return value
    hint = f"; {_MEANT[name]}" if name in _MEANT else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext cogen` (docs/notebook.md)."""
    from cogen.notebook import load

    load(shell)


def __dir__() -> list[str]:
    """What is meant for people."""
    return [*__all__, *_PARTS, "__version__"]
