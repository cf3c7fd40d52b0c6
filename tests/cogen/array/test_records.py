"""Records and unions: the same in all targets as in Python, in and out of it, and told wrong."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times
from cogen.array import load, loads, of_scheme
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import If
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from tests.cogen.array.programs import PROGRAMS
from tests.cogen.array.targets import WAYS, Ways

UNIONS = load(PROGRAMS / "unions.l0")
RECORDS = load(PROGRAMS / "records.l0")


# Programs that are made up: a union, what makes a number of it, and what makes another of it.


@dataclass
class Case:
    name: str
    fields: list[tuple[str, str]]


KINDS = {
    "int": st.integers(-9, 9),
    "bool": st.booleans(),
    "pair": st.tuples(st.integers(0, 3), st.booleans()),
}


@st.composite
def unions(draw: st.DrawFn) -> list[Case]:
    names = ["a", "b", "c"]
    cases = []
    for k in range(draw(st.integers(1, 3))):
        chosen = draw(st.lists(st.sampled_from(names), unique=True))
        fields = [(draw(st.sampled_from(sorted(KINDS))), name) for name in chosen]
        cases.append(Case(f"k{k}", fields))
    return cases


def int_text(draw: Callable[..., Any], case: Case) -> tuple[str, Callable[[Any], int]]:
    """A number of the fields of a case, in L0 and in Python."""
    n = draw(st.integers(0, 5))
    if not case.fields:
        return str(n), lambda v: n
    t, name = draw(st.sampled_from(case.fields))
    if t == "int":
        return f"{name} * {n}", lambda v: getattr(v, name) * n
    if t == "bool":
        return f"if {name} then {n} else 7", lambda v: n if getattr(v, name) else 7
    return f"{name}.n + {n}", lambda v: getattr(v, name)[0] + n


def value_text(draw: Callable[..., Any], t: str, case: Case) -> tuple[str, Callable[[Any], Any]]:
    """A value of a type of the fields of a case."""
    same = [name for own, name in case.fields if own == t]
    if same and draw(st.booleans()):
        name = draw(st.sampled_from(same))
        return name, lambda v: getattr(v, name)
    if t == "bool":
        return "True", lambda v: True
    text, number = int_text(draw, case)
    if t == "int":
        return text, number
    return f"pair{{flag = False, n = {text}}}", lambda v: (number(v), False)


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, list[Any], Callable[[Any], Any]]:
    """A program, an array for it, and what it means."""
    cases = draw(unions())
    classes = {case.name: namedtuple(case.name, [f for _, f in case.fields]) for case in cases}  # type: ignore[misc]
    declared = " | ".join(
        f"{case.name} {{{', '.join(f'{t} {f}' for t, f in case.fields)}}}" for case in cases
    )
    scores, nexts, meanings, following = [], [], {}, {}
    for case in draw(st.permutations(cases)):
        names = [f for _, f in case.fields]
        head = draw(
            st.sampled_from(
                [f"{case.name}({', '.join(names)})", f"{case.name}{{{', '.join(names)}}}"]
            )
        )
        text, meaning = int_text(draw, case)
        scores.append(f"{head} => {text}")
        meanings[case.name] = meaning
        target = draw(st.sampled_from(cases))
        made = [(f, *value_text(draw, t, case)) for t, f in target.fields]
        if draw(st.booleans()):
            inside = ", ".join(f"{f} = {text}" for f, text, _ in reversed(made))
            nexts.append(f"{head} => {target.name}{{{inside}}}")
        else:
            nexts.append(f"{head} => {target.name}({', '.join(text for _, text, _ in made)})")
        following[case.name] = (classes[target.name], [f for _, _, f in made])
    text = (
        f"record pair {{int n, bool flag}}\nunion u = {declared}\n"
        f"fun int score(u v) = case v of {{{', '.join(scores)}}}\n"
        f"fun u next(u v) = case v of {{{', '.join(nexts)}}}\n"
        "fun {[u], [int], int, [u]} main([u] a, int k) =\n"
        "  let b = map(next, a) in\n"
        "  let c = filter(fn bool (u v) => score(v) < k, map(next, b)) in\n"
        "  {b, map(score, b), reduce(op +, 0, map(score, c)), c}\n"
    )

    def score(value: Any) -> int:
        return meanings[type(value).__name__](value)

    def next_(value: Any) -> Any:
        make, fields = following[type(value).__name__]
        return make(*[f(value) for f in fields])

    def main(values: list[Any], k: int) -> Any:
        b = [next_(v) for v in values]
        c = [v for v in map(next_, b) if score(v) < k]
        return b, [score(v) for v in b], sum(map(score, c)), c

    values = [
        classes[case.name](*[draw(KINDS[t]) for t, _ in case.fields])
        for case in draw(st.lists(st.sampled_from(cases), max_size=6))
    ]
    return text, values, lambda k: main(values, k)


def shown(table: Any, classes: Any) -> list[Any]:
    """The elements of a table as tuples of their case and its fields."""
    found = []
    for row in table:
        case = next(case for case in classes if case.name == row["case"])
        names = row.dtype.names
        own = [f if f in names else f"{case.name}.{f}" for f in case.fields]
        owners = [own_name if own_name in names else None for own_name in own]
        if None in owners:  # a field that has several types is under the first case that has it
            own = [_column(row, case, f, classes) for f in case.fields]
        found.append((case.name, *[_plain(row[f]) for f in own]))
    return found


def _column(row: Any, case: Any, field: str, classes: Any) -> str:
    if field in row.dtype.names:
        return field
    t = case.types[case.fields.index(field)]
    first = next(c for c in classes if field in c.fields and c.types[c.fields.index(field)] == t)
    return f"{first.name}.{field}"


def _plain(value: Any) -> Any:
    return tuple(value.item()) if isinstance(value, np.void) else value.item()


@settings(max_examples=max(3, settings().max_examples // 80))
@given(programs(), st.integers(-5, 12))
def test_programs_mean_what_they_say(
    made: tuple[str, list[Any], Callable[[Any], Any]], k: int
) -> None:
    text, values, meaning = made
    program = loads(text)
    assert loads(program.text).text == program.text
    expected = meaning(k)
    ways = Ways(program)
    t: Any = program.parameters("main")[0]
    for name in ("run", "c-2", "c-plain"):
        b, scores, total, c = (program.run if name == "run" else ways(name))(values, k)
        found = (shown(b, t.element.cases), scores.tolist(), total, shown(c, t.element.cases))
        tuples = [[(type(v).__name__, *v) for v in part] for part in (expected[0], expected[3])]
        assert found == (tuples[0], expected[1], expected[2], tuples[1]), name


@pytest.mark.one_in(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("program", "entry", "values"),
    [
        (UNIONS, "areas", "[circle{id = 1, at = {0.0, 0.0}, r = 2.0}, none{id = 3}]"),
        (RECORDS, "set", "[{1.0, 2.0}, {3.0, 4.0}] 1"),
    ],
)
def test_all_targets_give_the_same(program: Any, entry: str, values: str, way: str) -> None:
    assert Ways(program, entry)(way).run_text(values) == program.run_text(values, entry)


# What is left.


def test_no_conditional_asks_for_the_case_of_a_value_that_was_just_made() -> None:
    program = load(PROGRAMS / "fusion" / "unions.l0")
    body = program.graph("main").entry.body
    assert sum(isinstance(node, If) for node in all_nodes(body)) == 1


def test_an_array_of_records_is_its_columns() -> None:
    assert not [n for n in all_nodes(RECORDS.graph("below").entry.body) if n.blocks]


# In and out of Python.

POINTS = [(1.0, 2.0), (3.0, 4.0)]


class Table:
    """A table as Arrow's are: columns by name."""

    column_names = ("y", "x", "z")

    def __getitem__(self, name: str) -> object:
        return memoryview(np.array({"x": [1.0, 3.0], "y": [2.0, 4.0]}[name]))


