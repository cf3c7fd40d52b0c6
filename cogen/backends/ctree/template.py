"""Templates of C -> trees: what tables write of operations in C (`lang.primtable`,
`cogen.array.ir.operations`).

    template ::= an expression of C in which `{0}`, `{1}` stand for operands

Infix and prefix operators, `a ? b : c`, conversions `(type)x` of one word, calls, parentheses.
What a function gives says `cogen.backends.ctree.library`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from cogen.backends.ctree import tree as ct
from cogen.backends.ctree.library import result_of
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.types import INT, CBasic
from cogen.lang.errors import InternalError

Filled = Callable[[Sequence[ct.Expr]], ct.Expr]

_TOKEN: Final = re.compile(
    r"\s*(\{\d\}|[A-Za-z_]\w*|\d[\w.]*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^!~(),?:])"
)


@lru_cache(maxsize=1024)
def template(text: str) -> Filled:
    """What a template makes of operands."""
    parser = _TemplateParser(_tokens(text), text)
    found = parser.expression(0)
    if parser.at < len(parser.tokens):
        raise InternalError(f"no template: {text}")
    return found


def functions(text: str) -> list[str]:
    """The functions that a template calls."""
    tokens = _tokens(text)
    return [a for a, b in pairwise(tokens) if b == "(" and a.isidentifier()]


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise InternalError(f"no template: {text}")
        found.append(match[1])
        at = match.end()
    return found


class _TemplateParser:
    """By the precedence of operators."""

    def __init__(self, tokens: Sequence[str], text: str) -> None:
        self.tokens = tokens
        self.text = text
        self.at = 0

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def sees(self, token: str, ahead: int = 0) -> bool:
        at = self.at + ahead
        return at < len(self.tokens) and self.tokens[at] == token

    def expression(self, least: int) -> Filled:
        left = self.prefix()
        while self.at < len(self.tokens):
            level = ct.PRECEDENCE.get(self.tokens[self.at], 0)
            if level <= least:
                break
            sign = self.next()
            left = _binary(sign, left, self.expression(level))
        if least < ct.CONDITIONAL and self.sees("?"):
            left = self.choice(left)
        return left

    def choice(self, test: Filled) -> Filled:
        """What follows a test: `? a : b`."""
        self.next()
        then = self.expression(0)
        self.next()
        otherwise = self.expression(0)
        return lambda operands: ct.CChoose(test(operands), then(operands), otherwise(operands))

    def prefix(self) -> Filled:
        token = self.next()
        if token in ("-", "!", "~"):
            return _unary(token, self.prefix())
        if token == "(":
            if self.tokens[self.at].isidentifier() and self.sees(")", 1):
                kind = self.next()
                self.next()
                return _cast(kind, self.prefix())
            inner = self.expression(0)
            self.next()
            return inner
        if token.startswith("{"):
            place = int(token[1:-1])
            return lambda operands: operands[place]
        if self.sees("(") and token.isidentifier():
            return self.call(token)
        leaf = small(int(token)) if token.isdecimal() else ct.CConstant(token, INT)
        return lambda operands: leaf

    def call(self, function: str) -> Filled:
        arguments = []
        self.next()
        while not self.sees(")"):
            arguments.append(self.expression(0))
            if self.sees(","):
                self.next()
        self.next()

        def invoke(operands: Sequence[ct.Expr]) -> ct.Expr:
            given = tuple([a(operands) for a in arguments])
            return ct.CInvoke(function, given, result_of(function, given))

        return invoke


def _binary(sign: str, left: Filled, right: Filled) -> Filled:
    return lambda operands: ct.CBinary(sign, left(operands), right(operands))


def _unary(sign: str, inner: Filled) -> Filled:
    return lambda operands: ct.CUnary(sign, inner(operands))


def _cast(kind: str, inner: Filled) -> Filled:
    t = CBasic(kind)
    return lambda operands: ct.CCast(t, inner(operands))
