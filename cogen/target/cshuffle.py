"""Moved bits -> a C function that moves them in vectors, as many rounds as it can.

    int64_t NAME(const uint8_t *from, uint8_t *to, int64_t rounds);

does the first rounds of a loop that only moves bits (`cogen.target.provenance`), says how many, and
leaves the others to the loop itself.  It is written with vector types, which gcc (from 12 on) and
Clang have, once for each kind of processor that takes bytes of a vector in any order; for others
it does nothing.  What is loaded besides is memory that the rounds left over load themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Final

from cogen.target.provenance import Bit, Bits, Moved
from cogen.target.shuffles import Term, best_shuffle

MOST_VECTORS: Final = 8
"""The vectors that are stored in one turn, at most."""

AHEAD: Final = 512
"""How many bytes ahead of what it moves a loop asks for memory: in the L2 cache it takes 0.8 of the
time then."""

LINE: Final = 64
"""The bytes of a line of a cache."""

COLUMNS: Final = 16
"""Numbers in a line of a table."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A kind of processor: what the C compiler calls it, the bytes of a vector, those within which
    bytes change places, the sizes of lanes, and of those whose shifts may differ."""

    test: str
    vector: int
    granule: int
    sizes: tuple[int, ...]
    shifting: tuple[int, ...]
    tested: str
    """The bits that tell which bytes have a bit of their mask, as one integer."""
    single: str
    """1 for each byte that is not 0."""


MACHINES: Final = (
    Machine(
        "defined __AVX512VBMI__ && defined __AVX512BW__", 64, 64, (16, 32, 64), (16, 32, 64),
        "_mm512_test_epi8_mask((__m512i)({value}), (__m512i){masks})",
        "_mm512_min_epu8((__m512i)({value}), _mm512_set1_epi8(1))",
    ),
    Machine(
        "defined __AVX2__", 32, 16, (16, 32, 64), (32, 64),
        "~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(\n"
        "            (__m256i)(({value}) & {masks}), (__m256i){{0}}))",
        "_mm256_min_epu8((__m256i)({value}), _mm256_set1_epi8(1))",
    ),
)  # fmt: skip
COMPILERS: Final = "(defined __clang__ || __GNUC__ >= 12)"


@dataclass(frozen=True, slots=True)
class Storing:
    """How words are stored that are samples and become numbers: by a macro of that name; `value` is
    the number's type (`f4`, `i8`), `signed` whether samples have a sign, `factor` what the C text
    calls the number that each is multiplied by."""

    macro: str
    value: str
    signed: bool
    factor: str = ""

    @property
    def bytes(self) -> int:
        """The bytes of a number."""
        return int(self.value[1:])


def shuffling(name: str, moved: Moved, word_size: int, storing: Storing | None) -> str | None:
    """The text of the function; None if there is nothing to gain."""
    if storing is None and _is_copy(moved):
        return None
    loops: list[str] = []
    types: set[str] = set()
    for machine in MACHINES:
        text = _Loop(moved, word_size, storing, machine, types).text()
        if text is not None:
            loops.append(f"#{'elif' if loops else 'if'} {COMPILERS} && {machine.test}\n{text}")
    if not loops:
        return None
    factor = storing.factor if storing is not None else ""
    intrinsics = any("_mm" in text for text in loops)
    return "\n".join([
        *(["#if defined __AVX2__", "#include <immintrin.h>", "#endif"] if intrinsics else []),
        *_typedefs(types),
        "/* The first rounds of a loop that only moves bits, in vectors; the value is how many. */",
        f"static inline int64_t {name}(const uint8_t *restrict from, uint8_t *restrict to,",
        f"{' ' * 23}{' ' * len(name)}int64_t rounds)",
        "{",
        "    int64_t done = 0;",
        *([f"    const double factor = {factor};"] if factor else []),
        *loops,
        "#endif",
        f"    (void)from, (void)to, (void)rounds{', (void)factor' if factor else ''};",
        "    return done;",
        "}",
    ])  # fmt: skip


def _is_copy(moved: Moved) -> bool:
    """Whether whole bytes stay side by side, which C compilers see themselves."""
    first = moved.bits[0]
    return (
        isinstance(first, tuple)
        and first[0] % 8 == 0
        and all(bit == (first[0] + i, False) for i, bit in enumerate(moved.bits))
    )


def _typedefs(types: Iterable[str]) -> Iterator[str]:
    """Vector types, each with one for any address; they may be defined several times."""
    for name in sorted(types):
        kind, lanes = name.removeprefix("cogen_").split("x")
        element, size = ELEMENTS[kind]
        if lanes == "1":
            yield f"typedef {element} {name}_at __attribute__((aligned(1), may_alias));"
            continue
        vector = f"vector_size({size * int(lanes)})"
        yield f"typedef {element} {name} __attribute__(({vector}));"
        yield f"typedef {element} {name}_at __attribute__(({vector}, aligned(1), may_alias));"


ELEMENTS: Final = {
    **{f"u{n}": (f"uint{n}_t", n // 8) for n in (8, 16, 32, 64)},
    **{f"i{n}": (f"int{n}_t", n // 8) for n in (8, 16, 32, 64)},
    "f32": ("float", 4),
    "f64": ("double", 8),
}


@dataclass(slots=True)
class _Loop:
    """The loop for one kind of processor."""

    moved: Moved
    word_size: int
    storing: Storing | None
    machine: Machine
    types: set[str]
    end: int = 0
    """The bytes behind `from` that one turn loads."""
    numbered: int = 0
    lines: list[str] = field(default_factory=list)

    def text(self) -> str | None:
        """The loop; None if it cannot be made of few operations."""
        moved, word = self.moved, self.word_size // 8
        lane, count = self._lanes()
        made = moved.written * (self.word_size if self.storing is None else lane)
        rounds = lane * count // gcd(lane * count, made)
        vectors = rounds * made // (lane * count)
        if vectors > MOST_VECTORS:
            return None
        bits = self._bits(rounds, lane)
        ways = (self._single, self._vector, self._tested)
        for number in range(vectors):
            part = bits[number * lane * count : (number + 1) * lane * count]
            if not any(self._tried(way, number, part) for way in ways):
                return None
        read = moved.read * word
        spare = -(-(self.end - (moved.reach + 1) * word) // read) + 1
        each = moved.written * (word if self.storing is None else self.storing.bytes)
        size = self.machine.vector
        return "\n".join([
            "    int64_t turn = 1; /* then stores are aligned */",
            f"    while (turn < {rounds} && ((uintptr_t)to + turn * {each}) % {size} != 0) {{",
            "        turn++;",
            "    }",
            f"    for (; done + {max(rounds, spare)} <= rounds; done += turn, turn = {rounds}) {{",
            *self.lines,
            *_prefetched("to + {}, 1", rounds * each),
            *_prefetched("from + {}", rounds * read),
            f"        from += turn * {read};",
            f"        to += turn * {each};",
            "    }",
        ])  # fmt: skip

    def _tried(self, way: Callable[[int, Bits], bool], number: int, bits: Bits) -> bool:
        """Whether a way to store a vector can be gone; if not, nothing of it is left."""
        before, end = len(self.lines), self.end
        if way(number, bits):
            return True
        del self.lines[before:]
        self.end = end
        return False

    def _lanes(self) -> tuple[int, int]:
        """The bits of a lane, and how many lanes are stored at a time; lanes of words that become
        numbers are as large as what is converted, others are cut as it suits."""
        size, storing = self.machine.vector, self.storing
        if storing is None:
            return 8, size
        if storing.value[0] != "f":
            return 8 * storing.bytes, size // storing.bytes
        lane = max(32, self.word_size)
        return lane, size // max(lane // 8, storing.bytes, 8 if storing.factor else 0)

    def _bits(self, rounds: int, lane: int) -> Bits:
        """The bits that so many rounds store, words made as long as lanes."""
        bits: list[Bit] = []
        apart = self.moved.read * self.word_size
        for number in range(rounds):
            here = [
                (bit[0] + number * apart, bit[1]) if isinstance(bit, tuple) else bit
                for bit in self.moved.bits
            ]
            if self.storing is None:
                bits += here
                continue
            for start in range(0, len(here), self.word_size):
                word = here[start : start + self.word_size]
                more = lane - self.word_size
                bits += word + [word[-1] if self.storing.signed else False] * more
        return tuple(bits)

    def _vector(self, number: int, bits: Bits) -> bool:
        """Add what stores one vector of lanes; False if that is too much."""
        sizes = self.machine.sizes if self.storing is None else (self._lanes()[0],)
        found = best_shuffle(bits, sizes, self.machine.shifting)
        if found is None:
            return False
        total = len(bits) // 8
        parts: list[str] = []
        starts = _starts(found.terms, found.size, min(self.machine.granule, total))
        for term in found.terms:
            part = self._term(term, found.size, total, starts)
            if part is None:
                return False
            parts.append(part)
        kind = self._type("u", found.size, total)
        value = " | ".join(parts)
        if found.spread:
            value = f"({kind})(({self._type('i', found.size, total)})({value}) >> {found.spread})"
        if any(found.flipped):
            value = f"({value}) ^ {_table(kind, found.flipped, found.size)}"
        if any(found.signs):
            items = self._type("u", found.item, total)
            table = _table(items, found.signs, found.item)
            value = f"({kind})(({items})({value}) - {table})"
        name = self._name()
        self.lines.append(f"        const {kind} {name} = {value};")
        self._store(number, name, found.size, bits)
        return True

    def _single(self, number: int, bits: Bits) -> bool:
        """Add what stores one vector of bytes that are a bit each; False if they are not."""
        first = bits[::8]
        others = (bit for place in range(1, 8) for bit in bits[place::8])
        if self.storing is not None or any(bit is not False for bit in others):
            return False
        found = self._bytes_of(first)
        if found is None:
            return False
        value, masks = found
        kind = self._type("u", 8, len(first))
        value = f"({kind}){self.machine.single.format(value=f'{value} & {masks}')}"
        flipped = tuple(int(_is_true(bit)) for bit in first)
        if any(flipped):
            value += f" ^ {_table(kind, flipped, 8)}"
        self.lines.append(f"        *({kind}_at *)(to + {number * len(first)}) = {value};")
        return True

    def _tested(self, number: int, bits: Bits) -> bool:
        """Add what stores one vector bit by bit: each is a test of a byte; False if bytes come from
        too far away."""
        if self.storing is not None:
            return False
        width = self.machine.vector
        for start in range(0, len(bits), width):
            part = bits[start : start + width]
            found = self._bytes_of(part)
            if found is None:
                return False
            value, masks = found
            test = self.machine.tested.format(value=value, masks=masks)
            flipped = sum(1 << i for i, bit in enumerate(part) if _is_true(bit))
            flip = f" ^ 0x{flipped:x}u" if flipped else ""
            self.types.add(f"cogen_u{width}x1")
            at = (number * len(bits) + start) // 8
            self.lines.append(f"        *(cogen_u{width}x1_at *)(to + {at}) = {test}{flip};")
        return True

    def _bytes_of(self, bits: Bits) -> tuple[str, str] | None:
        """A vector of the bytes that bits are in, and one of their places there; None if they come
        from too far away."""
        places = [bit[0] if isinstance(bit, tuple) else None for bit in bits]
        taken = tuple((None if p is None else p // 8,) for p in places)
        term = Term(taken, (0,) * len(bits), None)
        common = _starts([term], 8, min(self.machine.granule, len(bits)))
        value = self._term(term, 8, len(bits), common)
        kind = self._type("u", 8, len(bits))
        masks = [str(0 if p is None else 1 << p % 8) for p in places]
        return None if value is None else (value, f"({kind}){{{_rows(masks).removeprefix(',')}}}")

    def _store(self, number: int, name: str, size: int, bits: Bits) -> None:
        """Store a vector of lanes, perhaps as numbers."""
        storing, total = self.storing, len(bits) // 8
        if storing is None:
            kind, value = self._type("u", size, total), name
        else:
            count = 8 * total // size
            kind = self._type(storing.value[0], 8 * storing.bytes, count * storing.bytes)
            value = f"({kind}){name}"
            if storing.value[0] == "f":
                negative = storing.signed or all(b is False for b in bits[size - 1 :: size])
                value = f"({self._type('i' if negative else 'u', size, total)}){name}"
                if storing.factor:
                    wide = self._type("f", 64, 8 * count)
                    value = f"__builtin_convertvector({value}, {wide}) * factor"
                if not storing.factor or storing.bytes != 8:
                    value = f"__builtin_convertvector({value}, {kind})"
            total = count * storing.bytes
        self.lines.append(f"        *({kind}_at *)(to + {number * total}) = {value};")

    def _term(self, term: Term, size: int, total: int, common: Sequence[int | None]) -> str | None:
        """The expression of a term; `common` says where granules of the source begin if one serves
        for all terms."""
        granule = total // len(common)
        lanes = len(term.bytes) // len(common)
        first: list[int] = []
        second: list[int] = []
        places: list[int] = []
        for number, start in enumerate(common):
            mine = term.bytes[number * lanes : (number + 1) * lanes]
            taken = [byte for lane in mine for byte in lane if byte is not None]
            low, high = min(taken, default=0), max(taken, default=0)
            if start is None:
                start = low
            after = max(start, high + 1 - granule)
            if after > start + granule:
                return None
            first.append(start)
            second.append(after if high >= start + granule else start)
            for byte in (b for lane in mine for b in lane):
                at = number * granule
                if byte is not None:
                    near = byte < start + granule
                    at += byte - start if near else total + byte - after
                places.append(at)
        kind = self._type("u", size, total)
        if second == first and places == [*range(total)]:
            return self._after(f"({kind}){self._loaded(first, granule)}", term, kind, size)
        one = self._loaded(first, granule)
        other = one if second == first else self._loaded(second, granule)
        text = f"({kind})__builtin_shufflevector({one}, {other}{_rows(map(str, places))})"
        return self._after(text, term, kind, size)

    def _after(self, text: str, term: Term, kind: str, size: int) -> str:
        """The bytes of a term, moved and masked."""
        if any(term.shifts):
            operator = "<<" if max(term.shifts) > 0 else ">>"
            text = f"({text} {operator} {_table(kind, [abs(s) for s in term.shifts], size)})"
        if term.masks is not None:
            text = f"({text} & {_table(kind, term.masks, size)})"
        return text

    def _loaded(self, starts: Sequence[int], granule: int) -> str:
        """The name of bytes of the source, each granule from its start on."""
        self.end = max(self.end, *(start + granule for start in starts))
        kind = self._type("u", 8, granule)
        parts = [f"*(const {kind}_at *)(from + {start})" for start in starts]
        whole, value = kind, parts[0]
        if len(parts) == 2:
            whole = self._type("u", 8, 2 * granule)
            value = f"__builtin_shufflevector({parts[0]}, {parts[1]}{_rows(map(str, range(32)))})"
        start = f"        const {whole} "
        for line in self.lines:
            if line.startswith(start) and line.endswith(f" = {value};"):
                return line.removeprefix(start).partition(" ")[0]
        name = self._name()
        self.lines.append(f"{start}{name} = {value};")
        return name

    def _name(self) -> str:
        self.numbered += 1
        return f"v{self.numbered}"

    def _type(self, kind: str, size: int, total: int) -> str:
        name = f"cogen_{kind}{size}x{8 * total // size}"
        self.types.add(name)
        return name


def _prefetched(place: str, count: int) -> Iterator[str]:
    """Lines that ask for so many bytes of what comes later."""
    for start in range(AHEAD, AHEAD + count, LINE):
        yield f"        __builtin_prefetch({place.format(start)});"


def _is_true(bit: Bit) -> bool:
    """Whether it is 1, or the opposite of a bit."""
    return bit is True or (isinstance(bit, tuple) and bit[1])


def _starts(terms: Sequence[Term], size: int, granule: int) -> list[int | None]:
    """For each granule of a vector the first byte of the source that serves all terms; None if
    none does."""
    lanes = 8 * granule // size
    starts: list[int | None] = []
    for first in range(0, len(terms[0].bytes), lanes):
        taken = [b for t in terms for lane in t.bytes[first : first + lanes] for b in lane]
        known = [byte for byte in taken if byte is not None]
        low, high = min(known, default=0), max(known, default=0)
        starts.append(low if high - low < granule else None)
    return starts


def _table(kind: str, numbers: Sequence[int], size: int) -> str:
    """A vector of numbers; one alone if they are all the same."""
    suffix = {8: "", 16: "", 32: "u", 64: "u"}[size]
    texts = [f"{number}{suffix}" if number < 256 else f"0x{number:x}{suffix}" for number in numbers]
    if len(set(texts)) == 1:
        return texts[0]
    return f"({kind}){{{_rows(texts).removeprefix(',')}}}"


def _rows(texts: Iterable[str]) -> str:
    """Texts behind commas, in lines."""
    items = list(texts)
    lines = [", ".join(items[i : i + COLUMNS]) for i in range(0, len(items), COLUMNS)]
    return "".join(f",\n            {line}" for line in lines)
