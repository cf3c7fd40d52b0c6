"""Scope: what an identifier means at a place of the program.

    identifier ::= Symbol                   written in the source
                 | Alias(base, env, span)   inserted by a macro: `base` as seen from `env`
    binding    ::= Variable                 a local variable (lang.core)
                 | Global                   a top-level variable of a unit
                 | PrimitiveBinding         a row of the primitive table
                 | Special                  a special form
                 | Auxiliary                `else`, `=>`, `...`, `_`, `unquote`, ...
                 | Macro                    a syntax-rules macro
                 | Constant                 a name that stands for a datum (a record type)
    env        ::= Env(unit, depth)         a unit (program or library) and a nesting depth

Note [Hygiene]
Each use of a macro wraps every symbol that its template inserts in a fresh `Alias`.  An alias
that gets bound (by a `let` the macro inserts) is a name of its own, so it captures nothing; one
that does not get bound means what its base means where the macro was defined.  Both halves of
hygiene follow, since aliases nest.

Note [Depth]
Expansion walks the program depth first, so the frames that enclose the place being expanded
form a stack, and the frame in which a visible macro was defined is always one of them.  Hence
an environment is a number: `resolve` takes the innermost binding of the identifier whose frame
is no deeper.  Looking a name up costs the same under 10,000 nested frames as under one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cogen.lang.core import Expr, LocalVariable
from cogen.lang.datum import Datum, RecordType, Symbol
from cogen.lang.errors import Span
from cogen.lang.node import leaf, node
from cogen.lang.syntax import Syntax

if TYPE_CHECKING:
    from cogen.lang.rules import Rules


@node
class Alias:
    """A symbol that one use of a macro inserted; compared by identity.  See Note [Hygiene]."""

    base: Identifier
    env: Env
    span: Span

    @property
    def name(self) -> str:
        """The name people know it by."""
        return root(self).name


Identifier = Symbol | Alias


@leaf
class Env:
    """A place: the unit it is in and how many frames enclose it.  See Note [Depth]."""

    unit: TopLevelUnit
    depth: int


@dataclass(slots=True, eq=False)
class GlobalBinding:
    """A top-level variable: its source name, its unit, the place of its first definition.

    `definitions` counts them; `operation` is set for a procedure of a record type.
    """

    name: str
    unit: TopLevelUnit
    span: Span
    definitions: int = 0
    operation: RecordOperation | None = None


@node
class RecordOperation:
    """What a procedure of a record type does: a primitive and its first, constant arguments.

    `slots` tells a constructor which parameter fills each field (None: left unspecified).  `told`
    is what the program calls it, where that is not the name that the primitive tells.
    """

    primitive: str
    constants: tuple[Datum, ...]
    parameters: tuple[str, ...]
    slots: tuple[int | None, ...] | None = None
    told: str | None = None


@node
class PrimitiveBinding:
    name: str


@node
class Special:
    """A special form.

    `expand` makes an expression of it, given a `lang.expander.Expander`, a `Syntax` and an `Env`;
    `scan`, if there is one, handles it among the forms of a body or of the top level (definitions,
    `begin`), given a `lang.scanner.Scanner` and a `Syntax`.
    """

    name: str
    expand: Callable[..., Expr]
    scan: Callable[..., None] | None = None


@node
class Auxiliary:
    """A keyword that only means something inside other forms."""

    name: str


@node
class Macro:
    """A macro: its rules and the environment they were defined in."""

    name: str
    rules: Rules
    env: Env


@node
class ConstantBinding:
    """A name that stands for a datum: the name of a record type."""

    value: Datum


Binding = (
    LocalVariable | GlobalBinding | PrimitiveBinding | Special | Auxiliary | Macro | ConstantBinding
)
Build = Callable[[Any], Expr]
"""An expression whose expansion waits until all definitions around it are known; what expands it is
given (a `lang.expander.Expander`)."""


@node
class Item:
    """A definition (`target` says of what) or an expression (`target` is None) of a sequence."""

    target: GlobalBinding | LocalVariable | None
    build: Build
    span: Span


@dataclass(slots=True, eq=False)
class TopLevelUnit:
    """A top level: the program, a library, or the prelude.

    `table` has its definitions and imports; `imported` and `defined_at` tell where a name of the
    table comes from.  A library that comes along (`of_product`) is like the prelude: a program gets
    what it uses of it.  Of those of the language (`of_language`), the prelude's names that start
    with `%` are its own too.
    """

    title: str
    table: dict[Identifier, Binding] = field(default_factory=dict)
    imported: dict[Identifier, Span] = field(default_factory=dict)
    defined_at: dict[Identifier, Span] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    exports: dict[Symbol, Binding] = field(default_factory=dict)
    records: list[RecordType] = field(default_factory=list)
    of_language: bool = False
    of_product: bool = False


def _visible(name: Symbol, binding: Binding, unit: TopLevelUnit) -> bool:
    """Whether a unit sees a definition of the prelude."""
    own = name.name.startswith("%") or isinstance(binding, ConstantBinding)
    return unit.of_language or not own


def is_identifier(syntax: Syntax) -> bool:
    """Whether a piece of syntax is a name."""
    return isinstance(syntax.value, Symbol | Alias)


def root(identifier: Identifier) -> Symbol:
    """The symbol that was written."""
    while isinstance(identifier, Alias):
        identifier = identifier.base
    return identifier


class Scopes:
    """The frames that are open, as a stack of bindings for each identifier."""

    def __init__(self, builtins: Mapping[Symbol, Binding]) -> None:
        self.builtins = builtins
        self.prelude: TopLevelUnit | None = None
        self._stacks: dict[Identifier, list[tuple[int, Binding]]] = {}
        self._frames: list[list[Identifier]] = [[]]

    def enter(self, env: Env) -> Env:
        """Open a frame inside `env`."""
        self._frames.append([])
        return Env(env.unit, env.depth + 1)

    def leave(self, env: Env) -> None:
        """Close the innermost frame, which is `env`'s."""
        for identifier in self._frames.pop():
            self._stacks[identifier].pop()

    def leave_all(self) -> None:
        """Close all frames, after an error within them."""
        while len(self._frames) > 1:
            for identifier in self._frames.pop():
                self._stacks[identifier].pop()

    def bind(self, identifier: Identifier, binding: Binding, env: Env) -> None:
        """Bind a name in the innermost frame, which is `env`'s."""
        self._stacks.setdefault(identifier, []).append((env.depth, binding))
        self._frames[env.depth].append(identifier)

    def resolve(self, identifier: Identifier, env: Env) -> Binding | None:
        """What a name means at a place; None if nothing."""
        while True:
            for depth, binding in reversed(self._stacks.get(identifier, ())):
                if depth <= env.depth:
                    return binding
            found = env.unit.table.get(identifier)
            if found is not None:
                return found
            if not isinstance(identifier, Alias):
                return self._standard(identifier, env.unit)
            alias = identifier
            identifier, env = alias.base, alias.env

    def _standard(self, name: Symbol, unit: TopLevelUnit) -> Binding | None:
        """What the language itself means by a name.

        The prelude's record types and its names that start with `%` are its own.
        """
        prelude = self.prelude
        if prelude is not None and unit is not prelude:
            found = prelude.table.get(name)
            if found is not None and _visible(name, found, unit):
                return found
        return self.builtins.get(name)

    def visible(self, env: Env) -> set[str]:
        """The names that could be meant at a place, for hints."""
        names = {root(i).name for i, stack in self._stacks.items() if stack}
        names.update(i.name for i in env.unit.table if isinstance(i, Symbol))
        if self.prelude is not None:
            names.update(i.name for i in self.prelude.table if isinstance(i, Symbol))
        names.update(i.name for i in self.builtins)
        return {name for name in names if not name.startswith("%")}
