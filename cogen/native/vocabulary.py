"""The words of C that native programs are made of: types, registers, what the run time offers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    Binary,
    Braces,
    Constant,
    Declare,
    Do,
    Expr,
    Field,
    Function,
    Index,
    Invoke,
    Return,
    Statement,
    Variable,
)
from cogen.backends.ctree.types import INT, VOID, Basic, Callable, Const, Pointer, Type

WORD: Final = Basic("word")
WORDS: Final = Pointer(WORD)
CODE: Final = Basic("code")
RETURNED: Final = Callable(VOID, (WORDS, WORDS, WORD))
"""What is returned to; the C type `returned`."""

RUNTIME: Final = Variable("rt", Pointer(Basic("runtime")))
STACK: Final = Variable("sp", WORDS)
HEAP: Final = Variable("hp", WORDS)
CLOSURE: Final = Variable("self", WORD)
VALUE: Final = Variable("value", WORD)

UNDEFINED, UNSPECIFIED, ABSENT, NIL = (
    Constant(name, WORD) for name in ("UNDEFINED", "UNSPECIFIED", "ABSENT", "NIL")
)
TRUTH: Final = Constant("TRUE", WORD)
FALSEHOOD: Final = Constant("FALSE", WORD)


def macro(name: str, *arguments: Expr, gives: Type = WORD) -> Invoke:
    """What a macro or a function of the run time gives."""
    return Invoke(name, arguments, gives)


def use(name: str, *arguments: Expr) -> Do:
    """A macro that is a statement."""
    return Do(Invoke(name, arguments, VOID))


def word_variable(name: str) -> Variable:
    return Variable(name, WORD)


def run_time(name: str, t: Type = WORDS) -> Expr:
    """What the instance holds."""
    return Field(RUNTIME, name, t)


def argument(index: int) -> Expr:
    """An argument that is in no register."""
    return Index(run_time("arguments"), small(index))


def on_stack(index: int) -> Expr:
    return Index(STACK, small(index))


def above(words: int) -> Expr:
    """The stack above a frame."""
    return Binary("+", STACK, small(words)) if words else STACK


def called(function: str, *arguments: Expr) -> Expr:
    """What a function of the run time gives, which is called past the registers."""
    return Invoke(f"CALL_{len(arguments)}", (Constant(function, WORD), *arguments), WORD)


def unlikely(test: Expr) -> Expr:
    return Invoke("UNLIKELY", (test,), INT)


def truth_of(test: Expr) -> Expr:
    """A truth value of C as one of the language."""
    return Invoke("BOOL", (test,), WORD)


def constant_closure(name: str) -> Expr:
    """The procedure whose closure is a table."""
    return Invoke("CONSTANT_CLOSURE", (Variable(name, Pointer(Const(WORD))),), WORD)


def braces(*values: Expr) -> Braces:
    return Braces(tuple([("", value) for value in values]))


def registers(*names: str) -> tuple[Variable, ...]:
    """The parameters of a C function of the program."""
    return (STACK, HEAP, *map(word_variable, names))


def returning(result: Expr) -> Statement:
    """Return to where the frame says."""
    return use("RETURN", result)


def instance() -> Statement:
    """Find the instance, which `RUNTIME` is from here on."""
    return Declare(RUNTIME.type, RUNTIME.name, Invoke("runtime_of", (STACK,), RUNTIME.type))


def jump(code: str, arguments: Iterable[Expr]) -> Statement:
    """Go on with a C function."""
    return Return(Invoke(code, tuple(arguments), VOID))


def procedure(name: str, parameters: tuple[Variable, ...], *body: Statement) -> Function:
    """A C function of the program."""
    return Function(VOID, name, parameters, body, qualifiers="static")