@pytest.mark.parametrize(
    "value",
    [
        POINTS,
        [{"x": 1.0, "y": 2.0}, {"y": 4.0, "x": 3.0}],
        {"y": [2.0, 4.0], "x": np.array([1.0, 3.0])},
        np.array(POINTS, [("x", "f8"), ("y", "f8")]),
        np.array([(9, 2.0, 1.0), (9, 4.0, 3.0)], [("id", "i4"), ("y", "f4"), ("x", "f8")]),
        (np.array([1.0, 3.0]), np.array([2.0, 4.0])),
        Table(),
    ],
    ids=["tuples", "mappings", "columns", "structured", "others", "arrays", "table"],
)
def test_arrays_of_records_come_as_people_have_them(value: Any) -> None:
    for call in (partial(RECORDS.run, entry="moved"), RECORDS.compile(entry="moved")):
        found = call(1.0, value)
        assert found.dtype == np.dtype((np.record, [("x", "f8"), ("y", "f8")]))
        assert found.tolist() == [(2.0, 2.0), (4.0, 4.0)]
        assert found.x.tolist() == [2.0, 4.0]
        assert found[0].y == 2.0


def test_one_record_is_a_named_tuple() -> None:
    found = RECORDS.run(POINTS, entry="middle")
    assert found == (2.0, 3.0)
    assert (found.x, found.y, type(found).__name__) == (2.0, 3.0, "point")
    assert RECORDS.run([found], entry="middle") == found


