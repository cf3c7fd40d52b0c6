"""Names, types and arities: what is accepted, and where and how mistakes are reported."""

from __future__ import annotations

import pytest

import cogen
from cogen.array import loads

pytestmark = pytest.mark.quick

FUNCTIONS = """
fun int add(int a, int b) = a + b
fun real half(real x) = x / 2.0
fun int first([int] a) = a[0]
fun bool small(int n, int x) = x < n
fun int abs(int x) = x
"""

ACCEPTED = [
    "{[int], [int], [int]} main([int] a, [int] b) ="
    " {map(op +, zip(a, b)), map(add, zip(a, b)), map(add(1), a)}",
    "[real] main([int] a) = map(toReal, a)",
    "[int] main([int] a) = map(abs, a)",
    "[int] main([int] a) = filter(small(3), a)",
    "[int] main([[int]] a) = map(fn int ([int] r) => reduce(op +, 0, r), a)",
    "{int, int} main([{int, int}] a) ="
    " reduce(fn {int, int} ({int, int} x, {int, int} y) => x, {0, 0}, a)",
    "[int] main([{{int, int}}] a) = map(fn int ({int, int} p) => let {x, y} = p in x + y, a)",
    "[int] main([{int}] a) = map(fn int (int x) => x, a)",
    "[int] main([{}] a) = map(one, a)",
    "[{int, int}] main([{int, int}] a) = map(trace, a)",
    "[int] main([[{int, int}]] a) = map(total, a)",
    "[int] main([int] a, int n) = map(fn int (int n) => n, map(op -(n), a))",
    "[real] main([real] a) = map(op ~, map(op pow(2.0), a))",
    "[bool] main([bool] a) = map(op not, a)",
    "[[int]] main() = [iota(1), iota(2)]",
    "*[int] main(*[int] a) = a",
    "[[char]] main() = [\"ab\", \"cd\", ['e', 'f']]",
    "[{real, [int]}] main() = [{1.0, [1]}, {2.0, [2]}]",
    "real main([[[{int, real}]]] a) = let {_, x} = a[0, 1, 2] in x",
    "[[real]] main([[[{int, real}]]] a) = map(fn [real] ([[{int, real}]] r) => map(half, "
    "let {_, x} = unzip(r[0]) in x), a)",
    "[[[int]]] main([[[int]]] a) = transpose(2, -2, rearrange((1, 2, 0), a))",
    "[int] main([[[{int, bool}]]] a) = map(fn int (int x, bool y) => x, reshape((size(2, a)), a))",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    extra = "\nfun int one() = 1\nfun int total([{int, int}] a) = size(a)"
    assert "main" in loads(FUNCTIONS + "fun " + text + extra).entries


REJECTED = [
    ("int main() = §x", "there is no variable `x` here"),
    ("int main(int value) = §valeu", "there is no variable `valeu` here"),
    ("int main() = §add", "there is no variable `add` here"),
    ("int main() = §nothing(1)", "there is no function `nothing`"),
    ("int main() = §1 + 2.0", "`+` takes int and int or real and real, not int and real"),
    (
        "bool main() = §True = False",
        "`=` takes int and int or real and real or char and char, not bool and bool",
    ),
    ("bool main() = §1 && 2", "`&&` takes bool and bool, not int and int"),
    ("real main() = §1.0 << 2.0", "`<<` takes int and int, not real and real"),
    ("bool main() = §not 1", "`not` takes bool, not int"),
    (
        "bool main() = §1 < 2 < 3",
        "`<` takes int and int or real and real or char and char, not bool and int",
    ),
    ("char main() = §-'a'", "`-` takes int or real, not char"),
    ("int main() = §1.0", "the body of `main` must be int, but is real"),
    ("int main() = let x = 1 in\n §{x}", "the body of `main` must be int, but is {int}"),
    ("int main() = if §1 then 2 else 3", "the condition must be bool, but is int"),
    ("int main() = if True then 2 else §3.0", "both branches have one type, but this one is real"),
    ("int main() = §add(1)", "`add` takes 2 arguments, but 1 is given"),
    ("int main() = §add(1, 2, 3)", "`add` takes 2 arguments, but 3 are given"),
    ("int main() = add(1, §2.0)", "the argument `b` of `add` must be int, but is real"),
    ("int main() = §toReal(1, 2)", "`toReal` takes 1 argument, but 2 are given"),
    ("real main() = sqrt(§2)", "the argument of `sqrt` must be real, but is int"),
    ("int main(int a) = §a[0]", "only arrays are indexed, but `a` is int"),
    ("int main([int] a) = §a[0, 1]", "`a` is [int] and takes at most 1 index, but 2 are given"),
    ("int main([int] a) = a[§0.5]", "an index must be int, but is real"),
    (
        "int main({int, int} a) = let §{x, y, z} = a in x",
        "a pattern of 3 parts does not match {int, int}",
    ),
    ("int main(int a) = let §{x} = a in x", "a pattern of 1 part does not match int"),
    ("int main({int, int} a) = let {x, §x} = a in x", "`x` is bound twice here"),
    ("int main(int a, int §a) = a", "`a` is bound twice here"),
    ("[int] main() = [1, §2.0]", "the elements of an array have one type, but this one is real"),
    (
        "[[int]] main() = [[1, 2], §[3]]",
        "the array is not regular: this element has a row of 1, the first one a row of 2",
    ),
    (
        "[{int, [int]}] main() = [{1, [1]}, §{2, [1, 2]}]",
        "the array is not regular: this element has a row of 2, the first one a row of 1",
    ),
    (
        '[[char]] main() = ["ab", §"c"]',
        "the array is not regular: this element has a row of 1, the first one a row of 2",
    ),
    (
        "[[int]] main() = [[1], §empty(int)]",
        "the array is not regular: this element has a row of 0, the first one a row of 1",
    ),
    ("int main([int] a) = §size(1, a)", "[int] has no dimension 1: they count from 0"),
    ("int main(int a) = size(§a)", "the operand of `size` must be an array, but is int"),
    (
        "[int] main([int] a) = §transpose(a)",
        "a (0, 1)-transposition needs dimensions 0 and 1, but the array is [int]",
    ),
    (
        "[[int]] main([[int]] a) = §rearrange((0, 0), a)",
        "the dimensions of [[int]] are the numbers below 2: give each of them once",
    ),
    ("[{int, int}] main([int] a) = zip(a, §1)", "operand 2 of `zip` must be an array, but is int"),
    (
        "int main([int] a) = unzip(§a)",
        "the operand of `unzip` must be an array of tuples, but is [int]",
    ),
    ("[int] main(real n) = iota(§n)", "operand 1 of `iota` must be int, but is real"),
    (
        "[int] main([int] a) = concat(a, §[1.0])",
        "operand 2 of `concat` must be [int], but is [real]",
    ),
    ("cert main() = assert(§1)", "operand 1 of `assert` must be bool, but is int"),
    ("cert main(cert c) = conjoin(c, §True)", "operand 2 of `conjoin` must be cert, but is bool"),
    ("int main(bool c) = <§c>1", "a certificate must be cert, but `c` is bool"),
    ("int main([int] a) = let a[0] = §1.0 in 2", "the new value must be int, but is real"),
    ("int main(*[[int]] a) = let a[0] = §1 in 2", "the new value must be [int], but is int"),
    (
        "int main() = loop (x = 1) = for i < §2.0 do x in x",
        "the bound of a loop must be int, but is real",
    ),
    (
        "int main() = loop (x = 1) = for i < 2 do §1.0 in x",
        "the loop's variables are int, but its body gives real",
    ),
    ("int main() = loop (x = 1) = for i < 2 do i in §i", "there is no variable `i` here"),
    (
        "[int] main([int] a) = map(§add, a)",
        "`map` passes 1 argument (int) to a function that takes 2 arguments (int, int)",
    ),
    (
        "[int] main([int] a) = map(§half, a)",
        "`map` passes 1 argument (int) to a function that takes 1 argument (real)",
    ),
    (
        "[int] main([int] a) = map(§op +, a)",
        "`map` passes 1 argument (int) to a function that takes 2 arguments",
    ),
    ("[int] main([int] a) = map(§op +(1, 2, 3), a)", "`op +` takes 2 operands, but 3 are given"),
    (
        "[int] main([int] a) = map(§op +(1.0), a)",
        "`+` takes int and int or real and real, not real and int",
    ),
    ("[int] main([int] a) = map(§op not, a)", "`not` takes bool, not int"),
    (
        "[int] main([int] a) = map(§add(1, 2, 3), a)",
        "`add` takes 2 arguments, but 3 are given already",
    ),
    (
        "[int] main([int] a) = map(add(§1.0), a)",
        "the argument `a` of `add` must be int, but is real",
    ),
    ("[int] main([int] a) = map(§nothing, a)", "there is no function `nothing`"),
    (
        "[int] main([int] a) = map(fn real (int x) => §x, a)",
        "the body of the function must be real, but is int",
    ),
    ("[int] main(int a) = map(op +(1), §a)", "the array of `map` must be an array, but is int"),
    (
        "[int] main([int] a) = filter(§op +(1), a)",
        "the function of `filter` must give bool, but gives int",
    ),
    (
        "int main([int] a) = reduce(§op <, 0, a)",
        "the function of `reduce` must give int, but gives bool",
    ),
    (
        "int main([int] a) = reduce(op +, §0.0, a)",
        "the initial value of `reduce` must be like the elements of the array, int, but is real",
    ),
    ("{int} main([int] a) = reduceT(§op +, {0}, a)", "`reduceT` takes only anonymous functions"),
    (
        "{int} main([int] a) = reduceT(fn int (int x, int y) => x, §0, a)",
        "the initial value of `reduceT` must be a tuple, but is int",
    ),
    (
        "{[int]} main([int] a) = mapT(§fn int (int x) => x, a)",
        "the function of `mapT` must give a tuple, but gives int",
    ),
    (
        "{[int]} main([int] a) = mapT(§fn {int} (int x, int y) => {x}, a)",
        "`mapT` passes 1 argument (int) to a function that takes 2 arguments (int, int)",
    ),
    (
        "{[int]} main([int] a) = filterT(§fn {bool} (int x) => {True}, a)",
        "the function of `filterT` must give bool, but gives {bool}",
    ),
]
"""A program, § before the place of its mistake, and what is said of it."""


@pytest.mark.parametrize(("marked", "message"), REJECTED, ids=[text for text, _ in REJECTED])
def test_rejected(marked: str, message: str) -> None:
    before = f"{FUNCTIONS}fun {marked.partition('§')[0]}"
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with pytest.raises(cogen.CogenError) as caught:
        loads(f"{FUNCTIONS}fun {marked.replace('§', '')}", "p.l0")
    error = caught.value
    assert error.message == message
    assert error.render().startswith(f"p.l0:{line}:{column}: error: {message}\n {line} | ")


def test_a_function_is_defined_once() -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads("fun int f() = 1\nfun int f(int x) = 2")
    error = caught.value
    assert error.message == "the function `f` is defined twice"
    assert [str(error.span), *[str(note.span) for note in error.notes]] == [
        "<string>:2:9",
        "<string>:1:9",
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("fun int main(int value) = valeu", "did you mean `value`?"),
        ("fun int main() = tooReal(1)", "did you mean `toReal`?"),
        ("fun int f() = 1\nfun [int] main([int] f) = map(f, g)", None),
        ("fun real main(int x) = x * 2.0", "an int becomes a real with toReal, a real an int "
         "with trunc"),
        ("fun int main() = sqrt", "`sqrt` is a function: functions are called, or given to "
         "map, ..."),
    ],
)  # fmt: skip
def test_hints(text: str, hint: str | None) -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads(text)
    assert caught.value.hint == hint


def test_own_functions_hide_built_in_ones() -> None:
    program = loads("fun int abs(int x) = 7\nfun [int] main([int] a) = map(abs, a)")
    assert program.run([-1, 2]).tolist() == [7, 7]
    assert loads("fun int main(int x) = abs(x)").run(-3) == 3


def test_a_section_fixes_the_first_operand() -> None:
    program = loads("fun [int] main([int] a) = map(op -(10), a)")
    assert program.run([1, 2]).tolist() == [9, 8]
