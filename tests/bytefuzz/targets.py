"""What reads bytes or texts, with a corpus for each: the targets of the fuzzer.

A target takes an input and ends: with a result, or with a `CogenError`.  All else is a find.
Where a result can be checked (a text that is printed and read again), it is.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
import soundfile
from PIL import Image

import cogen.array
from cogen import diskstore as store
from cogen import signals
from cogen.binding_times import parse_bt, show_bt
from cogen.lang import iltext
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError, Source
from cogen.lang.ilparse import parse as parse_il
from cogen.lang.printer import write_datum
from cogen.lang.reader import read
from cogen.lang.syntax import to_datum
from cogen.signals.layout import capacity
from tests.bytefuzz.mutation import Bytes, Texts

ROOT: Final = Path(__file__).parent.parent.parent

Input = bytes


@dataclass(frozen=True)
class Target:
    """`make` makes an input; `run` takes it, with a directory for its files."""

    name: str
    make: Callable[[Random], Input]
    run: Callable[[Input, Path], None]
    share: int
    """How many of 100 inputs are its."""


def files(pattern: str, longest: int = 3000) -> list[str]:
    """The texts of files of the repository that are not too long."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern))]
    return [text for text in texts if len(text) <= longest]


# The language

SCHEME_WORDS: Final = """
define lambda let let* letrec letrec* do if cond case => else set! quote quasiquote
unquote unquote-splicing define-syntax let-syntax letrec-syntax syntax-rules ... _
define-record-type define-values let-values begin when unless and or delay force guard
raise call/cc values dynamic-wind import export include define-library cond-expand
case-lambda parameterize error assert named-lambda dcall rcall lift set-base early= x y
f car cdr cons list vector #t #f #\\a #\\space #\\x41 #u8( #( #| |# #; ' ` , ,@ . 1 -1 0.5
1e400 +nan.0 1/2 #xFF #b2 #e1.5 "a" "\\x41;" "\\n" |a b| || () #!eof #0= #0# (scheme base)
(array) (signals)
"""

SHORT_SCHEME: Final = (
    "(define (f x) (if (= x 0) 1 (* x (f (- x 1)))))",
    "(define-syntax swap (syntax-rules () ((_ a b) (let ((t a)) (set! a b) (set! b t)))))\n"
    "(define (g x y) (swap x y) (list x y))",
    "(define-record-type point (make-point x y) point? (x point-x set-point-x!) (y point-y))\n"
    "(define (h a) (point-x (make-point a 2)))",
    '(define (k s) (guard (e ((symbol? e) \'sym) (#t (raise e))) (string-append s "\\t\\x41;")))',
    "(define (m v) (do ((i 0 (+ i 1)) (a '() (cons (vector-ref v i) a))) ((= i 3) `(1 ,@a . b))))",
    "(define-values (p q) (values #\\a #u8(1 2 255)))\n#;(hidden) #| (nested #| too |#) |#",
    "(import (scheme base) (rename (prefix (only (array) array-map) a:) (a:array-map amap)))",
)


def _printed(datum: Datum) -> str:
    return write_datum(datum)


def run_reader(data: Input, _: Path) -> None:
    """Data that are read, printed and read again are the same."""
    text = data.decode("utf-8", "surrogatepass")
    for syntax in read(Source("<fuzz>", text)):
        printed = _printed(to_datum(syntax))
        [again] = read(Source("<printed>", printed))
        assert _printed(to_datum(again)) == printed


def run_program(data: Input, place: Path) -> None:
    """The file is loaded as a program, and the program's text as IL."""
    path = place / "fuzz.scm"
    path.write_bytes(data)
    shown = iltext.show(cogen.load(path))
    assert iltext.show(parse_il(shown)) == shown


def run_il(data: Input, _: Path) -> None:
    """The text is IL."""
    iltext.show(parse_il(data.decode("utf-8", "surrogatepass")))


BTS: Final = (
    "_", "(dynamic)", "(dynamic int)", "(dynamic (array float))", "(static (a . (1 2)))",
    "(cyclic 32 0)", "(cons _ (static 1))", "(list (dynamic bool) _ (static #t))",
    "(vector (static #(1)) (cyclic 8 7))", "(record point _ (static \"x\"))", "(static)",
    "(dynamic (tuple int (array (array char))))",
)  # fmt: skip


def run_bt(data: Input, _: Path) -> None:
    """Binding times that are read, shown and read again are the same."""
    shown = show_bt(parse_bt(data.decode("utf-8", "surrogatepass")))
    assert show_bt(parse_bt(shown)) == shown


@cache
def il_corpus() -> list[str]:
    """Programs as IL."""
    return [iltext.show(cogen.loads(text)) for text in SHORT_SCHEME[:6]]