def test_a_compiled_result_is_the_record_or_case_that_a_plain_run_gives() -> None:
    program = loads("""
        record point {int x, real y}
        record two {point a, point b}
        union shape = dot {int at} | box {int w, int h} | none
        fun point one(int n) = point(n, 0.5)
        fun two both(int n) = two(point(n, 1.5), point(2, 3.5))
        fun shape main(int n) = if n < 0 then none() else if n < 10 then dot(n) else box(n, 2 * n)
        """)
    for entry in ("one", "both", "main"):
        compiled = program.compile(entry=entry)
        for n in (-1, 5, 20):
            assert repr(compiled(n)) == repr(program.run(n, entry=entry))
    with pytest.raises(CogenError) as caught:
        loads("union u = a {int n} | none\nfun u main() = none")
    assert caught.value.hint == "a value of `none` is made by none()"


ARROW = """
    union shape = dot {int at} | box {int w, int h} | none
    fun [int] areas([shape] a) =
      map(fn int (shape s) => case s of {dot => 1, box(w, h) => w * h, none => 0}, a)
    fun [bool] turned([bool] a) = map(fn bool (bool x) => not x, a)
    fun [real] rows([[real]] a) = map(fn real ([real] x) => reduce(op +, 0.0, x), a)
    fun int letters([[char]] a) = size(1, a)
    """


def test_arrays_of_arrow_are_read() -> None:
    arrow = pytest.importorskip("pyarrow")
    program = loads(ARROW)
    codes = arrow.array([0, 1, 2, 1], arrow.int8())
    boxes = arrow.array([{"w": 0, "h": 0}, {"w": 2, "h": 5}, {"w": 0, "h": 0}, {"w": 3, "h": 4}])
    names = ["dot", "box", "none"]
    dots, nothing = arrow.array([7, 0, 0, 0]), arrow.nulls(4)
    sparse = arrow.UnionArray.from_sparse(codes, [dots, boxes, nothing], names)
    at = arrow.array([0, 1, 0, 3], arrow.int32())
    dense = arrow.UnionArray.from_dense(codes, at, [dots, boxes, nothing], names)
    for shapes in (sparse, dense):
        assert program.run(shapes, entry="areas").tolist() == [1, 10, 0, 12]
    bits = arrow.chunked_array([[True, False], [True]])
    assert program.run(bits, entry="turned").tolist() == [False, True, False]
    lists = arrow.FixedSizeListArray.from_arrays(arrow.array([1.0, 2.0, 3.0, 4.0]), 2)
    assert program.compile(entry="rows")(lists).tolist() == [3.0, 7.0]
    assert program.run(arrow.array(["abc", "def"]), entry="letters") == 3
    with pytest.raises(CogenError, match="`a` has elements that are null"):
        program.run(arrow.array([True, None]), entry="turned")
    other = arrow.UnionArray.from_sparse(codes, [dots, dots, nothing], names)
    with pytest.raises(CogenError, match="no structure for `box`, whose fields are w, h"):
        program.run(other, entry="areas")
    missing = arrow.UnionArray.from_sparse(
        codes, [dots, arrow.array([{"w": 1}] * 4), nothing], names
    )
    with pytest.raises(CogenError, match="`a` has no field `h`, which `box` has"):
        program.run(missing, entry="areas")


