"""The syntax tree of L0, as the parser builds it from the text.

    program  ::= declaration ... function ...
    declaration ::= record x {t x, ...} | union x = x {t x, ...} | ...
    law ::= law f(l, ...) = e                              l ::= x | k | f(l, ...)
    function ::= fun t f(t x, ...) = e
    e ::= k | "text" | x | {e, ...} | [e, ...]             constants, variables, tuples, arrays
        | e + e | -e | not e | ~e                          operators, see `BINARY`
        | if e then e else e
        | f(e, ...)
        | a[e, ...] | a[<c, ...>|e, ...]                   only variables are indexed
        | let p = e in e
        | let b = a with [e, ...] <- e in e                `let a[i] = v in e` has b = a
        | loop (p = e) = for i < e do e in e
        | zip unzip iota replicate split concat copy assert conjoin (e, ...)       `Form`
        | size(k, e) | reshape((e, ...), e) | transpose(k, n, e) | rearrange((k, ...), e)
        | empty(t)
        | map reduce scan filter redomap (F, ..., e, ...)  and the same with T     `SoacExpression`
        | bucketReduce groupBy scatter ... (F, e, ...)      `ExtensionExpression`
        | <c, ...>e                                        under certificates
        | e.x | e.x[e, ...] | x{x = e, ...} | {e with x = e, ...}                  records, unions
        | case e of {x(p, ...) => e, ...}
    F ::= fn t (t x, ...) => e | f | f(e, ...) | op + | op + (e)
    p ::= x | _ | {p, ...}

Records and unions are tuples to all that follows the check (`cogen.array.l0.plain`): their nodes,
the last two lines of e, are gone then.

Every node has its span, and is compared by identity, so that what later passes know of a node
is kept beside the tree (`cogen.array.l0.check.Facts`). A `Name` is one occurrence of a name.
"""

from __future__ import annotations

from typing import Final

from cogen.array.l0.types import Declared, Type
from cogen.lang.errors import Source, Span
from cogen.lang.node import node