# Arrays

L0_WORDS: Final = """
fun let in if then else loop for do map mapT reduce reduceT scan scanT filter filterT
redomap redomapT iota replicate transpose reshape size split concat zip unzip copy fn
int real bool char cert op + - * / % == < <= && || not ~ pow assert conjoin <c> [ ] { }
( ) , = => with <- | 0 1 2.5 True False 'a' "text" // toReal trunc sqrt trace empty
bucketReduce groupBy flatMap distinct scatter reduceSegments bucketCollect main *[int]
[[real]]
"""


def run_l0(data: Input, place: Path) -> None:
    """The file is a program in L0, of which the text says the same."""
    path = place / "fuzz.l0"
    path.write_bytes(data)
    cogen.array.load(path)


VALUES: Final = cogen.array.loads(
    "fun int main([{int,real}] a, [[char]] b, bool c, {cert,[int]} d) = size(0, a)"
)
VALUE_TEXTS: Final = (
    '[{1, 2.5}, {-3, 1e9}] ["ab", "cd"] True {Checked, [1, 2]}',
    "[{1, inf}] [['a', '\\n']] False {Checked, []}",
    "[] [] True {Checked, [9223372036854775807]}",
)


def run_values(data: Input, _: Path) -> None:
    """The text writes arguments of a program."""
    VALUES.arguments_of_text(data.decode("utf-8", "surrogatepass"))


# Packed samples

LAYOUTS: Final = (
    "raw12", "pcm24le,channels=2", "u12", "s5,order=big", "f32,scale=0.5", "u4u12s16<", ">u1u7f64",
    "p4u12>", "size=12,stride=-13,offset=100,signed", "rgb565", ",size=3,order=little", "v210",
    "u3p5,channels=4", "cs12", "mask-lsb", "<u12>s4p16f16<",
)  # fmt: skip

LAYOUT_WORDS: Final = """
u s f p > < , = size stride offset order channels scale signed float big little true
false raw10 RAW-12 pcm16be mask_msb 1e308 nan inf 0x10 1_0 ² ١
"""


def run_layout(data: Input, _: Path) -> None:
    """The text is a layout, of which sizes can be computed."""
    layout = signals.layout(data.decode("utf-8", "surrogatepass"))
    assert layout.dtype.itemsize > 0
    capacity(layout, 1000)


def run_dbc(data: Input, place: Path) -> None:
    """The file is a DBC file, whose signals' values can be computed and numbered."""
    path = place / "fuzz.dbc"
    path.write_bytes(data)
    for message in signals.dbc(path).all:
        if not message.units:
            continue
        assert message.layout().dtype.names == tuple(message.units) == message.dtype.names
        for signal in message.signals:
            limits = np.array(signal.field.limits, signal.field.dtype)
            values = signal.values(limits, signal.dtype)
            assert values.dtype == signal.dtype
            signal.named(limits, values)
            if values.dtype.kind in "iu" and signal.factor:
                assert signal.numbers(values)[0].tolist() == limits.tolist()


DBC_WORDS: Final = """
BO_ SG_ BU_ VAL_ CM_ BA_DEF_ BA_ BA_DEF_DEF_ SIG_VALTYPE_ SG_MUL_VAL_ VAL_TABLE_ VERSION
EV_ BO_TX_BU_ SIG_GROUP_ NS_ BS_ M m0 m1M m2 : | @ + - ( ) [ ] , ; 0|8@1+ 7|64@0- (1,0)
(0.5,1) "" "a" INT FLOAT ENUM STRING HEX VFrameFormat GenMsgCycleTime ECU 2147483904 291
"""

MORE_DBC: Final = """
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","J1939PG";
BA_DEF_ SG_ "SPN" INT 0 524287;
BA_DEF_DEF_ "VFrameFormat" "StandardCAN";
BA_DEF_DEF_ "SPN" 0;
BA_ "VFrameFormat" BO_ 291 2;
CM_ BO_ 291 "of the engine";
SG_MUL_VAL_ 293 Voltage Page 0-0, 2-5;
"""


# Sound and pictures


def sounds() -> list[bytes]:
    """Small sound files."""
    samples = np.linspace(-1, 1, 64).reshape(32, 2)
    found = []
    for kind, subtypes in {
        "WAV": ("PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW"),
        "WAVEX": ("PCM_16",), "FLAC": ("PCM_16",), "AIFF": ("PCM_24",), "AU": ("PCM_16",),
        "OGG": ("VORBIS",), "RF64": ("PCM_16",), "CAF": ("ALAW",),
    }.items():  # fmt: skip
        for subtype in subtypes:
            file = BytesIO()
            soundfile.write(file, samples, 48_000, format=kind, subtype=subtype)
            found.append(file.getvalue())
    return found