MADE_FOR_ARROW = {
    "record p {real x, int y, bool b, char c}\n"
    "fun [p] main([int] a) = map(fn p (int i) => p(toReal(i), i, i < 2, chr(i + 97)), a)": {
        "x": [0.0, 2.0], "y": [0, 2], "b": [True, False], "c": ["a", "c"],
    },
    "record i {int u, [int] w}\nrecord q {i v, [char] k}\n"
    'fun [q] main([int] a) = map(fn q (int n) => q(i(n, iota(2)), "ab"), a)': {
        "v": [{"u": 0, "w": [0, 1]}, {"u": 2, "w": [0, 1]}], "k": ["ab", "ab"],
    },
    "union s = circle {real r} | square {real side, int n} | nothing\n"
    "fun [s] main([int] a) = map(fn s (int i) => if i < 1 then circle(0.5) else nothing(), a)": {
        "case": ["circle", "nothing"], "r": [0.5, None], "side": [None, None], "n": [None, None],
    },
}  # fmt: skip
"""Programs that make records, and the columns of Arrow that these are."""


@pytest.mark.parametrize("text", MADE_FOR_ARROW)
def test_arrays_of_records_go_to_arrow_and_come_back(text: str) -> None:
    """What a union's value does not have is null there, and may be null."""
    pyarrow = pytest.importorskip("pyarrow")
    program = loads(text)
    kind = "s" if "case" in MADE_FOR_ARROW[text] else "q" if "record q" in text else "p"
    again = loads(text.partition("fun")[0] + f"fun [{kind}] main([{kind}] a) = a")
    for run in (program.run, program.compile()):
        made = run(np.array([0, 2]))
        table = pyarrow.table(made)
        assert table.to_pydict() == MADE_FOR_ARROW[text]
        assert pyarrow.table(made[1:]).to_pydict() == {
            k: v[1:] for k, v in MADE_FOR_ARROW[text].items()
        }
        assert pyarrow.table(made[:0]).num_rows == 0
        if kind != "q":  # of records within records Arrow has structures
            assert again.run(table).tolist() == made.tolist()
            assert again.run(table.to_struct_array()).tolist() == made.tolist()


def test_what_a_case_has_is_not_null() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    program = loads("union s = circle {real r} | nothing\nfun int main([s] a) = size(a)")
    columns = {"case": ["circle", "nothing"], "r": pyarrow.array([None, None], "float64")}
    with pytest.raises(CogenError, match="a column has elements that are null"):
        program.run(pyarrow.table(columns))


def test_strings_in_records_are_strings() -> None:
    program = loads("record word {[char] text, int n}\nfun [word] main([word] a) = copy(a)")
    found = program.run([{"text": "ab", "n": 1}, {"text": "cd", "n": 2}])
    assert found.dtype["text"] == np.dtype("<U2")
    assert found.tolist() == [("ab", 1), ("cd", 2)]
    assert program.compile()(found).tolist() == found.tolist()


def test_arrays_of_strings_of_one_length_are_rows_of_characters() -> None:
    program = loads("fun [char] main([[char]] a) = map(fn char ([char] w) => w[1], a)")
    for words in (np.array(["ab", "cd"]), np.array([b"ab", b"cd"]), ["ab", "cd"]):
        assert program.run(words) == "bd"
    with pytest.raises(cogen.CogenError, match="strings of 1 and of 2 characters"):
        program.run(np.array(["a", "cd"]))


