"""Syntax -> core: macros, scope, libraries; every name gets its meaning.

A unit (the prelude, a library, the program) is *scanned* (`lang.definitions`): then all its
names are known.  When all units are scanned, globals get their names in the result, and the
expressions that wait in the units are expanded.  Of the prelude and the libraries that come along
only what the program reaches is expanded at all; of other libraries, procedures and constants that
nothing reaches are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from cogen.lang import core
from cogen.lang.bodies import expand_lambda
from cogen.lang.builtins import builtins
from cogen.lang.collector import collector_paused
from cogen.lang.datum import Symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.definitions import procedure_parts
from cogen.lang.eachonce import each_once
from cogen.lang.errors import CogenError, LimitationError, Source, Span
from cogen.lang.expander import Expander
from cogen.lang.governor import READING, Budget, Exceeded, Exhausted, governed, reached
from cogen.lang.libraries import Libraries
from cogen.lang.mutablestrings import changes_strings
from cogen.lang.prelude import PreludePart, prelude_parts
from cogen.lang.reader import read
from cogen.lang.scanner import UnitScanner
from cogen.lang.scope import Env, GlobalBinding, Item, Scopes, TopLevelUnit
from cogen.lang.syntax import Syntax

WINDING: Final = ("dynamic-wind", "parameterize", "with-input-from-", "with-output-to-")
"""A program in whose text one of these occurs gets the `call/cc` that winds."""


def expand(
    source: Source, library_path: Sequence[Path] = (), budget: Budget = READING
) -> core.CoreProgram:
    """The core of a program, with the libraries and the part of the prelude that it uses.

    `library_path` are directories in which imported libraries are looked up, after the
    importing file's own.  Raises `CogenError` for whatever is wrong with the texts, and if the
    budget is used up.
    """
    what = "reading and expanding the program"
    try:
        with collector_paused():
            return governed(what, budget, on_deep_stack, _expand, source, library_path)
    except LimitationError as error:
        if error.span is None:
            error.span = Span(source, 0, 0)
        raise


def _expand(source: Source, library_path: Sequence[Path]) -> core.CoreProgram:
    scopes = Scopes(builtins())
    scopes.prelude = prelude()
    libraries = Libraries(library_path)
    x = Expander(scopes, libraries)
    x.sources.append(source)
    try:
        return _expanded(x, libraries, source)
    except Exceeded:
        raise reached(x.at) from None


def _expanded(x: Expander, libraries: Libraries, source: Source) -> core.CoreProgram:
    """The program of the source, once `x` is ready for it."""
    program = TopLevelUnit("the program")
    UnitScanner(x, Env(program, 0)).scan(read(source))
    return finished(x, program, libraries, source)


def finished(
    x: Expander, program: TopLevelUnit, libraries: Libraries, source: Source
) -> core.CoreProgram:
    """The core of a program that has been scanned, with what it needs of libraries and the prelude.

    CogenError if something is wrong with it; that has the `others` that are independent of it.
    """
    try:
        made = _finished(x, program, libraries, source)
    except Exhausted:
        raise
    except CogenError as error:
        raise x.failure(error) from None
    if x.reported:
        raise x.failure()
    return made


def _finished(
    x: Expander, program: TopLevelUnit, libraries: Libraries, source: Source
) -> core.CoreProgram:
    prelude = x.scopes.prelude
    assert prelude is not None
    x.winding = any(word in text.text for text in x.sources for word in WINDING)
    x.mutable_strings = changes_strings(x.sources)
    lazy = [prelude, *(unit for unit in libraries.order if unit.of_product)]
    units = [*(unit for unit in libraries.order if not unit.of_product), program]
    own = frozenset(x.name_of(target) for target in own_globals(program))
    for unit in units:
        for target in own_globals(unit):
            x.name_of(target)
    built = [build(x, item) for unit in units for item in unit.items]
    kept = link(x, built, program, lazy)
    x.check_calls()
    return core.CoreProgram(
        forms=tuple(part.form for part in kept),
        assigned=assigned_names(x, kept),
        source=source,
        own_globals=own,
        records=tuple(
            record
            for unit in (*lazy, *units)
            for record in unit.records
            if not (unit is prelude or unit.of_language) or record in x.records
        ),
    )


@cache
def prelude() -> TopLevelUnit:
    """The prelude, scanned; it is the same for all programs of a process.

    Its procedures are known by their names alone: the rest of them is read if a program needs it.
    """
    unit = TopLevelUnit("the prelude")
    scanner = UnitScanner(Expander(Scopes(builtins())), Env(unit, 0), redefine=False)
    for part in prelude_parts():
        if part.name is None:
            scanner.scan([part.form()])
        else:
            _later(scanner, part, part.name)
    scanner.scan(())
    return unit


def _later(scanner: UnitScanner, part: PreludePart, name: Syntax) -> None:
    """Define a procedure of the prelude, of which only the name is read."""
    target = scanner.variable(name)

    def made(x: Expander) -> core.Expr:
        form = part.form()
        _, formals, body = procedure_parts(form)
        return expand_lambda(x, formals, body, scanner.env, target.name, form)

    scanner.add(target, made, part.span)


def own_globals(unit: TopLevelUnit) -> Iterable[GlobalBinding]:
    """The globals that a unit defines under names of its text, in order."""
    for name, binding in unit.table.items():
        if isinstance(name, Symbol) and isinstance(binding, GlobalBinding) and binding.unit is unit:
            yield binding


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """A form of the result, what it defines, and the globals that it refers to."""

    form: core.DefineForm | core.ExpressionForm
    target: GlobalBinding | None
    reached: tuple[GlobalBinding, ...]


def build(x: Expander, item: Item) -> Built:
    """Expand a waiting item of a unit."""
    target = item.target
    assert target is None or isinstance(target, GlobalBinding)
    x.reached = {}
    value = item.build(x)
    if target is None:
        return Built(core.ExpressionForm(value, item.span), None, tuple(x.reached))
    x.define(target, value)
    form = core.DefineForm(x.name_of(target), value, item.span)
    return Built(form, target, tuple(x.reached))


def link(
    x: Expander, built: Sequence[Built], program: TopLevelUnit, lazy: Sequence[TopLevelUnit]
) -> list[Built]:
    """The forms that the program needs, in order of evaluation: those of the `lazy` units come
    first, which are expanded only now."""
    waiting = {item.target: item for unit in lazy for item in unit.items}
    linked: dict[Item, Built] = {}
    definitions: dict[GlobalBinding, list[Built]] = {}
    for part in built:
        if part.target is not None:
            definitions.setdefault(part.target, []).append(part)
    kept: set[Built] = set()
    pending = [part for part in built if is_root(part, program)]
    for part in each_once(pending, kept):
        for target in part.reached:
            pending.extend(definitions.get(target, ()))
            item = waiting.get(target)
            if item is not None and item not in linked:
                linked[item] = build(x, item)
                pending.append(linked[item])
    first = [linked[item] for unit in lazy for item in unit.items if item in linked]
    return first + [part for part in built if part in kept]


def is_root(part: Built, program: TopLevelUnit) -> bool:
    """Whether a form is needed even if nothing refers to it."""
    if part.target is None or part.target.unit is program:
        return True
    return not isinstance(part.form.value, core.LambdaForm | core.ConstForm)


def assigned_names(x: Expander, kept: Sequence[Built]) -> frozenset[str]:
    """The globals that a `set!` assigns or that are defined twice."""
    targets = (part.target for part in kept if part.target is not None)
    return frozenset(
        x.name_of(target) for target in targets if target in x.assigned or target.definitions > 1
    )