def run_sound(data: Input, place: Path) -> None:
    """The file is a sound, with its samples."""
    path = place / "fuzz.wav"
    path.write_bytes(data)
    sound = signals.read_sound(path)
    assert sound.seconds >= 0


def pictures() -> list[bytes]:
    """Small pictures."""
    found = []
    grey = Image.fromarray(np.arange(63, dtype=np.uint8).reshape(7, 9))
    deep = Image.fromarray(np.arange(63, dtype=np.uint16).reshape(7, 9))
    for kind in ("PNG", "PPM", "BMP", "GIF", "TIFF", "JPEG", "TGA", "PCX", "ICO", "WEBP"):
        for image in (grey, grey.convert("1"), grey.convert("RGB"), grey.convert("P"), deep):
            file = BytesIO()
            try:
                image.save(file, kind)
            except (OSError, ValueError):  # not every kind has every mode
                continue
            found.append(file.getvalue())
    return found


def run_picture(data: Input, place: Path) -> None:
    """The file is a picture, with its pixels' bytes."""
    path = place / "fuzz.png"
    path.write_bytes(data)
    picture = signals.read_picture(path)
    assert picture.height >= 0


# What we write ourselves

EXTENSION_WORDS: Final = "import os raise 0 -1 None b'\\0' # sha256 exit() Code"


@cache
def extension_text() -> str:
    """A generating extension."""
    program = cogen.loads("(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))")
    return cogen.generate(program, "power", cogen.dynamic("int"), cogen.static()).text


def run_extension(data: Input, place: Path) -> None:
    """What is no extension is told; what is one is as it was written."""
    path = place / "fuzz.py"
    path.write_bytes(data)
    assert cogen.load_extension(path).text == extension_text()


KEPT: Final = bytes(range(256)) * 8


def run_store(data: Input, _: Path) -> None:
    """An entry that was changed is none."""
    path = store.file("fuzz", "bytes", make=lambda made: _keep(made, KEPT))
    whole = path.read_bytes()
    path.write_bytes(data)
    found = store.get("fuzz", "bytes")
    assert found == (KEPT if data == whole else None)
    path.write_bytes(whole)


def _keep(path: Path, content: bytes) -> None:
    path.write_bytes(content)


@cache
def kept_entry() -> bytes:
    """An entry of the store as it lies there."""
    return store.file("fuzz", "bytes", make=lambda made: _keep(made, KEPT)).read_bytes()


def texts(corpus: list[str], words: str) -> Callable[[Random], Input]:
    """Makes inputs from texts and words."""
    maker = Texts(corpus, words.split())
    return lambda random: maker.make(random).encode("utf-8", "surrogatepass")


@cache
def targets() -> dict[str, Target]:
    """All targets by name."""
    scheme = [*SHORT_SCHEME, *files("examples/*.scm")]
    small = [text for text in scheme if len(text) < 1500]
    dbcs = files("tests/signals/data/*.dbc")
    dbcs += [dbcs[0] + MORE_DBC]
    l0 = files("tests/programs/l0/**/*.l0")
    found = (
        Target("reader", texts(scheme, SCHEME_WORDS), run_reader, 30),
        Target("program", texts(small, SCHEME_WORDS), run_program, 6),
        Target("il", texts(il_corpus(), SCHEME_WORDS), run_il, 4),
        Target("bt", texts(list(BTS), SCHEME_WORDS), run_bt, 8),
        Target("l0", texts(l0, L0_WORDS), run_l0, 8),
        Target("values", texts(list(VALUE_TEXTS), L0_WORDS), run_values, 6),
        Target("layout", texts(list(LAYOUTS), LAYOUT_WORDS), run_layout, 10),
        Target("dbc", texts(dbcs, DBC_WORDS), run_dbc, 6),
        Target("sound", Bytes(sounds(), (b"data", b"fmt ", b"LIST", b"fact")).make, run_sound, 9),
        Target("picture", Bytes(pictures(), (b"IHDR", b"IDAT", b"IEND")).make, run_picture, 7),
        Target("extension", texts([extension_text()], EXTENSION_WORDS), run_extension, 3),
        Target("store", Bytes([kept_entry()], (b"\ncogen-store ",)).make, run_store, 3),
    )
    return {target.name: target for target in found}


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings and messages of the packages that read."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def attempt(target: Target, data: Input, place: Path) -> str:
    """How a target ends: "result" or "diagnostic"; all else is raised."""
    try:
        target.run(data, place)
    except CogenError as error:
        return f"diagnostic{str(error)[:0]}"  # that can be shown
    return "result"