def test_values_of_unions() -> None:
    given = [{"case": "none", "id": 3}, {"case": "circle", "id": 1, "at": (0.0, 0.0), "r": 2.0}]
    found, kinds = UNIONS.run(given, entry="kinds")
    assert found["case"].tolist() == ["square", "circle"]
    assert found.id.tolist() == [4, -1]
    assert found.side.tolist() == [1.0, 0.0]
    assert kinds.tolist() == [1, 0]
    again, _ = UNIONS.run(found, entry="kinds")
    assert again["case"].tolist() == ["circle", "circle"]
    one = UNIONS.run({"case": "none", "id": 3}, entry="next")
    assert (type(one).__name__, one.id, one.side) == ("square", 4, 1.0)
    assert type(UNIONS.run(one, entry="next")).__name__ == "circle"
    few = {"case": ["none", "none"], "id": [1, 2]}
    assert UNIONS.run(few, entry="areas").tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ("areas", [{"case": "cube"}], "an element of `a` must be shape, not dict"),
        ("areas", [{"case": "none"}], "an element of `a` has no field `id`, which `none` has"),
        ("areas", {"id": [1]}, "`a` has no column 'case'"),
        ("areas", {"case": ["cube"]}, "`a`: `shape` has no case 'cube'"),
        ("areas", {"case": [3]}, "`a`: `shape` has no case '3'"),
        (
            "areas",
            {"case": ["none"], "id": [1, 2]},
            "`a`: the arrays have different sizes: 1 and 2",
        ),
        ("next", 5, "`s` must be shape, not int"),
        ("next", (0, 1), "`s` must be shape, not tuple"),
    ],
)
def test_wrong_values_of_unions(entry: str, value: Any, message: str) -> None:
    with pytest.raises(cogen.CogenError) as caught:
        UNIONS.run(value, entry=entry)
    assert caught.value.message == message


# Mistakes.

HEAD = "record p {int x, int y}\nunion u = a {int n, p at} | b {int n} | c\n"

MISTAKES = [
    ("fun int f(p v) = v.z", "3:20: `p` has no field `z`"),
    ("fun int f(int v) = v.z", "3:22: only records have fields, but this is int"),
    ("fun int f(u v) = v.n", "3:20: not every `u` has a field `n`"),
    (
        "fun [int] f([[p]] v) = v.x[0]",
        "3:26: fields are read of one record or of an array of them, not of [[p]]",
    ),
    ("fun int f(p v) = v.x[0]", "3:18: `x` is int and takes at most 0 indices"),
    ("fun p f() = p{x = 1}", "3:13: `p` is not given `y`"),
    ("fun p f() = p{x = 1, x = 2, y = 3}", "3:22: `x` is given twice"),
    ("fun p f() = p{x = 1, y = 2.0}", "3:26: the field `y` of `p` must be int, but is real"),
    ("fun p f() = p(1, 2.0)", "3:18: the field `y` of `p` must be int, but is real"),
    ("fun p f() = p(1)", "3:13: `p` has 2 fields, but 1 is given"),
    ("fun p f() = q(1)", "3:13: there is no function `q`"),
    ("fun u f() = c", "3:13: there is no variable `c` here"),
    ("fun p f() = {1, 2}", "3:13: the body of `f` must be p, but is {int, int}"),
    ("fun q f() = 1", "3:5: there is no type `q`"),
    ("fun p f(p v) = {v with z = 1}", "3:24: `p` has no field `z`"),
    ("fun int f(u v) = case v of {a => 1, b => 2}", "3:18: no arm is for `c`"),
    ("fun int f(u v) = case v of {a => 1, _ => 2, c => 3}", "3:45: this arm is never reached"),
    ("fun int f(u v) = case v of {a => 1, a => 2, _ => 3}", "3:37: this arm is never reached"),
    ("fun int f(u v) = case v of {d => 1, _ => 2}", "3:29: `u` has no case `d`"),
    (
        "fun int f(u v) = case v of {a(n) => 1, _ => 2}",
        "3:29: `a` has 2 fields, not 1",
    ),
    ("fun int f(u v) = case v of {a{m} => 1, _ => 2}", "3:31: `a` has no field `m`"),
    (
        "fun int f(u v) = case v of {a => 1, _ => 2.0}",
        "3:42: all arms have one type, but this one is real",
    ),
    (
        "fun int f(int v) = case v of {a => 1}",
        "3:25: `case` tells the cases of a union apart, but this is int",
    ),
    ("fun int a() = 1", "3:9: `a` is defined twice: a function, and what makes a value of a type"),
    ("fun int f(int case) = 1", "3:15: `case` is a reserved word: expected a name"),
    ("record r {s v}\nrecord s {[r] v}", "4:12: `r` contains itself"),
    ("record r {int v, int v}", "3:22: the field `v` is there twice"),
    ("record r {*[int] v}", "3:18: fields are not declared unique"),
    ("record p {int v}", "3:8: `p` is declared twice"),
    ("record b {int v}", "3:8: `b` is declared twice"),
    ("union v = d | d", "3:15: the case `d` is there twice"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), MISTAKES)
