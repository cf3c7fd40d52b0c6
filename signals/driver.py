"""A kernel's C -> the C of the functions that `unpack`, `pack` and `convert` call.

The kernel (`convert`, made by the specializer) moves whole rounds between whole words.  Behind it
come tables of where samples lie, and signals/mover.c, which has the functions

    int64_t cogen_move(in, in_bytes, in_at, out, out_bytes, out_at, samples, scale);
    int64_t cogen_move_rows(in, in_bytes, in_at, in_pitch, in_less,
                            out, out_bytes, out_at, out_pitch, out_less, samples, rows, scale);

and, where an array is packed whose elements may be out of range, three that refuse it (3),

    int64_t cogen_pack(in, in_bytes, in_at, out, out_bytes, out_at, samples, scale);
    int64_t cogen_pack_rows(as cogen_move_rows);
    int64_t cogen_fits(in, in_at, in_pitch, samples, rows);

for any number of samples in buffers of any length.  Addresses (`at`) are in bits, lengths in
bytes; a row's buffers are `pitch` bytes further on than those of the row before, and `less` bytes
shorter.  With a stage, the samples become numbers of another type on their way.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cogen.backends.kernel.cmacros import Gathering, Storing
from cogen.backends.kernel.cmodule import CModule
from cogen.backends.kernel.types import MEMORY, NOTHING
from cogen.lang.errors import InternalError
from cogen.signals.kernels import stores_numbers
from cogen.signals.pattern import BitPattern, common_period
from cogen.signals.task import C_TYPES, FitTest, SampleStage, Task

MOVER: Final = Path(__file__).with_name("mover.c")

BLOCK_BYTES: Final = 1 << 13
"""About how many bytes of samples are converted at a time: a part of the first cache."""

FIT_BYTES: Final = 1 << 16
"""About how many bytes of an array are moved before it is asked whether all were in range.  Those
that no vector looked at are read again, from the second cache."""

HEADER: Final = """\
/* {title}

   int64_t cogen_move(const uint8_t *in, int64_t in_bytes, int64_t in_at,
                      uint8_t *out, int64_t out_bytes, int64_t out_at,
                      int64_t samples, double scale);

   moves samples from bit `in_at` of one buffer to bit `out_at` of another; all of them lie in their
   buffers.  The addresses are congruent to {in_at} and {out_at} modulo 8.  {scale}
   The result is 0; it is 2, and nothing is done, if the buffers share bytes.  cogen_move_rows does
   so for rows that are `pitch` bytes apart, of buffers that share no bytes; each row begins at the
   same bit of buffers that are `less` bytes shorter than those of the row before.{fit} */

"""


FITS: Final = """

   cogen_pack does as cogen_move, but its result is 3 if an element of the array does not fit in its
   sample; {moved} may have been moved then.  So does cogen_pack_rows for rows.  cogen_fits only
   looks at them."""


def translation_unit(module: CModule, title: str, task: Task) -> str:
    """The whole C text for a task; `module` is its kernel."""
    scaled = task.stage is not None and task.stage.scaled
    header = HEADER.format(
        title=title,
        in_at=task.places[0],
        out_at=task.places[1],
        scale="Numbers are samples times `scale`." if scaled else "`scale` is not used.",
        fit="" if task.fit is None else FITS.format(moved="none" if task.keep else "some"),
    )
    period = common_period(task.source, task.target, module.word_size)
    at_once = stores_numbers(task)
    before = "" if _gains_by_wide_vectors(task) else NARROW
    before += _storing(task.stage) if at_once and task.stage is not None else ""
    before += _gathering(task)
    lines = [
        _call(module),
        f"#define WORD {module.word_size}",
        f"#define PERIOD INT64_C({period})",
        f"#define SATURATE {int(task.saturate)}",
        *_pattern("IN", task.source),
        *_pattern("OUT", task.target),
        *(["#define AT_ONCE"] if at_once else _stage(task.stage, period)),
        *_fit(task, period),
    ]
    return "\n".join([header + before + module.text, *lines, "", MOVER.read_text(encoding="utf-8")])


NARROW: Final = """\
/* Half of the processor's widest vectors is quicker here. */
#if defined __AVX512BW__ && defined __GNUC__ && !defined __clang__
#pragma GCC target "prefer-vector-width=256"
#endif

