"""How source maps are put together: nesting, places, instructions of pieces of C."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.backends.objectcode.assembly import Assembly
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.marks import NOWHERE, Marked, TextMark, joined, place_of, places_of
from cogen.view import mapping
from cogen.view.mapping import source_map
from cogen.view.nesting import Nesting
from cogen.view.targets import CTarget, Targets, targets

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("full_optimisation")]

SOURCE = Source("p.scm", "(define (f x)\n  (if (< x 0)\n      (* x 2)\n      (+ x 1)))\n")


def place(text: str) -> Span:
    start = SOURCE.text.index(text)
    return Span(SOURCE, start, start + len(text))


DEFINE, IF, TIMES, PLUS = map(place, (SOURCE.text.strip(), "(if", "(* x 2)", "(+ x 1)"))
IF = Span(SOURCE, IF.start, SOURCE.text.index(")\n", PLUS.end) - 1)
TEST = place("(< x 0)")


# -- nesting ---------------------------------------------------------------------------------------


@st.composite
def nested(draw: st.DrawFn) -> list[TextMark]:
    """Marks that nest or are apart, inner ones before those around them."""

    def within(start: int, end: int, depth: int) -> list[TextMark]:
        made: list[TextMark] = []
        at = start
        while at < end and depth:
            first = draw(st.integers(at, end - 1))
            last = draw(st.integers(first + 1, end))
            made += within(first, last, depth - 1)
            made.append(TextMark(first, last, (NOWHERE,)))
            at = last + draw(st.integers(0, 3))
        return made

    return within(0, draw(st.integers(1, 20)), draw(st.integers(1, 3)))


@given(nested())
def test_innermost_marks(marks: list[TextMark]) -> None:
    nesting = Nesting(marks)
    assert sorted(nesting.marks) == sorted(marks)
    offsets = [*range(-1, 22)]
    for offset, number in zip(offsets, nesting.innermost(offsets), strict=True):
        around = [n for n, m in enumerate(nesting.marks) if m.start <= offset < m.end]
        assert number == (around[-1] if around else -1)
        if around:  # each is within the one before
            assert [nesting.parents[n] for n in around] == [-1, *around[:-1]]
    backwards = nesting.innermost(offsets[::-1])
    assert backwards == nesting.innermost(offsets)[::-1]


def test_outer_marks_come_first() -> None:
    """Of two around the same text, the outer one was noted later."""
    marks = [
        TextMark(0, 2, (TIMES,)),
        TextMark(0, 2, (PLUS,)),
        TextMark(0, 5, (IF,)),
        TextMark(3, 4, (TEST,)),
    ]
    nesting = Nesting(marks)
    assert [mark.places for mark in nesting.marks] == [(IF,), (PLUS,), (TIMES,), (TEST,)]
    assert nesting.parents == [-1, 0, 1, 0]


def test_the_procedure_is_that_of_the_mark_around() -> None:
    inner, outer = TextMark(2, 4, (TIMES,)), TextMark(0, 9, (DEFINE,), "f")
    nesting = Nesting([inner, outer, TextMark(10, 12, (PLUS,))])
    assert [nesting.procedure(number) for number in range(3)] == ["f", "f", ""]


def test_texts_are_joined_with_their_marks() -> None:
    one, two = (
        Marked("ab", (TextMark(0, 1, (TIMES,)),)),
        Marked("cd", (TextMark(1, 2, (PLUS,), "f"),)),
    )
    assert joined("--", [one, two]) == Marked(
        "ab--cd", (TextMark(0, 1, (TIMES,)), TextMark(5, 6, (PLUS,), "f"))
    )
    assert places_of(TIMES, None, TIMES, PLUS) == (TIMES, PLUS)
    assert place_of(None) == (NOWHERE,)


# -- places ----------------------------------------------------------------------------------------


def found(marks: list[TextMark]) -> list[tuple[int, Span]]:
    return [(part.mark, part.place) for part in mapping._parts(Nesting(marks))]


def test_what_comes_from_nowhere_has_the_place_around_it() -> None:
    marks = [TextMark(3, 5, (TIMES,)), TextMark(2, 6, (NOWHERE,)), TextMark(0, 9, (DEFINE,), "f")]
    assert found(marks) == [(0, DEFINE), (1, DEFINE), (2, TIMES)]


def test_what_a_library_repeats_has_the_first_place_within_it() -> None:
    library = Span(Source("l.scm", "(loop)", library="signals"), 0, 6)
    marks = [
        *(TextMark(2, 3, (TIMES,)), TextMark(4, 5, (PLUS,))),
        *(TextMark(1, 6, (library,)), TextMark(0, 9, (DEFINE,), "f")),
    ]
    assert found(marks) == [(0, DEFINE), (1, TIMES), (2, TIMES), (3, PLUS)]
    (loop,) = [part for part in mapping._parts(Nesting(marks)) if part.mark == 1]
    assert loop.inner == library


def hosted(wanted: list[tuple[str, Span]], marks: list[TextMark]) -> list[tuple[int, Span, str]]:
    nesting = Nesting(marks)
    parts = [*mapping._parts(nesting)]
    made = mapping._hosted(wanted, nesting, parts)
    return [(part.mark, part.place, part.procedure) for part in made]


def test_what_has_no_text_of_its_own_has_that_of_the_smallest_form_around() -> None:
    marks = [TextMark(4, 6, (PLUS,)), TextMark(2, 8, (IF,)), TextMark(0, 9, (DEFINE,), "f")]
    assert hosted([("f", PLUS), ("f", IF)], marks) == []
    assert hosted([("f", TIMES)], marks) == [(1, TIMES, "f")]
    both = [*marks, TextMark(12, 14, (IF,)), TextMark(10, 15, (DEFINE,), "g")]
    assert hosted([("g", TIMES)], both) == [(4, TIMES, "g")]
    assert hosted([("h", TIMES)], both) == [(1, TIMES, "f"), (4, TIMES, "g")]


def test_or_that_of_its_procedure() -> None:
    other = Span(Source("q.scm", "(* 1 2)"), 0, 7)
    marks = [TextMark(0, 9, (PLUS,), "f"), TextMark(10, 19, (TIMES,), "g")]
    assert hosted([("g", other)], marks) == [(1, other, "g")]
    assert hosted([("h", other)], marks) == [(0, other, "f")]
    assert hosted([("h", other)], []) == []


# -- instructions ----------------------------------------------------------------------------------

C = """\
/* é */ int f(int x)
{
    if (x < 0) {
        return x * 2;
    }
    return x + 1;
}
"""
ASM = """\
f:
\ttest
\tjs\t.L2
\tlea
\tret
.L2:
\tadd
\tret
\tud2
"""


def c_mark(text: str, span: Span, procedure: str = "") -> TextMark:
    start = C.index(text)
    return TextMark(start, start + len(text), (span,), procedure)


MARKS = (
    c_mark("x < 0", TEST),
    c_mark("x * 2", TIMES),
    c_mark("x + 1", PLUS),
    c_mark(C[C.index("if (") : C.index("    return x + 1")].rstrip(), IF),
    c_mark(C[C.index("int f") :].rstrip(), DEFINE, "f"),
)
POSITIONS = (None, (3, 11), (3, 8), (6, 14), (6, 5), None, (4, 18), (4, 9), (1, 14))


def instructions(
    positions: tuple[tuple[int, int] | None, ...], head: str = ""
) -> mapping._Instructions:
    text = CTarget(head + C, tuple(m.moved(len(head)) for m in MARKS), C, True)
    return mapping._Instructions(text, Assembly(ASM, positions), Nesting(text.marks))


def shown(found: mapping._Instructions, span: Span) -> list[str]:
    (number,) = [n for n, mark in enumerate(found.nesting.marks) if mark.places == (span,)]
    return [ASM[start:end] for start, end in found.ranges(number)]


@pytest.mark.parametrize("head", ["", "// run time\n// é\n"])
def test_instructions_of_pieces_of_c(head: str) -> None:
    made = instructions(POSITIONS, head)
    assert shown(made, TEST) == ["test"]
    assert shown(made, TIMES) == ["add"]
    assert shown(made, PLUS) == ["lea"]
    assert shown(made, IF) == ["js\t.L2", "ret"]
    assert shown(made, DEFINE) == ["ret", "ud2"]


def test_columns_count_in_bytes() -> None:
    """Column 14 of line 1 is `f`, behind a letter of two bytes."""
    made = instructions((*[None] * 8, (1, 14)))
    assert mapping._Offsets(CTarget(C, (), C, True))((1, 14)) == C.index("f(int")
    assert shown(made, DEFINE) == ["ud2"]


def test_no_column_is_the_beginning_of_the_line() -> None:
    offset_of = mapping._Offsets(CTarget(C, (), C, True))
    assert offset_of((4, 0)) == C.index("return x * 2")
    assert offset_of((99, 1)) == -1


def test_instructions_in_a_row_are_one_region() -> None:
    everything = tuple(None if at is None else (4, 18) for at in POSITIONS)
    made = instructions(everything)
    assert shown(made, TIMES) == ["test\n\tjs\t.L2\n\tlea\n\tret", "add\n\tret\n\tud2"]


def test_other_instructions_and_labels_part_regions() -> None:
    made = instructions((None, (4, 18), (6, 14), (4, 18), (4, 18), None, (4, 18), None, (1, 14)))
    assert shown(made, TIMES) == ["test", "lea\n\tret", "add"]
    assert shown(made, PLUS) == ["js\t.L2"]


def test_what_was_merged_has_the_instructions_around_it() -> None:
    made = instructions(tuple((3, 8) if at == (4, 18) else at for at in POSITIONS))
    assert shown(made, TIMES) == ["test\n\tjs\t.L2", "add\n\tret"]  # those of the conditional
    nothing = instructions(tuple(None if at is None else (99, 1) for at in POSITIONS))
    assert shown(nothing, TIMES) == ["test\n\tjs\t.L2\n\tlea\n\tret", "add\n\tret\n\tud2"]


# -- targets that there are not --------------------------------------------------------------------


def test_texts_that_there_are_not() -> None:
    program = cogen.loads(SOURCE.text, "p.scm")
    residual = cogen.specialize(program, "f", cogen.dynamic("int")).program
    made, error = targets(residual), CogenError("no")
    found = mapping._Mapper(residual, Targets(error, error, error), None).map()
    assert (found.targets, found.regions) == ({}, ())
    assert found.missing == dict.fromkeys(("scheme", "c", "asm"), "error: no")
    found = mapping._Mapper(residual, Targets(made.scheme, made.c, error), None).map()
    assert (set(found.targets), set(found.missing)) == ({"scheme", "c"}, {"asm"})


def test_regions_are_in_order() -> None:
    program = cogen.loads(SOURCE.text, "p.scm")
    found = source_map(cogen.specialize(program, "f", cogen.dynamic("int")).program)
    for target in found.targets:
        regions = [(region.start, -region.end) for region in found.of(target)]
        assert regions == sorted(regions)
