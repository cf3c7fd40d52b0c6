"""Syntax: precedence, forms of literals, and errors with their places."""

from __future__ import annotations

from pathlib import Path

import pytest

import cogen
from cogen.array import loads
from cogen.array.l0 import parse
from cogen.array.l0.grammar import RESERVED


def value(expression: str, t: str = "int") -> str:
    """What an expression gives."""
    return loads(f"fun {t} main() = {expression}").run_text("")


@pytest.mark.parametrize(
    ("expression", "t", "expected"),
    [
        ("1 + let x = 2 in x * 3", "int", "7"),
        ("2 * if True then 3 else 4 + 5", "int", "6"),
        ("2 * (if True then 3 else 4) + 5", "int", "11"),
        ("1 - 2 - 3", "int", "-4"),
        ("2 pow 3 pow 2", "int", "64"),
        ("-2 pow 2", "int", "-4"),
        ("-7 / 2", "int", "-3"),
        ("(-7) / 2", "int", "-4"),
        ("~7 / 2", "int", "-4"),
        ("-3 + 5", "int", "2"),
        ("2 - -3", "int", "5"),
        ("2 * -3 * 4", "int", "-24"),
        ("~3 pow 2", "int", "9"),
        ("1 + 2 << 3", "int", "24"),
        ("7 & 3 ^ 1 | 8", "int", "10"),
        ("not True && False", "bool", "False"),
        ("not (True && False)", "bool", "True"),
        ("False && True || True", "bool", "True"),
        ("True || True && False", "bool", "True"),
        ("1 < 2 && 2 <= 2 && 3 = 3", "bool", "True"),
        ("let x = 3 in x <-1", "bool", "False"),
        ("let a = copy([1, 2]) in let b = a with [0] <-5 in b", "[int]", "[5, 2]"),
        ("0x1F + 0o17", "int", "46"),
        ("-9223372036854775808", "int", "-9223372036854775808"),
        ("1.0e-9 * 2e9", "real", "2.000000"),
        ("{1, {}, {2.5}}", "{int, {}, {real}}", "{1, {}, {2.500000}}"),
        ("// a comment\n1 // another\n + 1", "int", "2"),
        ("loop (x = 1) = for i < 3 do x * 2 in x + 1", "int", "9"),
        ("let {a, _, {b}} = {1, 2, {3}} in a + b", "int", "4"),
        ("let x_1 = 1 in let X_1 = 2 in x_1 + X_1", "int", "3"),
        ("let letter = 1 in let inx = 2 in letter + inx", "int", "3"),
        ("'\\t'", "char", "'\\t'"),
        ("'\\''", "char", "'\\''"),
        ('"\\x41\\o102\\67\\&8\\SOH\\^A"', "[char]", '"ABC8\\1\\1"'),
    ],
)
def test_expression(expression: str, t: str, expected: str) -> None:
    assert value(expression, t) == expected


def test_functions_and_variables_have_separate_names() -> None:
    assert loads("fun int f(int f) = let g = f in g + g()\nfun int g() = 2").run(3, entry="f") == 5


def test_a_program_may_be_empty() -> None:
    assert loads("").entries == ()
    assert loads(" // nothing\n").entries == ()


@pytest.mark.parametrize("word", RESERVED)
def test_reserved_words_are_no_names(word: str) -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads(f"fun int main(int {word}) = 1")
    error = caught.value
    assert error.span is not None
    assert (error.span.line, error.span.column) == (1, 18)
    assert error.message == f"`{word}` is a reserved word: expected a name"


def test_longer_names_may_start_with_reserved_words() -> None:
    assert loads("fun int main(int mapping, int inner) = mapping - inner").run(5, 3) == 2