"""


def _gains_by_wide_vectors(task: Task) -> bool:
    """Whether vectors of 512 bits are quicker: with samples of more than a byte, by up to 1.7 (12
    bits in the L2 cache, gcc 12, Sapphire Rapids); with smaller ones they are slower, by up to 1.3.
    """
    sizes = [sum(bits for _, bits in pieces) for _, pieces in task.source.fields]
    return task.stage is not None or max(sizes) > 8


def _call(module: CModule) -> str:
    """`CONVERT`, which calls the kernel, and ends its caller if the kernel fails."""
    passed: list[str] = []
    for parameter in module.parameters:
        if parameter.type == NOTHING:
            continue
        name = parameter.name.replace("-", "_")
        if name not in ("in", "in_at", "out", "out_at", "rounds"):
            raise InternalError(f"the kernel has an unknown parameter {name}")
        passed += [f"(void *){name}", f"{name}_words"] if parameter.type == MEMORY else [name]
    passed += ["&error"] * module.fails
    body = f"    {module.function}({', '.join(passed)});\n"
    if module.fails:
        body = f"    cogen_error error;\n    error.code = error.calls = 0;\n{body}"
    return (
        "static inline bool cogen_round(const uint8_t *in, int64_t in_words, int64_t in_at,\n"
        "        uint8_t *out, int64_t out_words, int64_t out_at, int64_t rounds)\n"
        f"{{\n{body}    return {'error.code == 0' if module.fails else 'true'};\n}}\n"
        "#define CONVERT(...) if (!cogen_round(__VA_ARGS__)) return 1"
    )


def _fit(task: Task, period: int) -> list[str]:
    """What tells whether elements are in range, and how many are moved before it is asked (0 if
    all are looked at before)."""
    fitness = task.fit
    if fitness is None:
        return []
    rounds = max(1, FIT_BYTES // fitness.step * fitness.samples // period)
    return [
        "#define FIT_TESTED",
        f"#define FIT_SAMPLES INT64_C({fitness.samples})",
        f"#define FIT_STEP INT64_C({fitness.step})",
        f"#define FIT_BLOCK INT64_C({0 if task.keep else rounds * period})",
        *_fit_tests(fitness.tests),
    ]


def _fit_tests(tests: Sequence[FitTest]) -> list[str]:
    """The macros of a loop that gathers the bits which elements have too many."""
    kinds = [f"uint{8 * test.bytes}_t" for test in tests]
    unions = [f"{kind} all{i} = 0;" for i, kind in enumerate(kinds)]
    looks = [
        f"all{i} |= ({kind})(*(const cogen_element{8 * test.bytes} *)((at) + {test.at})"
        f" + UINT64_C({test.added}));"
        for i, (kind, test) in enumerate(zip(kinds, tests, strict=True))
    ]
    fitting = [f"all{i} >> {test.bits} == 0" for i, test in enumerate(tests)]
    return [
        _macro("FIT_UNIONS", unions),
        _macro("FIT_LOOK(at)", looks),
        _macro("FIT_FITTING", [*(f"{each} &&" for each in fitting[:-1]), fitting[-1]]),
    ]


def _macro(name: str, lines: Sequence[str]) -> str:
    return f"#define {name} \\\n    " + " \\\n    ".join(lines)


def _pattern(side: str, pattern: BitPattern) -> list[str]:
    fields: list[str] = []
    pieces: list[str] = []
    for signed, parts in pattern.fields:
        size = sum(bits for _, bits in parts)
        fields.append(f"{{{int(signed)}, {size}, {len(pieces)}, {len(parts)}}}")
        pieces += [f"{{INT64_C({address}), {bits}}}" for address, bits in parts]
    return [
        f"#define {side}_BIG {int(pattern.order == 'big')}",
        f"#define {side}_FIELDS INT64_C({len(pattern.fields)})",
        f"#define {side}_STEP INT64_C({pattern.step})",
        f"#define {side}_LOW INT64_C({pattern.low})",
        f"#define {side}_HIGH INT64_C({pattern.high})",
        _table(f"{side}_TABLE", fields),
        _table(f"{side}_PIECES", pieces),
    ]


def _table(name: str, rows: Sequence[str]) -> str:
    """A macro that is the initializer of a table."""
    lines = [", ".join(rows[i : i + 6]) for i in range(0, len(rows), 6)]
    inner = ", \\\n    ".join(lines)
    return f"#define {name} {{ \\\n    {inner}}}"


LOOKING, LOOKED = "cogen_looking", "cogen_looked"


def gathering(task: Task) -> Gathering | None:
    """What a kernel tells of the elements that it moves: nothing where all are looked at before, as
    nothing shall be stored if one is out of range."""
    test = _gathered(task)
    return None if test is None else Gathering(LOOKING, LOOKED, 8 * test.bytes, test.added)


def _gathered(task: Task) -> FitTest | None:
    """The test of elements that vectors move, which are looked at by the way."""
    return None if task.fit is None or task.keep else task.fit.alike


def _gathering(task: Task) -> str:
    """What stands before a kernel of which it is asked whether elements are in range."""
    if task.fit is None:
        return ""
    types = "".join(
        f"typedef uint{bits}_t cogen_element{bits} __attribute__((aligned(1), may_alias));\n"
        for bits in sorted({8 * test.bytes for test in task.fit.tests})
    )
    text = f"#include <stddef.h>\n#include <stdint.h>\n\n{types}\n"
    test = _gathered(task)
    if test is None:
        return text
    return f"{text}typedef cogen_element{8 * test.bytes} cogen_element;\n\n{GATHERED}"


GATHERED: Final = f"""\
/* Up to where the elements of an array were looked at, and the union of their bits. */
static _Thread_local struct {{
    const uint8_t *end;
    cogen_element all;
}} cogen_seen;

