"""The expander's centre: references, calls, macro uses, and what is known of procedures.

The forms themselves are functions in `lang.forms`, `lang.derived` and `lang.definitions`, each
taking the expander, the form and its environment; `lang.expand` puts them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Final, ParamSpec, TypeGuard

from cogen.lang import core, mutablestrings
from cogen.lang.arity import check_arity, check_primitive
from cogen.lang.core import Expr, LocalVariable
from cogen.lang.datum import UNSPECIFIED, Datum, symbol
from cogen.lang.errors import (
    CogenError,
    InternalError,
    LimitationError,
    Note,
    Source,
    Span,
    together,
)
from cogen.lang.leftout import LEFT_OUT, left_out
from cogen.lang.offered import Offered
from cogen.lang.othernames import AUXILIARY_HINTS, FOREIGN_KEYWORDS, hint_of_name
from cogen.lang.printer import write_datum
from cogen.lang.rules import flat, transcribe
from cogen.lang.scope import (
    Alias,
    Auxiliary,
    Binding,
    ConstantBinding,
    Env,
    GlobalBinding,
    Identifier,
    Macro,
    PrimitiveBinding,
    RecordOperation,
    Scopes,
    Special,
    TopLevelUnit,
    is_identifier,
    root,
)
from cogen.lang.syntax import (
    Labelled,
    Reference,
    Syntax,
    SyntaxList,
    SyntaxVector,
    tied_datum,
)

P = ParamSpec("P")

MAX_STEPS: Final = 200_000
"""Macro uses in one program; more is taken for an expansion that does not end."""

MAX_SIZE: Final = 4_000_000
"""Pieces of syntax that the macros of one program may make."""

MAX_DEPTH: Final = 25_000
"""Nesting of macro uses in what macros made."""

MAX_NESTING: Final = 30_000
"""Nesting of expressions and procedures, so many that the stack of `lang.deep` holds them."""

MOST_ERRORS: Final = 20
"""Errors of a program that are told, at most."""

NOTHING: Final = ConstantBinding(UNSPECIFIED)
"""What a name means that means nothing, once that is reported."""

CALL_CC: Final = frozenset({"call/cc", "call-with-current-continuation"})
WINDING_CALL_CC: Final = "%call/cc/wind"
"""What `call/cc` means in programs that use `dynamic-wind`: a procedure of the prelude."""


class Expander:
    """One expansion of one program.

    `names` gives every global its name in the program that comes out; `winding` tells whether
    `call/cc` must run the thunks of `dynamic-wind`, `mutable_strings` whether strings are changed.
    """

    def __init__(self, scopes: Scopes, libraries: Offered | None = None) -> None:
        self.scopes = scopes
        self.libraries = libraries
        self.sources: list[Source] = []
        self.includers: dict[Source, Span] = {}
        """Where a file was included."""
        self.winding = False
        self.mutable_strings = False
        self.names: dict[GlobalBinding, str] = {}
        self.taken: set[str] = set()
        self.assigned: set[GlobalBinding] = set()
        self.reached: dict[GlobalBinding, None] = {}
        """The globals that expansion referred to since this was last emptied, in order."""
        self.procedures: dict[LocalVariable | GlobalBinding, core.LambdaForm] = {}
        self.operations: dict[LocalVariable, RecordOperation] = {}
        self.records: set[Datum] = set()
        """The record types that the expanded expressions make use of."""
        self.calls: list[tuple[LocalVariable | GlobalBinding, int, Span]] = []
        self.beside: list[frozenset[str]] = []
        """The names that each `let` binds of which a value is being expanded."""
        self.steps = 0
        self.size = 0
        self.depth = 0
        """Macro uses around the place being expanded."""
        self.nesting = 0
        """Expressions and procedures around it."""
        self.at: Span | None = None
        """The use of a macro that was expanded last."""
        self.reported: list[CogenError] = []
        """Errors after which expansion went on: see `report`."""
        self._unbound: set[str] = set()
        self._foreign: set[tuple[Source, int]] = set()
        """Lines on which a keyword of another language stands."""

    # What tools that show programs replace

    def mention(self, name: Syntax, binding: Binding, defines: bool = False) -> None:
        """A name of a text, and what it means there; `defines` where it is bound."""

    # Errors

    def report(self, error: CogenError) -> None:
        """An error that does not keep what follows from being looked at; told in the end, with all
        others (`failure`)."""
        self.reported.append(error)
        if len(self.reported) >= MOST_ERRORS:
            raise self.failure()

    def report_unbound(self, name: str, error: CogenError) -> None:
        """A name that means nothing is told once, and what stands beside a keyword of another
        language not at all."""
        span = error.span
        assert span is not None
        line = span.source, span.line
        if line in self._foreign:
            return
        if name in FOREIGN_KEYWORDS:
            self._foreign.add(line)
        if name not in self._unbound:
            self._unbound.add(name)
            self.report(error)

    def failure(self, last: CogenError | None = None) -> CogenError:
        """The errors that were reported, and the one that ended the expansion, as one."""
        errors = [*self.reported, *([] if last is None or last in self.reported else [last])]
        self.reported, self._unbound, self._foreign = [], set(), set()
        return together(errors)

    # Names of globals

    def name_of(self, target: GlobalBinding) -> str:
        """The name of a global in the resulting program: its own, or with a suffix if taken."""
        name = self.names.get(target)
        if name is None:
            name = target.name
            count = 1
            while name in self.taken:
                count += 1
                name = f"{target.name}-{count}"
            self.taken.add(name)
            self.names[target] = name
        return name

    # Expressions

    def expression(self, form: Syntax, env: Env) -> Expr:
        """Expand one expression."""
        depth, nesting = self.depth, self.nesting
        self.nest(form)
        while True:
            value = form.value
            if not isinstance(value, SyntaxList):
                self.depth, self.nesting = depth, nesting
                return self.reference(form, env) if is_identifier(form) else self.literal(form)
            if value.tail is not None:
                value = flat(value)
                form = Syntax(value, form.span)
            if not value.items:
                raise CogenError("an empty combination", form.span, "write '() for the empty list")
            head = value.items[0]
            binding = self.scopes.resolve(head.value, env) if is_identifier(head) else None
            if isinstance(binding, Macro):
                form = self.expand_macro(binding, form, env)
                continue
            if isinstance(binding, Special):
                result = binding.expand(self, form, env)
            else:
                result = self.call_form(form, value, binding, env)
            self.depth, self.nesting = depth, nesting
            return result

    def nest(self, form: Syntax) -> None:
        """Count a level of nesting; LimitationError if there are too many."""
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise LimitationError(
                f"expressions are nested deeper than {MAX_NESTING:,} levels",
                form.span,
                "split deeply nested expressions into definitions",
            )

    def expressions(self, forms: Iterable[Syntax], env: Env) -> list[Expr]:
        return [self.expression(form, env) for form in forms]

    def literal(self, form: Syntax) -> Expr:
        """A datum that stands for itself."""
        if isinstance(form.value, Labelled) and isinstance(form.value.datum.value, SyntaxVector):
            return self.quoted(form)
        if isinstance(form.value, Labelled | Reference):
            message = "datum labels stand in quoted data only"
            raise CogenError(message, form.span, "write '#0=(a . #0#)")
        if isinstance(form.value, SyntaxVector):
            return self.quoted(form)
        return core.ConstForm(form.value, form.span)

    def quoted(self, syntax: Syntax) -> Expr:
        """A quoted datum.  One that contains itself is read when the program gets there: constants
        are trees."""
        datum, is_circular = tied_datum(syntax, _plain)
        if not is_circular:
            return core.ConstForm(datum, syntax.span)
        text = core.ConstForm(write_datum(datum), syntax.span)
        port = core.CallForm(core.PrimRef("open-input-string", syntax.span), (text,), syntax.span)
        return core.CallForm(core.PrimRef("read", syntax.span), (port,), syntax.span)

    def datum(self, syntax: Syntax) -> Datum:
        """The datum of quoted syntax; names that macros inserted become plain symbols.

        CogenError if it contains itself."""
        datum, is_circular = tied_datum(syntax, _plain)
        if is_circular:
            raise CogenError("a datum that contains itself can only be quoted", syntax.span)
        return datum

    def reference(self, form: Syntax, env: Env) -> Expr:
        """What a name's value is."""
        binding = self.scopes.resolve(form.value, env)
        made = self.use(self.bound(binding, form, env), form, env)
        if not self.mutable_strings or not isinstance(made, core.PrimRef):
            return made
        if not mutablestrings.concerns(made.name):
            return made
        return mutablestrings.procedure(self, made.name, form.span)

    def use(self, binding: Binding, form: Syntax, env: Env) -> Expr:
        """A reference to what a name means."""
        self.mention(form, binding)
        match binding:
            case LocalVariable():
                return core.LocalRef(binding, form.span)
            case GlobalBinding():
                self.reached[binding] = None
                return core.GlobalRef(self.name_of(binding), form.span)
            case PrimitiveBinding(name):
                return self.primitive(name, env.unit, form.span)
            case ConstantBinding(value):
                return core.ConstForm(value, form.span)
        raise CogenError(
            f"`{root(form.value).name}` is a keyword of the language's syntax, not a variable"
            if not isinstance(binding, Macro)
            else f"`{root(form.value).name}` is a macro, not a variable",
            form.span,
            f"a keyword stands first in a form: ({root(form.value).name} ...)"
            if not isinstance(binding, Auxiliary)
            else AUXILIARY_HINTS.get(root(form.value).name),
        )

    def bound(self, binding: Binding | None, form: Syntax, env: Env) -> Binding:
        """The binding; if the name has none, that is reported."""
        if binding is not None:
            return binding
        name = root(form.value).name
        notes = []
        if isinstance(form.value, Alias):
            notes.append(Note("a macro inserts the name here", form.value.span))
        if name in LEFT_OUT:
            error: CogenError = left_out(name, form.span, notes)
        else:
            hint = self.suggestion(name, env)
            error = CogenError(f"unbound name `{name}`", form.span, hint, notes)
        self.report_unbound(name, error)
        return NOTHING

    def suggestion(self, name: str, env: Env) -> str | None:
        """A hint: the library of the product that has the name, else what it is called here if
        people know it from elsewhere, else a visible one like it."""
        if any(name in names for names in self.beside):
            return (
                "the values of a `let` do not see its names: `let*` binds from left to right, "
                "`letrec` procedures that call themselves"
            )
        library = None if self.libraries is None else self.libraries.offering(name)
        if library is not None:
            return f"it is in a library: (import {library})"
        elsewhere = hint_of_name(name)
        if elsewhere is not None:
            return elsewhere
        names = sorted(self.scopes.visible(env) - {name})
        close = get_close_matches(name, names, n=1, cutoff=0.7)
        return f"did you mean `{close[0]}`?" if close else None

    # Calls

    def call_form(self, form: Syntax, value: SyntaxList, binding: Binding | None, env: Env) -> Expr:
        """Expand a call."""
        if value.tail is not None:
            raise CogenError(
                "a call must be a proper list", form.span, "expected (procedure argument ...)"
            )
        head = value.items[0]
        if is_identifier(head):
            meant = self.bound(binding, head, env)
            if meant is NOTHING and _is_like_a_keyword(root(head.value).name):
                return unspecified(form.span)
            function = self.use(meant, head, env)
        else:
            function = self.expression(head, env)
        arguments = tuple([self.expression(item, env) for item in value.items[1:]])
        if isinstance(binding, LocalVariable | GlobalBinding):
            operation = self.operation(binding)
            if operation is not None and len(arguments) == len(operation.parameters):
                return self.record_call(operation, arguments, form.span)
        if isinstance(binding, LocalVariable | GlobalBinding):
            self.calls.append((binding, len(arguments), form.span))
        return self.call(function, arguments, form.span)

    def operation(self, binding: LocalVariable | GlobalBinding) -> RecordOperation | None:
        """What a never redefined procedure of a record type does."""
        if isinstance(binding, LocalVariable):
            return self.operations.get(binding)
        return binding.operation if binding.definitions == 1 else None

    def call(self, function: Expr, arguments: Sequence[Expr], span: Span) -> Expr:
        """A call; a primitive's or a lambda expression's number of arguments is checked.

        `((lambda (x ...) body) a ...)` becomes a `Let`.
        """
        if isinstance(function, core.PrimRef):
            self.check(check_primitive, function.name, len(arguments), span)
            of_quotient = _OF_QUOTIENTS.get(function.name)
            if of_quotient is not None and len(arguments) == 1 and _is_quotient(arguments[0]):
                return self.call_standard(of_quotient, arguments[0].arguments, span)
            if self.mutable_strings and mutablestrings.concerns(function.name):
                return mutablestrings.call(function.name, arguments, span)
        elif isinstance(function, core.LambdaForm):
            check_arity(function, len(arguments), span)
            if function.rest is None:
                bindings = tuple(zip(function.parameters, arguments, strict=True))
                return core.LetForm(bindings, function.body, span) if bindings else function.body
        return core.CallForm(function, tuple(arguments), span)

    def record_call(
        self, operation: RecordOperation, arguments: Sequence[Expr], span: Span
    ) -> Expr:
        """A call of a procedure of a record type, as the primitive behind it.

        The constructor's arguments are evaluated in order before they go to their fields.
        """
        self.records.add(operation.constants[0])
        span = span if operation.told is None else span.part_of(operation.told)
        constants = [core.ConstForm(value, span) for value in operation.constants]
        function = core.PrimRef(operation.primitive, span)
        if operation.slots is None or operation.slots == tuple(range(len(arguments))):
            return core.CallForm(function, (*constants, *arguments), span)
        variables = [LocalVariable(name) for name in operation.parameters]
        fields = [
            unspecified(span) if slot is None else core.LocalRef(variables[slot], span)
            for slot in operation.slots
        ]
        made = core.CallForm(function, (*constants, *fields), span)
        bindings = tuple(zip(variables, arguments, strict=True))
        return core.LetForm(bindings, made, span) if bindings else made

    def primitive(self, name: str, unit: TopLevelUnit, span: Span) -> Expr:
        """A reference to a primitive; `call/cc` means the prelude's where it has to wind."""
        if name in CALL_CC and self.winding and unit is not self.scopes.prelude:
            return self.standard(WINDING_CALL_CC, span)
        return core.PrimRef(name, span)

    def standard(self, name: str, span: Span) -> Expr:
        """A reference to a procedure of the language, whatever the program means by its name."""
        prelude = self.scopes.prelude
        binding: Binding | None = None
        if prelude is not None:
            binding = prelude.table.get(symbol(name))
        if binding is None:
            binding = self.scopes.builtins.get(symbol(name))
        if isinstance(binding, GlobalBinding):
            self.reached[binding] = None
            return core.GlobalRef(self.name_of(binding), span)
        if isinstance(binding, PrimitiveBinding):
            if name in CALL_CC and self.winding:
                return self.standard(WINDING_CALL_CC, span)
            return core.PrimRef(binding.name, span)
        raise InternalError(f"the language has no procedure {name}", span)

    def call_standard(self, name: str, arguments: Sequence[Expr], span: Span) -> Expr:
        """A call of a procedure of the language."""
        return core.CallForm(self.standard(name, span), tuple(arguments), span)

    def define(self, target: LocalVariable | GlobalBinding | None, value: Expr) -> None:
        """Remember what a name is bound to, for the checks of calls."""
        if target is not None and isinstance(value, core.LambdaForm):
            self.procedures[target] = value

    def check_calls(self) -> None:
        """Check the calls of procedures that are known, now that all assignments are."""
        for target, count, span in self.calls:
            procedure = self.procedures.get(target)
            if procedure is None:
                continue
            if isinstance(target, LocalVariable):
                if not target.assigned:
                    self.check(check_arity, procedure, count, span)
            elif target.definitions == 1 and target not in self.assigned:
                self.check(check_arity, procedure, count, span)
        self.calls.clear()

    def check(self, check: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Report what a check raises."""
        try:
            check(*args, **kwargs)
        except CogenError as error:
            self.report(error)

    # Macros

    def expand_macro(self, macro: Macro, form: Syntax, env: Env) -> Syntax:
        """What one use of a macro stands for."""

        def same(used: Identifier, literal: Identifier) -> bool:
            ours = self.scopes.resolve(used, env)
            theirs = self.scopes.resolve(literal, macro.env)
            if ours is None and theirs is None:
                return root(used) is root(literal)
            return ours is theirs

        self.at = form.span
        self.mention(form.value.items[0], macro)
        result, size = transcribe(macro.name, macro.rules, macro.env, form, same)
        self.steps += 1
        self.size += size
        self.depth += 1
        if self.steps > MAX_STEPS or self.size > MAX_SIZE or self.depth > MAX_DEPTH:
            raise CogenError(
                f"the expansion of the macro `{macro.name}` does not end",
                form.span,
                "does a rule expand to a use of the macro with arguments that never shrink?",
                [Note("its rules are here", macro.rules.span)],
            )
        return result


_OF_QUOTIENTS: Final = {
    "inexact": "%inexact-quotient",
    "exact->inexact": "%inexact-quotient",
    "floor": "%floor-quotient",
    "ceiling": "%ceiling-quotient",
    "truncate": "%truncate-quotient",
    "round": "%round-quotient",
}
"""What means operations on `(/ a b)`, which may be a fraction: there are none between."""


def _is_quotient(e: Expr) -> TypeGuard[core.CallForm]:
    """Whether an expression is the quotient of two numbers."""
    if not isinstance(e, core.CallForm) or not isinstance(e.function, core.PrimRef):
        return False
    return e.function.name == "/" and len(e.arguments) == 2


def _is_like_a_keyword(name: str) -> bool:
    """Whether operands of what a name should mean may be anything, not expressions."""
    return name in FOREIGN_KEYWORDS or name.startswith(("define", "let", "with-", "%"))


def _plain(value: Datum) -> Datum:
    return root(value) if isinstance(value, Alias) else value


# Small pieces of core


def unspecified(span: Span) -> Expr:
    return core.ConstForm(UNSPECIFIED, span)


def sequence(expressions: Sequence[Expr], span: Span) -> Expr:
    """At least one expression, in order."""
    return expressions[0] if len(expressions) == 1 else core.SequenceForm(tuple(expressions), span)