def test_mistakes_are_told_where_they_are(text: str, expected: str) -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads(HEAD + text)
    span = caught.value.span
    assert span is not None
    assert f"{span.line}:{span.column}: {caught.value.message}" == expected


def test_words_of_declarations_are_names_elsewhere() -> None:
    program = loads(
        "fun int main(int case, int record, int union, int of) = case + record + union + of"
    )
    assert program.run(1, 2, 3, 4) == 10
    assert loads("record r {int of}\nfun int main(r record) = record.of").run((3,)) == 3


def test_a_constructor_with_first_arguments_evaluates_them_once() -> None:
    program = loads(
        "record p {int x, int y}\nfun [p] main([int] a) = map(p(trace(size(a))), map(op +(1), a))"
    )
    told: list[str] = []
    assert program.run([5, 6], trace=told.append).tolist() == [(2, 6), (2, 7)]
    assert told == ["2"]


def test_editors_know_what_is_declared() -> None:
    from cogen.lang.errors import Source
    from cogen.lsp import l0

    text = HEAD + "// How many.\nfun int f(u v) = case v of {a{n} => n, _ => 0}\nfun int g() = 1.0"
    analysis = l0.analyse(Source("a.l0", text))
    assert [error.message for error in analysis.errors] == [
        "the body of `g` must be int, but is real"
    ]
    meaning = analysis.meaning_of_word("a")
    assert meaning is not None
    assert (meaning.kind, meaning.signature) == ("record", "a {int n, p at}")
    words = {candidate.name for candidate in analysis.candidates(0)}
    assert {"p", "u", "a", "b", "c"} <= words


# In the Scheme-like language.

SCHEME = """
(import (array))
(define-record-type point (make-point x y) point? (x point-x) (y point-y))
(define-record-type <body> (make-body at mass-kg) body? (at body-at) (mass-kg mass))
(define (plus a b) (make-point (+ (point-x a) (point-x b)) (+ (point-y a) (point-y b))))
(define-array (main (bodies (array (record body (record point float float) int)))
                    (by (record point float float)))
  (let ((heavy (array-filter (lambda (b) (< 1 (mass b))) bodies)))
    (tuple (array-map (lambda (b) (make-body (plus (body-at b) by) (mass b))) heavy)
           (array-reduce plus (make-point 0.0 0.0) (array-map body-at heavy)))))
"""


def test_records_of_the_scheme_like_language_are_elements_of_arrays() -> None:
    program = of_scheme(cogen.loads(SCHEME, "p.scm"))
    bodies = [{"at": (1.0, 2.0), "mass_kg": 2}, {"at": (0.0, 0.0), "mass_kg": 1}]
    by = {"x": 0.5, "y": 0.5}
    for call in (program.run, program.compile()):
        moved, total = call(bodies, by)
        assert moved.tolist() == [((1.5, 2.5), 2)]
        assert moved.dtype.names == ("at", "mass_kg")
        assert (type(total).__name__, total.x, total.y) == ("point", 1.0, 2.0)
    text = "[{{1.0, 2.0}, 2}] point{x = 0.5, y = 0.5}"
    assert program.run_text(text) == (
        "{[body{at = point{x = 1.500000, y = 2.500000}, mass_kg = 2}], "
        "point{x = 1.000000, y = 2.000000}}"
    )
    assert loads(program.text).run_text("[{{1.0, 2.0}, 2}] {0.5, 0.5}") == (
        "{[{{1.500000, 2.500000}, 2}], {1.000000, 2.000000}}"
    )


