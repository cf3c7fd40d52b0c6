"""`eval` and its environments: data that a program evaluates while it runs.

An environment is a session (`lang.session`) on the machine of the running program.  What is
evaluated becomes a procedure without parameters, which the program then calls: so handlers,
continuations and tail calls are those of the program; definitions are carried out before.  Native
programs have no `eval`: they are expanded before they run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.lang.datum import Datum, Pair, Symbol, from_iterable, symbol
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.governor import Exhausted
from cogen.lang.interp import Interpreter
from cogen.lang.primtable.checks import PrimitiveError, expected
from cogen.lang.printer import write_datum
from cogen.lang.reader import read
from cogen.lang.scope import GlobalBinding
from cogen.lang.session import Session
from cogen.lang.syntax import Syntax, SyntaxList
from cogen.lang.values import Environment, Procedure

NAME: Final = "<eval>"
"""What diagnostics call what is evaluated."""

_DEFINING: Final = frozenset(
    {"define", "define-values", "define-syntax", "define-record-type", "define-library", "import"}
)


class EvalAtRun:
    """What evaluates for a running program."""

    def __init__(self, host: Interpreter) -> None:
        self.host = host
        self.interaction: Environment | None = None

    def environment(self, sets: Sequence[Datum]) -> Environment:
        """`(environment set ...)`: what the import sets name, and the language."""
        made = Environment(Session(host=self.host))
        if sets:
            form = _form(Pair(symbol("import"), from_iterable(sets)), "environment")
            self._evaluate(made, [form], "environment")
        return made

    def interaction_environment(self) -> Environment:
        """What the program defines, and what `eval` defines there; or a conversation itself."""
        if isinstance(self.host.session, Session):
            return Environment(self.host.session)
        if self.interaction is None:
            session = Session(host=self.host)
            for name in sorted(self.host.program.own_globals):
                target = GlobalBinding(
                    name, session.unit, Span(session.source, 0, 0), definitions=1
                )
                session.unit.table[symbol(name)] = target
                session.expander.names[target] = name
            self.interaction = Environment(session)
        return self.interaction

    def procedure(self, datum: Datum, environment: Datum) -> Datum:
        """The procedure that does what the datum says.  PrimitiveError if it is no program."""
        if type(environment) is not Environment:
            raise expected("eval", "an environment", environment)
        *first, last = _sequence(_form(datum, "eval"))
        if _defines(last):
            none = Syntax(symbol("%unspecified"), last.span)
            first.append(last)
            last = Syntax(SyntaxList((none,)), last.span)
        return self._evaluate(environment, [*first, _thunk(last)], "eval")

    def _evaluate(self, environment: Environment, forms: Sequence[Syntax], name: str) -> Datum:
        """The value of the last form: of what the program is to do itself, nothing is done here."""
        runtime = self.host.runtime
        handlers = runtime.handlers
        try:
            session: Session = environment.session
            return session.evaluate(forms)
        except Exhausted:
            raise
        except CogenError as error:
            raise PrimitiveError("user", f"{name}: {error.message}") from None
        finally:
            runtime.handlers = handlers


def evaluate(host: Interpreter, operation: str, arguments: Sequence[Datum]) -> Datum:
    """What the primitives do that `eval` is made of."""
    found = host.evaluator
    if not isinstance(found, EvalAtRun):
        found = host.evaluator = EvalAtRun(host)
    if operation == "environment":
        return found.environment(arguments)
    if operation == "interaction-environment":
        return found.interaction_environment()
    procedure = found.procedure(*arguments)
    assert isinstance(procedure, Procedure)
    return procedure


def _form(datum: Datum, name: str) -> Syntax:
    """A datum as the text of a program."""
    try:
        (form,) = read(Source(NAME, write_datum(datum)))
    except CogenError as error:
        raise PrimitiveError("user", f"{name}: {error.message}") from None
    return form


def _sequence(form: Syntax) -> list[Syntax]:
    """The form, or those of a `begin` with definitions."""
    if not _defines(form) or form.value.items[0].value is not symbol("begin"):
        return [form]
    return [part for item in form.value.items[1:] for part in _sequence(item)]


def _thunk(form: Syntax) -> Syntax:
    """The form as the body of a procedure."""
    parts = [Syntax(symbol("lambda"), form.span), Syntax(SyntaxList(()), form.span), form]
    return Syntax(SyntaxList(tuple(parts)), form.span)


def _defines(form: Syntax) -> bool:
    value = form.value
    if not isinstance(value, SyntaxList) or not value.items:
        return False
    head = value.items[0].value
    if head is symbol("begin"):
        return value.tail is None and any(map(_defines, value.items[1:]))
    return isinstance(head, Symbol) and head.name in _DEFINING
