"""What is bound to a name, and where -> what people are told of it.

(define (square x) (* x x))    ->   procedure, (square x), its comment, whose it is
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from cogen.lang.core import LocalVariable
from cogen.lang.errors import Source, Span
from cogen.lang.prims import CONTROL, PRIMITIVES
from cogen.lang.primtable.row import PrimitiveRow
from cogen.lang.scope import (
    Auxiliary,
    Binding,
    ConstantBinding,
    GlobalBinding,
    Macro,
    PrimitiveBinding,
    Special,
    TopLevelUnit,
)
from cogen.lsp.analysis import Meaning
from cogen.lsp.definitions import definition, in_file


def describe(name: str, binding: Binding, place: Span | None, home: Source) -> Meaning | None:
    """What a name means that is defined at a place, if that is known; what is not of `home` says
    whose it is.  None if there is nothing to say."""
    match binding:
        case PrimitiveBinding(row):
            return _of_primitive(PRIMITIVES.get(row) or CONTROL[row])
        case Special():
            return _of_special(binding)
        case Auxiliary():
            return Meaning(name, "keyword", origin="a keyword within other forms")
    if place is None:
        return None
    told = definition(place)
    if isinstance(binding, GlobalBinding) and binding.operation is not None:
        parameters = " ".join(("", *binding.operation.parameters))
        told = told._replace(signature=f"({name}{parameters})")
    kind = kind_of(binding, told.signature)
    return Meaning(name, kind, in_file(place), told.signature, told.doc, _origin(place, home))


def defined(units: Iterable[TopLevelUnit], binding: Binding) -> Span | None:
    """Where one of some units defines a macro or a constant."""
    for unit in units:
        for name, meant in unit.table.items():
            if meant is binding and name in unit.defined_at:
                return unit.defined_at[name]
    return None


def _origin(place: Span, home: Source) -> str:
    library = place.source.library
    if not library:
        return "" if place.source is home else place.source.file_name
    named = library if library.startswith("the ") else f"the library ({library})"
    return f"of {named}"


def kind_of(binding: Binding, signature: str = "") -> str:
    """What something is, in a word; what has a signature is a procedure."""
    match binding:
        case PrimitiveBinding():
            return "primitive"
        case Special() | Auxiliary():
            return "keyword"
        case Macro():
            return "macro"
        case ConstantBinding():
            return "record"
        case GlobalBinding() | LocalVariable():
            return "procedure" if signature else "variable"


def _of_primitive(row: PrimitiveRow) -> Meaning:
    least, most = row.source_arity
    parameters = list(row.arguments)
    if most is None and parameters:
        parameters.append("...")
    elif most is not None and most > least:
        parameters[least:] = [f"[{one}]" for one in parameters[least:]]
    signature = f"({' '.join((row.name, *parameters))}) -> {row.result}"
    facts = [f"effect: {row.effect}"]
    if row.fails:
        facts.append(f"may fail by {', '.join(sorted(row.fails))}")
    doc = f"{row.doc}\n\n{'; '.join(facts)}".strip()
    return Meaning(row.name, "primitive", None, signature, doc, "a primitive of the language")


def _of_special(form: Special) -> Meaning:
    function = form.expand if form.scan is None else form.scan
    doc = inspect.getdoc(function) or ""
    return Meaning(form.name, "keyword", None, "", doc, "a form of the language")