def test_what_is_known_of_records_is_carried_out() -> None:
    program = cogen.loads(
        "(import (array))"
        "(define-record-type point (make-point x y) point? (x point-x) (y point-y))"
        "(define (f p ps)"
        "  (array-map (lambda (q) (if (point? q) (* (point-x p) (point-y q)) 0.0)) ps))"
    )
    residual = cogen.specialize(
        program,
        "f",
        binding_times.Record("point", (cogen.static(3.0), cogen.static(0.0))),
        cogen.dynamic("(array (record point float float))"),
    )
    assert "3.0" in residual.array
    assert "if" not in residual.array
    assert residual.to_array().run([(1.0, 2.0)]).tolist() == [6.0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("(point-x 1)", "expected a record of type point, got a int"),
        ("(car p)", "car: expected a tuple, got a value of type (record point float float)"),
        ("(array-map point-y (array 1 2))", "expected a record of type point, got a int"),
        ("(if (< (point-x p) 0.0) p (tuple 1.0 2.0))", "a conditional gives (record point float "
         "float) in one arm and (tuple float float) in the other"),
        ("(array-typed '(array (record line int)) (array-map point-x ps))",
         "there is no record type line"),
        ("(array-typed '(array (record point int)) (array-map point-x ps))",
         "the record point has 2 fields, but 1 types are given"),
    ],
)  # fmt: skip
def test_mistakes_with_records_in_the_scheme_like_language(body: str, message: str) -> None:
    text = (
        "(import (array))"
        "(define-record-type point (make-point x y) point? (x point-x set-x!) (y point-y))"
        "(define-array (main (ps (array (record point float float)))"
        "                    (p (record point float float)))"
        f"\n{body})"
    )
    with pytest.raises(cogen.CogenError) as caught:
        of_scheme(cogen.loads(text, "p.scm"))
    assert caught.value.message == message
    assert caught.value.span is not None


def test_interpreted_records_have_the_declared_type_or_are_told() -> None:
    interpreter = Interpreter(cogen.loads(SCHEME))
    interpreter.run()
    with pytest.raises(cogen.CogenError, match="array-typed: expected the type"):
        interpreter.call("main", [[1], 2])


# Characters.


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
def test_characters_are_compared_and_have_codes(way: str) -> None:
    program = loads(
        "fun {[bool], [int], [char], int} main([char] a, int n) =\n"
        "  {map(fn bool (char c) => 'a' <= c && c < 'z' || c = '!', a), map(ord, a),\n"
        "   map(fn char (int i) => chr(n + i * 1000), iota(1200)),\n"
        "   reduce(op +, 0, map(fn int (char c) => if c = a[0] then 1 else 0, a))}"
    )
    text = r'"az!A\\\1234\2000000" -3000'.replace("\\2000000", "")
    assert Ways(program)(way).run_text(text) == program.run_text(text)
    assert program.run_text(text, int="int32") == program.run_text(text)
    codes = program.run("a", 0)[2]
    assert codes[5] == chr(5000)
    assert codes[56] == "\ufffd"
    assert codes[1199] == "\ufffd"


def test_characters_of_the_scheme_like_language() -> None:
    source = (
        "(define-array (main (a (array char)) (n int))"
        "  (tuple (array-map (lambda (c) (and (char<=? #\\a c) (char<? c #\\d))) a)"
        "         (array-map (lambda (c) (integer->char (+ n (char->integer c)))) a)"
        "         (array-map (lambda (c) (if (eqv? c #\\b) 1 0)) a)))"
    )
    program = of_scheme(cogen.loads(source, "p.scm"))
    for call in (program.run, program.compile()):
        found = call("abz", 1)
        assert (found[0].tolist(), found[1], found[2].tolist()) == ([1, 1, 0], "bc{", [0, 1, 0])
        with pytest.raises(cogen.CogenError, match="integer->char: the code of no character: -3"):
            call("a", -100)


def test_a_text_comes_from_a_file(tmp_path: Any) -> None:
    program = loads("fun int main([char] a, int n) = size(a) + n")
    (tmp_path / "a.txt").write_text("ab\u0416\n", encoding="utf-8")
    assert program.run_text(f"@{tmp_path / 'a.txt'} 1") == "5"
    (tmp_path / "a.txt").write_bytes(b"ab\xff")
    with pytest.raises(cogen.CogenError, match="no text in UTF-8: byte 2"):
        program.run_text(f"@{tmp_path / 'a.txt'} 1")