BINARY: Final = (
    ("||",), ("&&",), ("&", "^", "|"), ("=", "<", "<="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"), ("pow", "atan2"),
)  # fmt: skip
"""The binary operators, loosest first; all of them associate to the left."""

UNARY: Final = ("-", "not", "~")
"""The prefix operators; `-` binds like the binary one, the others tightest."""


@node
class TreeNode:
    """A piece of the program's text."""

    span: Span


@node
class Name(TreeNode):
    """One occurrence of a name, where it is bound or where it is used."""

    text: str


@node
class Wildcard(TreeNode):
    """The pattern `_`."""


@node
class TuplePattern(TreeNode):
    """The pattern `{p, ...}`."""

    parts: tuple[Pattern, ...]


Pattern = Name | Wildcard | TuplePattern


@node
class LiteralExpression(TreeNode):
    """A constant of a basic type; `True` is the value of `Checked`, a text that of a char."""

    value: int | float | bool | str
    type: Type


@node
class StringLiteral(TreeNode):
    """A string: an array of chars."""

    value: str


@node
class VariableExpression(TreeNode):
    name: Name


@node
class Tuple(TreeNode):
    parts: tuple[Expression, ...]


@node
class ArrayExpression(TreeNode):
    """An array literal; it has elements."""

    elements: tuple[Expression, ...]


@node
class BinaryExpression(TreeNode):
    operator: str
    left: Expression
    right: Expression


@node
class UnaryExpression(TreeNode):
    operator: str
    operand: Expression


@node
class IfExpression(TreeNode):
    condition: Expression
    then: Expression
    otherwise: Expression


@node
class CallExpression(TreeNode):
    function: Name
    arguments: tuple[Expression, ...]


@node
class IndexExpression(TreeNode):
    """`a[i, ...]`; with certificates, the indices have been checked."""

    array: Name
    certificates: tuple[Name, ...]
    indices: tuple[Expression, ...]


@node
class LetExpression(TreeNode):
    pattern: Pattern
    value: Expression
    body: Expression


@node
class LetWith(TreeNode):
    """`let target = source with [indices] <- value in body`: an update in place."""

    target: Name
    source: Name
    certificates: tuple[Name, ...]
    indices: tuple[Expression, ...]
    value: Expression
    body: Expression


@node
class LoopExpression(TreeNode):
    """`loop (pattern = initial) = for index < bound do body in result`."""

    pattern: Pattern
    initial: Expression
    index: Name
    bound: Expression
    body: Expression
    result: Expression


@node
class Form(TreeNode):
    """A built-in form of expressions: zip, unzip, iota, replicate, split, concat, copy, ..."""

    name: str
    operands: tuple[Expression, ...]


@node
class SizeExpression(TreeNode):
    dimension: int
    array: Expression


@node
class ReshapeExpression(TreeNode):
    shape: tuple[Expression, ...]
    array: Expression


@node
class Transpose(TreeNode):
    """Dimension k moves to position k+n."""

    dimension: int
    distance: int
    array: Expression


@node
class RearrangeExpression(TreeNode):
    """Dimension i of the result is dimension `order[i]` of the array."""

    order: tuple[int, ...]
    array: Expression


@node
class Empty(TreeNode):
    """The empty array with elements of a type."""

    element: Type


@node
class Predicated(TreeNode):
    """An expression that depends on what certificates have checked."""

    certificates: tuple[Name, ...]
    body: Expression


@node
class Parameter:
    """`stored` is the type as it is declared, where something in it is packed, or has names."""

    name: Name
    type: Type
    stored: Type | None = None

    @property
    def declared(self) -> Type:
        return self.stored or self.type


@node
class LambdaExpression(TreeNode):
    """An anonymous function; only combinators take one."""

    result: Type
    parameters: tuple[Parameter, ...]
    body: Expression


@node
class Named(TreeNode):
    """A function's name, with its leading arguments where it is curried."""

    name: Name
    arguments: tuple[Expression, ...]


@node
class Section(TreeNode):
    """An operator as a function, perhaps with its first operand."""

    operator: str
    arguments: tuple[Expression, ...]


Function = LambdaExpression | Named | Section


@node
class SoacExpression(TreeNode):
    """A second-order array combinator.

    `kind` is map, reduce, scan, filter or redomap; redomap has two functions. `initial` is there
    for reduce, scan and redomap. A tupleless one takes any number of arrays and passes tuples
    part by part.
    """

    kind: str
    tupleless: bool
    functions: tuple[Function, ...]
    initial: Expression | None
    arrays: tuple[Expression, ...]

    @property
    def name(self) -> str:
        """The word in the program."""
        return self.kind + ("T" if self.tupleless else "")


@node
class ExtensionExpression(TreeNode):
    """An operation that the thesis' L0 does not have; see `cogen.array.l0.extensions`."""

    name: str
    functions: tuple[Function, ...]
    """One or none."""
    operands: tuple[Expression, ...]

    @property
    def tupleless(self) -> bool:
        """Functions are applied as those of combinators on arrays of tuples."""
        return False


@node
class Field(TreeNode):
    """`e.x`: a field of a record, one that all cases of a union have, or the array of the fields of
    an array's elements; with indices an element of it."""

    whole: Expression
    name: Name
    indices: tuple[Expression, ...] = ()


@node
class Given:
    """`x = e`: what a field is."""

    name: Name
    value: Expression


@node
class Made(TreeNode):
    """`x{x = e, ...}`: a record, or a case of a union."""

    name: Name
    fields: tuple[Given, ...]


@node
class Changed(TreeNode):
    """`{e with x = e, ...}`: a record with other fields."""

    whole: Expression
    fields: tuple[Given, ...]


@node
class Arm(TreeNode):
    """`x(p, ...) => e` of a `case`; `_` has no name.

    `names` are the fields that patterns are for; None: all, in their order, or none if there are no
    patterns.
    """

    name: Name | None
    names: tuple[Name, ...] | None
    patterns: tuple[Pattern, ...] | None
    body: Expression


@node
class CaseExpression(TreeNode):
    """`case e of {arm, ...}`."""

    value: Expression
    arms: tuple[Arm, ...]


Expression = (
    LiteralExpression | StringLiteral | VariableExpression | Tuple | ArrayExpression
    | BinaryExpression | UnaryExpression | IfExpression | CallExpression | IndexExpression
    | LetExpression | LetWith | LoopExpression | Form | SizeExpression | ReshapeExpression
    | Transpose | RearrangeExpression | Empty | Predicated | SoacExpression | ExtensionExpression
    | Field | Made | Changed | CaseExpression
)  # fmt: skip


@node
class FunctionDefinition(TreeNode):
    """`stored` is the result's type as it is declared, where something in it is packed, or has
    names; what the body gives fits there (`cogen.array.l0.storing`)."""

    name: Name
    result: Type
    parameters: tuple[Parameter, ...]
    body: Expression
    stored: Type | None = None

    @property
    def declared(self) -> Type:
        return self.stored or self.result


@node
class Declaration(TreeNode):
    """A record or a union; `name` is where it is declared."""

    name: Name
    type: Declared


@node
class Law(TreeNode):
    """`law f(l, ...) = e`: what a call of a function is, where its arguments are like that; the
    variables of `pattern` stand for any values."""

    pattern: CallExpression
    body: Expression


@node
class L0Program:
    source: Source
    functions: tuple[FunctionDefinition, ...]
    declarations: tuple[Declaration, ...] = ()
    laws: tuple[Law, ...] = ()


def last(e: Expression) -> Expression:
    """The innermost expression whose value is that of the whole."""
    while True:
        match e:
            case LetExpression() | LetWith() | Predicated():
                e = e.body
            case LoopExpression():
                e = e.result
            case _:
                return e