ERRORS = [
    ("fun int main() = (1 + 2", "1:18: this `(` is never closed", None),
    ("fun int main() = [1, {2, 3}", "1:18: this `[` is never closed", None),
    (
        "fun int main(", "1:13: this `(` is never closed", None,
    ),
    (
        "fun int main() =", "1:17: the program ends too early: expected an expression", None,
    ),
    (
        "fun int main() = (1]",
        "1:20: `]` cannot stand here: expected `)`",
        None,
    ),
    (
        "fun int main() = 1 2",
        "1:20: `2` cannot stand here: expected an operator, the end of the program or `fun`",
        None,
    ),
    (
        "fun int main() = 1 > 2",
        "1:20: `>` cannot stand here: expected an operator, the end of the program or `fun`",
        "there is no `>`: write `b < a` for `a > b`",
    ),
    (
        "fun int main() = 1 >= 2",
        "1:20: `>` cannot stand here: expected an operator, the end of the program or `fun`",
        "there is no `>=`: write `b <= a` for `a >= b`",
    ),
    (
        "fun int main() = 1 == 2",
        "1:21: `=` cannot stand here: expected an expression",
        "equality is written `=`",
    ),
    ("fun int main() = 1 != 2", "1:20: `!` has no meaning in L0", "write `not (a = b)`"),
    (
        "fun [int] main() = []",
        "1:21: `]` cannot stand here: expected an expression",
        "an empty array is written `empty(t)`, with t the type of its elements",
    ),
    (
        "fun (int, int) main() = {1, 2}",
        "1:5: `(` cannot stand here: expected a type or `packed`",
        "the type of tuples is written so: {int, real}",
    ),
    (
        "fun int main() = let (x, y) = {1, 2} in x",
        "1:22: `(` cannot stand here: expected `{`, `<`, a name or `_`",
        "the parts of a tuple get names so: let {x, y} = e in",
    ),
    (
        "fun {int, int} main() = (1, 2)",
        "1:27: `,` cannot stand here: expected `)`",
        "a tuple is written {a, b}",
    ),
    (
        "fun main() = 1",
        "1:5: `main` cannot stand here: expected a type or `packed`",
        None,
    ),
    (
        "fun int main() = map(1, [2])",
        "1:22: `1` cannot stand here: expected a function (a name, `fn` or `op`)",
        None,
    ),
    (
        "fun int main() = let x = 1 in\nlet y 2 in x",
        "2:7: `2` cannot stand here: expected `=` or `[`",
        None,
    ),
    ("fun int main() = 1.", "1:19: `.` has no meaning in L0", None),
    ("fun char main() = 'a", "1:19: this character is not closed on its line", None),
    ('fun [char] main() = "a\n"', "1:21: this string is not closed on its line", None),
    ("fun char main() = 'ab\\q'", "1:19: this character is not closed on its line", None),
    ("fun char main() = '\\q'", "1:20: this escape is not known", None),
    ("fun char main() = '\\65\\66'", "1:19: a character literal has one character", None),
    ("fun char main() = '\\1114112'", "1:20: there is no character with this number", None),
    (
        "fun int main() = 9223372036854775808",
        "1:18: this integer is not in the range of int",
        "int has 64 bits",
    ),
    (
        "fun int main() = 99999999999999999999999999",
        "1:18: this integer is not in the range of int",
        "int has 64 bits",
    ),
    (
        "fun [*[int]] main() = 1",
        "1:5: `*` stands only before the outermost `[` of an array type",
        None,
    ),
    ("fun *int main() = 1", "1:5: `*` stands only before an array type", None),
    ("fun int main() = iota()", "1:18: `iota` does not take 0 operands", None),
    ("fun int main() = concat(1, 2, 3)", "1:18: `concat` does not take 3 operands", None),
    ("fun int main() = size(1 + 1, 2)", "1:23: the dimension must be an integer literal", None),
    ("fun int main() = transpose(1, 2)", "1:18: `transpose` takes an array, or k, n and an array",
     None),
    ("fun int main() = map(op +)", "1:18: `map` takes a function, one array", None),
    (
        "fun int main() = reduce(op +, 0)",
        "1:18: `reduce` takes a function, an initial value and one array",
        None,
    ),
    (
        "fun int main() = redomapT(op +, op +, {0})",
        "1:18: `redomapT` takes two functions, an initial value and arrays",
        None,
    ),
    (
        "fun int main() = loop (_) = for i < 3 do 1 in 2",
        "1:24: a loop without an initial value names all its variables",
        None,
    ),
    (
        "fun int main() = let b = iota(3) with [0] <- 1 in b[0]",
        "1:26: only a variable can be updated",
        "bind it with let first",
    ),
    (
        "fun int main(*[int] a) = let {b} = a with [0] <- 1 in b[0]",
        "1:30: an updated array is bound to a name, not to a pattern",
        None,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected", "hint"), ERRORS, ids=[t for t, _, _ in ERRORS])
def test_syntax_error(text: str, expected: str, hint: str | None) -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads(text, "p.l0")
    error = caught.value
    assert error.span is not None
    assert f"{error.span.line}:{error.span.column}: {error.message}" == expected
    assert error.hint == hint
    assert error.render().startswith(f"p.l0:{expected.split(': ')[0]}: error: ")


def test_a_wrong_bracket_names_the_open_one() -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads("fun int main() = f((1)]")
    (note,) = caught.value.notes
    assert note.message == "this is still open"
    assert note.span is not None
    assert note.span.column == 19


def test_syntax_errors_show_the_line() -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads("fun int main() =\n  1 +\n  in 2", "p.l0")
    assert caught.value.render() == (
        "p.l0:3:3: error: `in` is a reserved word: expected an expression\n 3 |   in 2\n   |   ^^"
    )


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000 + "1" + ")" * 3000,
        "1" + " + 1" * 3000,
        "-" * 3000 + "1",
        "let x = 1 in " * 3000 + "x",
        "if True then 1 else " * 3000 + "2",
    ],
    ids=["parentheses", "sum", "minus", "let", "if"],
)
def test_deep_nesting(text: str) -> None:
    assert isinstance(loads(f"fun int main() = {text}").run(), int)


def test_deep_nesting_that_is_wrong() -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads("fun int main() = " + "(" * 10_000 + "1")
    assert caught.value.message == "this `(` is never closed"


def test_kept_tables_parse_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("COGEN_CACHE_DIR", str(tmp_path))
    text = "fun int main([int] a) = reduce(op +, 0, a)"
    trees = []
    for _ in range(2):
        parse._parser.cache_clear()
        trees.append(loads(text, "p.l0").text)
    assert len(list(tmp_path.glob("*.lark"))) == 1
    assert trees[0] == trees[1]
