"""The words of C that native programs are made of: types, registers, what the run time offers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CBinary,
    CBraces,
    CConstant,
    CDeclare,
    CDo,
    CField,
    CFunction,
    CIndex,
    CInvoke,
    CReturn,
    CVariable,
    Expr,
    Statement,
)
from cogen.backends.ctree.types import INT, VOID, CBasic, CCallable, CConst, CPointer, Type

WORD: Final = CBasic("word")
WORDS: Final = CPointer(WORD)
CODE: Final = CBasic("code")
RETURNED: Final = CCallable(VOID, (WORDS, WORDS, WORD))
"""What is returned to; the C type `returned`."""

RUNTIME: Final = CVariable("rt", CPointer(CBasic("runtime")))
STACK: Final = CVariable("sp", WORDS)
HEAP: Final = CVariable("hp", WORDS)
CLOSURE: Final = CVariable("self", WORD)
VALUE: Final = CVariable("value", WORD)

UNDEFINED, UNSPECIFIED, ABSENT, NIL = (
    CConstant(name, WORD) for name in ("UNDEFINED", "UNSPECIFIED", "ABSENT", "NIL")
)
TRUTH: Final = CConstant("TRUE", WORD)
FALSEHOOD: Final = CConstant("FALSE", WORD)


def macro(name: str, *arguments: Expr, gives: Type = WORD) -> CInvoke:
    """What a macro or a function of the run time gives."""
    return CInvoke(name, arguments, gives)


def use(name: str, *arguments: Expr) -> CDo:
    """A macro that is a statement."""
    return CDo(CInvoke(name, arguments, VOID))


def word_variable(name: str) -> CVariable:
    return CVariable(name, WORD)


def run_time(name: str, t: Type = WORDS) -> Expr:
    """What the instance holds."""
    return CField(RUNTIME, name, t)


def argument(index: int) -> Expr:
    """An argument that is in no register."""
    return CIndex(run_time("arguments"), small(index))


def on_stack(index: int) -> Expr:
    return CIndex(STACK, small(index))


def above(words: int) -> Expr:
    """The stack above a frame."""
    return CBinary("+", STACK, small(words)) if words else STACK


def called(function: str, *arguments: Expr) -> Expr:
    """What a function of the run time gives, which is called past the registers."""
    return CInvoke(f"CALL_{len(arguments)}", (CConstant(function, WORD), *arguments), WORD)


def plainly_called(function: str, *arguments: Expr) -> Expr:
    """The same as C calls functions: the caller keeps what it needs in registers that stay as they
    are, for which it has to make room, so that costs less if it is done always."""
    return CInvoke(function, (RUNTIME, *arguments), WORD)


def unlikely(test: Expr) -> Expr:
    return CInvoke("UNLIKELY", (test,), INT)


def truth_of(test: Expr) -> Expr:
    """A truth value of C as one of the language."""
    return CInvoke("BOOL", (test,), WORD)


def constant_closure(name: str) -> Expr:
    """The procedure whose closure is a table."""
    return CInvoke("CONSTANT_CLOSURE", (CVariable(name, CPointer(CConst(WORD))),), WORD)


def braces(*values: Expr) -> CBraces:
    return CBraces(tuple([("", value) for value in values]))


def registers(*names: str) -> tuple[CVariable, ...]:
    """The parameters of a C function of the program."""
    return (STACK, HEAP, *map(word_variable, names))


def returning(result: Expr) -> Statement:
    """Return to where the frame says."""
    return use("RETURN", result)


def instance() -> Statement:
    """Find the instance, which `RUNTIME` is from here on."""
    return CDeclare(RUNTIME.type, RUNTIME.name, CInvoke("runtime_of", (STACK,), RUNTIME.type))


def jump(code: str, arguments: Iterable[Expr]) -> Statement:
    """Go on with a C function."""
    return CReturn(CInvoke(code, tuple(arguments), VOID))


def procedure(name: str, parameters: tuple[CVariable, ...], *body: Statement) -> CFunction:
    """A C function of the program."""
    return CFunction(VOID, name, parameters, body, qualifiers="static")