/* Whether it is asked for what a loop sees from there on. */
#define {LOOKING}(begin) (cogen_seen.end == (begin))

/* What it saw from `begin` to `end`: a vector with the union of the bits. */
#define {LOOKED}(seen, begin, end) cogen_note_seen(&(seen), sizeof(seen), begin, end)

static inline void cogen_note_seen(const void *seen, size_t size, const uint8_t *begin,
                                   const uint8_t *end)
{{
    if (cogen_seen.end == begin) {{
        cogen_seen.end = end;
        for (size_t i = 0; i < size / sizeof(cogen_element); i++) {{
            cogen_seen.all |= ((const cogen_element *)seen)[i];
        }}
    }}
}}

"""


STORE: Final = "COGEN_STORE"
SCALE: Final = "cogen_scale"


def storing(stage: SampleStage) -> Storing:
    """How a kernel stores words that become numbers at once."""
    signed = stage.sample.startswith("i")
    return Storing(STORE, stage.value, signed, SCALE if stage.scaled else "")


def _storing(stage: SampleStage) -> str:
    """What stands before a kernel that stores numbers: their types, and how a sample becomes one.

    The scale is a variable of the thread, as the residual program has no parameter for it."""
    setting = f"{SCALE} = (scale)" if stage.scaled else "(void)(scale)"
    scaled = f"static _Thread_local {C_TYPES['f8']} {SCALE};\n" if stage.scaled else ""
    return f"""\
#include <stdbool.h>
#include <stdint.h>

typedef {C_TYPES[stage.value]} cogen_value __attribute__((aligned(1), may_alias));
{scaled}#define SET_SCALE(scale) {setting}
#define SAMPLE {C_TYPES[stage.sample]}
#define VALUE(x, scale) {_number(stage)}
#define {STORE}(out, at, word) \\
    (((cogen_value *)(out))[at] = VALUE((SAMPLE)(word), {SCALE}))

"""


def _number(stage: SampleStage) -> str:
    """A sample `x` as a number."""
    value = C_TYPES[stage.value]
    return f"({value})((double)(x) * (scale))" if stage.scaled else f"({value})(x)"


def _stage(stage: SampleStage | None, period: int) -> list[str]:
    if stage is None:
        return []
    sample, value = C_TYPES[stage.sample], C_TYPES[stage.value]
    rounds = max(1, BLOCK_BYTES // int(stage.sample[1:]) // period)
    return [
        f"typedef {value} cogen_value __attribute__((aligned(1), may_alias));",
        f"#define SAMPLE {sample}",
        f"#define BLOCK {rounds * period}",
        f"#define VALUE(x, scale) {_number(stage)}",
    ]
