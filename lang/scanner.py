"""Scanning sequences of definitions and expressions: bodies and top levels.

A sequence is handled in two steps.  *Scanning* expands macro uses at the head of each form just
far enough to see whether it is a definition, splices `begin` and `include`, and binds what is
defined; what is to be evaluated waits as an `Item`.  *Building* expands the waiting expressions,
when every name of the sequence has its meaning, so definitions may refer to later ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from cogen.lang.core import LocalVariable
from cogen.lang.datum import RecordType
from cogen.lang.errors import CogenError, Note, Source, Span
from cogen.lang.expander import Expander
from cogen.lang.features import chosen
from cogen.lang.files import find_include, read_source
from cogen.lang.formshapes import parts_of
from cogen.lang.reader import read
from cogen.lang.scope import (
    Binding,
    Build,
    Env,
    GlobalBinding,
    Identifier,
    Item,
    Macro,
    RecordOperation,
    Special,
    is_identifier,
    root,
)
from cogen.lang.syntax import Syntax, SyntaxList


class Scanner:
    """Scans a sequence of forms in `env`; subclasses say what a definition makes."""

    def __init__(self, expander: Expander, env: Env) -> None:
        self.expander = expander
        self.env = env
        self.items: list[Item] = []

    def scan(self, forms: Sequence[Syntax]) -> None:
        """Scan forms in order; what they splice comes in their place."""
        x = self.expander
        outer = x.depth
        pending = [(form, outer) for form in reversed(forms)]
        while pending:
            form, x.depth = pending.pop()
            binding = self.head(form)
            if isinstance(binding, Macro):
                expanded = x.expand_macro(binding, form, self.env)
                pending.append((expanded, x.depth))
            elif isinstance(binding, Special) and binding.name in SPLICED:
                spliced = SPLICED[binding.name](x, form)
                pending.extend((part, x.depth) for part in reversed(spliced))
            elif isinstance(binding, Special) and binding.scan is not None:
                binding.scan(self, form)
            else:
                self.wait(form)
        x.depth = outer

    def wait(self, form: Syntax) -> None:
        """Add an expression."""
        self.add(None, lambda x: x.expression(form, self.env), form.span)

    def head(self, form: Syntax) -> Binding | None:
        """What the first name of a form means."""
        value = form.value
        if isinstance(value, SyntaxList) and value.items and is_identifier(value.items[0]):
            return self.expander.scopes.resolve(value.items[0].value, self.env)
        return None

    def add(self, target: LocalVariable | GlobalBinding | None, build: Build, span: Span) -> None:
        self.items.append(Item(target, build, span))

    def variable(self, name: Syntax) -> LocalVariable | GlobalBinding:
        """Bind a name to a new variable of the sequence."""
        raise NotImplementedError

    def temporary(self, name: str, span: Span) -> LocalVariable | GlobalBinding:
        """A new variable that no name of the program means."""
        raise NotImplementedError

    def keyword(self, name: Syntax, binding: Binding) -> None:
        """Bind a name to a macro or a constant."""
        raise NotImplementedError

    def operation(self, target: LocalVariable | GlobalBinding, operation: RecordOperation) -> None:
        """Remember that a variable is a procedure of a record type."""
        raise NotImplementedError

    def record(self, record: RecordType) -> None:
        """Take note of a record type."""
        self.env.unit.records.append(record)


class BodyScanner(Scanner):
    """Scans a body: definitions are local, and each name is defined once."""

    def __init__(self, expander: Expander, env: Env) -> None:
        super().__init__(expander, env)
        self.places: dict[Identifier, Span] = {}

    def bind(self, name: Syntax, binding: Binding) -> None:
        identifier = name.value
        if identifier in self.places:
            raise CogenError(
                f"duplicate definition of `{root(identifier).name}` in a body",
                name.span,
                notes=[Note("the first one is here", self.places[identifier])],
            )
        self.places[identifier] = name.span
        self.expander.scopes.bind(identifier, binding, self.env)
        self.expander.mention(name, binding, defines=True)

    def variable(self, name: Syntax) -> LocalVariable:
        variable = LocalVariable(root(name.value).name)
        self.bind(name, variable)
        return variable

    def temporary(self, name: str, span: Span) -> LocalVariable:
        return LocalVariable(name)

    def keyword(self, name: Syntax, binding: Binding) -> None:
        self.bind(name, binding)

    def operation(self, target: LocalVariable | GlobalBinding, operation: RecordOperation) -> None:
        assert isinstance(target, LocalVariable)
        self.expander.operations[target] = operation


class UnitScanner(Scanner):
    """Scans a top level; only the program (`redefine`) may define a variable again."""

    def __init__(self, expander: Expander, env: Env, redefine: bool = True) -> None:
        super().__init__(expander, env)
        self.redefine = redefine

    def scan(self, forms: Sequence[Syntax]) -> None:
        super().scan(forms)
        self.env.unit.items.extend(self.items)
        self.items = []

    def check_new(self, name: Syntax) -> Binding | None:
        """What the unit already binds the name to; CogenError if it was imported."""
        unit, identifier = self.env.unit, name.value
        if identifier in unit.imported:
            raise CogenError(
                f"`{root(identifier).name}` is imported and cannot be defined again",
                name.span,
                f"import the library without it: (import (except (...) {root(identifier).name}))",
                [Note("it is imported here", unit.imported[identifier])],
            )
        return unit.table.get(identifier)

    def duplicate(self, name: Syntax) -> CogenError:
        return CogenError(
            f"duplicate definition of `{root(name.value).name}`",
            name.span,
            notes=[Note("the first one is here", self.env.unit.defined_at[name.value])],
        )

    def variable(self, name: Syntax) -> GlobalBinding:
        unit = self.env.unit
        old = self.check_new(name)
        if isinstance(old, GlobalBinding) and self.redefine:
            old.definitions += 1
            self.expander.mention(name, old, defines=True)
            return old
        if old is not None:
            raise self.duplicate(name)
        target = GlobalBinding(root(name.value).name, unit, name.span, definitions=1)
        unit.table[name.value] = target
        unit.defined_at[name.value] = name.span
        self.expander.mention(name, target, defines=True)
        return target

    def temporary(self, name: str, span: Span) -> GlobalBinding:
        return GlobalBinding(name, self.env.unit, span, definitions=1)

    def keyword(self, name: Syntax, binding: Binding) -> None:
        if self.check_new(name) is not None:
            raise self.duplicate(name)
        self.env.unit.table[name.value] = binding
        self.env.unit.defined_at[name.value] = name.span
        self.expander.mention(name, binding, defines=True)

    def operation(self, target: LocalVariable | GlobalBinding, operation: RecordOperation) -> None:
        assert isinstance(target, GlobalBinding)
        target.operation = operation


def included(x: Expander, form: Syntax, fold: bool = False) -> list[Syntax]:
    """The forms of the files that `(include "file" ...)` names; `fold` is that of the reader."""
    shape = '(include "file" ...)'
    forms: list[Syntax] = []
    for name in parts_of(form, shape, 1):
        if not isinstance(name.value, str):
            raise CogenError("the name of a file must be a string", name.span, f"expected {shape}")
        source = read_source(find_include(name.value, name.span), name.span)
        check_circle(x, source, name.span)
        x.sources.append(source)
        x.includers[source] = name.span
        forms.extend(read(source, fold))
    return forms


def included_ci(x: Expander, form: Syntax) -> list[Syntax]:
    """The forms of the files that `(include-ci "file" ...)` names."""
    return included(x, form, fold=True)


def check_circle(x: Expander, source: Source, span: Span) -> None:
    """CogenError if the file that `span` includes is one that it is in."""
    around: Span | None = span
    file = Path(source.path).resolve()
    notes: list[Note] = []
    while around is not None:
        if Path(around.source.path).resolve() == file:
            raise CogenError(f"{source.name} includes itself", span, notes=notes)
        around = x.includers.get(around.source)
        if around is not None:
            notes.append(Note(f"{around.source.name} includes a file here", around))


def begun(x: Expander, form: Syntax) -> Sequence[Syntax]:
    """The forms of `(begin form ...)`."""
    return parts_of(form, "(begin form ...)", 0)


SPLICED: Final[dict[str, Callable[[Expander, Syntax], Sequence[Syntax]]]] = {
    "begin": begun,
    "include": included,
    "include-ci": included_ci,
    "cond-expand": chosen,
}
"""The forms that stand for a sequence in a sequence."""
