"""Layouts by name or from a text.

    TEXT   ::= NAME | RECORD | "" , each followed by any number of ,KEY=VALUE  or  ,FLAG
    NAME   ::= one of `names()`, or as NumPy's of types, with any number of bits: int16, uint12,
               float32, with `be` behind it if the high bits come first; ffmpeg's, of any number of
               bits too: s24le, u12be, f32le, pcm_s16le; ALSA's: S16_LE, S24_3LE; SigMF's and
               UHD's: ci16_le, cs14be, cf64, sc16; V4L2's packed formats: SRGGB12P, Y10P, and as
               libcamera says, SRGGB12_CSI2P; those of PFNC: BayerRG12p, BayerRG12Packed
    RECORD ::= (BITORDER? LETTER SIZE)+ BYTEORDER?     as in the package bitstruct
    LETTER ::= u unsigned | b bool (0 or 1) | s signed | f float | p padding
    BITORDER, BYTEORDER ::= > | <                      most or least significant one first
    KEY    ::= size | stride | offset | order | channels | scale        the fields of `Layout`
    FLAG   ::= signed | float

Upper and lower case, `-` and `_` are the same in names.  A record of one field is a sequence of
samples, one of several fields an array of structures; records follow one another without
padding unless the text has some.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from cogen.boundary import public
from cogen.expected import shown
from cogen.lang.errors import CogenError
from cogen.signals.layout import AnyLayout, Field, Group, Layout
from cogen.signals.othernames import has_i_and_q, named_otherwise
from cogen.signals.pattern import Order

if TYPE_CHECKING:
    import numpy as np


def _raw(pixels: int, low: int) -> Group:
    """MIPI raw pixels: the high bytes of a few, then the low bits of all, the first one's lowest.

    Source: MIPI CSI-2; V4L2's packed Bayer formats show the same bytes.
    """
    return Group(
        pixels * (8 + low),
        tuple(Field(((8 * i, 8), (8 * pixels + low * i, low))) for i in range(pixels)),
    )


def _raw_halves(name: str) -> Group:
    """MIPI raw pixels of twice as many bits, packed as two: the high half, then the low half.

    Source: MIPI CSI-2, which packs RAW20 to look like RAW10, and RAW24 like RAW12.
    """
    half = _RAW[name]
    pairs = zip(half.fields[::2], half.fields[1::2], strict=True)
    return Group(half.size, tuple(Field(a.pieces + b.pieces) for a, b in pairs))


def _gige(low: int) -> Group:
    """Two pixels: the high byte of one, a byte with the low bits of both, in a half each, the high
    byte of the other.

    Source: GigE Vision 2.0, Mono10Packed and Mono12Packed.
    """
    return Group(24, (Field(((0, 8), (8, low))), Field(((16, 8), (12, low)))))


_RAW: Final = {"raw10": _raw(4, 2), "raw12": _raw(2, 4), "raw14": _raw(4, 6)}


def _colour(order: str, sizes: tuple[int, int, int]) -> Group:
    """Pixels of three components, the first of `order` lowest; arrays are red, green, blue."""
    total = 0
    place = {}
    for letter, size in zip(order, sizes, strict=True):
        place[letter] = Field(((total, size),))
        total += size
    return Group(total, tuple(place[letter] for letter in "rgb"), shape="channels")


def _iq(size: int, signed: bool, order: Order = "little") -> Layout:
    return Layout(size, order=order, signed=signed, channels=2)


_NAMED: Final[dict[str, tuple[AnyLayout, str]]] = {
    "pcm8": (Layout(8), "sound: unsigned bytes, as in WAV files"),
    "pcm16le": (Layout(16, signed=True), "sound: 16 bits, low byte first"),
    "pcm16be": (Layout(16, signed=True, order="big"), "sound: 16 bits, high byte first"),
    "pcm24le": (Layout(24, signed=True), "sound: 24 bits, low byte first"),
    "pcm24be": (Layout(24, signed=True, order="big"), "sound: 24 bits, high byte first"),
    "pcm32le": (Layout(32, signed=True), "sound: 32 bits, low byte first"),
    "pcm32be": (Layout(32, signed=True, order="big"), "sound: 32 bits, high byte first"),
    "raw6": (Layout(6), "camera: MIPI RAW6, 4 pixels in 3 bytes, low bits first"),
    "raw7": (Layout(7), "camera: MIPI RAW7, 8 pixels in 7 bytes, low bits first"),
    "raw8": (Layout(8), "camera: MIPI RAW8, a byte a pixel"),
    "raw10": (_RAW["raw10"], "camera: MIPI RAW10, 4 pixels in 5 bytes"),
    "raw12": (_RAW["raw12"], "camera: MIPI RAW12, 2 pixels in 3 bytes"),
    "raw14": (_RAW["raw14"], "camera: MIPI RAW14, 4 pixels in 7 bytes"),
    "raw16": (Layout(16, order="big"), "camera: MIPI RAW16, high byte first"),
    "raw20": (_raw_halves("raw10"), "camera: MIPI RAW20, 2 pixels in 5 bytes"),
    "raw24": (_raw_halves("raw12"), "camera: MIPI RAW24, a pixel in 3 bytes"),
    "cs4": (_iq(4, True), "radio: signed I and Q of 4 bits, I in the low bits"),
    "cs4be": (_iq(4, True, "big"), "radio: signed I and Q of 4 bits, I in the high bits"),
    "cs8": (_iq(8, True), "radio: signed I and Q of 8 bits"),
    "cu8": (_iq(8, False), "radio: unsigned I and Q of 8 bits"),
    "cs12": (_iq(12, True), "radio: signed I and Q of 12 bits, low bits first"),
    "cs12be": (_iq(12, True, "big"), "radio: signed I and Q of 12 bits, high bits first"),
    "cu12": (_iq(12, False), "radio: unsigned I and Q of 12 bits, low bits first"),
    "cu12be": (_iq(12, False, "big"), "radio: unsigned I and Q of 12 bits, high bits first"),
    "cs16": (_iq(16, True), "radio: signed I and Q of 16 bits, low byte first"),
    "cs16be": (_iq(16, True, "big"), "radio: signed I and Q of 16 bits, high byte first"),
    "cu16": (_iq(16, False), "radio: unsigned I and Q of 16 bits, low byte first"),
    "cf32": (Layout(32, float=True, channels=2), "radio: I and Q as floats of 32 bits"),
    "mono10p": (Layout(10), "camera: PFNC, 10 bits a pixel, low bits first"),
    "mono12p": (Layout(12), "camera: PFNC, 12 bits a pixel, low bits first"),
    "mono14p": (Layout(14), "camera: PFNC, 14 bits a pixel, low bits first"),
    "mono10packed": (_gige(2), "camera: GigE Vision, 2 pixels in 3 bytes, of 10 bits each"),
    "mono12packed": (_gige(4), "camera: GigE Vision, 2 pixels in 3 bytes, of 12 bits each"),
    "rgb565": (_colour("bgr", (5, 6, 5)), "picture: 16-bit words, red in the high bits"),
    "rgb24": (_colour("rgb", (8, 8, 8)), "picture: bytes red, green, blue"),
    "bgr24": (_colour("bgr", (8, 8, 8)), "picture: bytes blue, green, red"),
    "v210": (
        Group(32, tuple(Field(((10 * i, 10),)) for i in range(3))),
        "video: 10-bit components Cb Y Cr Y ..., three in a 32-bit word",
    ),
    "mask-lsb": (Layout(1), "mask: 1 bit, the first in the least significant bit"),
    "mask-msb": (Layout(1, order="big"), "mask: 1 bit, the first in the most significant bit"),
}


@public
def names() -> dict[str, str]:
    """The named formats, each with a line that says what it is."""
    return {name: about for name, (_, about) in _NAMED.items()}


@public
def layout(text: str, **changes: Any) -> AnyLayout:
    """The layout that a text names or writes (see the module), changed in the given fields.

    `layout("pcm24le", channels=2)` is stereo.  `names` may list the names of a record's fields.
    CogenError for a text that means nothing, and for changes that the layout has no room for.
    """
    if not isinstance(text, str):
        raise CogenError(f"a layout is written as a string, not {shown(text)}")
    field_names = changes.pop("names", None)
    head, *options = (part.strip() for part in text.split(","))
    if "=" in head:
        head, options = "", [head, *options]
    written = dict(_option(option) for option in options if option)
    changes = {**written, **changes}
    if not head:
        return _plain(changes)
    named = _NAMED.get(_canonical(head))
    elements = None if field_names is not None else named_otherwise(head)
    if elements is not None:
        found: AnyLayout = elements
    else:
        found = named[0] if named else parse_record(head, field_names)
    if named and field_names is not None:
        raise CogenError(f"the format {head} has no field names")
    return _changed(found, head, changes) if changes else found


def to_layout(value: Any) -> AnyLayout:
    """A layout as it is, what a text means, or the elements of arrays of a NumPy type."""
    if isinstance(value, Layout | Group):
        return value
    if isinstance(value, str):
        return _of_text(value)
    import numpy as np

    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return _of_dtype(np.dtype(value))
    raise CogenError(
        f"a layout was expected, not {shown(value)}",
        hint="write signals.Layout(...), or a name such as 'raw10', or a text such as 'u12'",
    )


@lru_cache(maxsize=256)
def _of_text(text: str) -> AnyLayout:
    return layout(text)


def _of_dtype(dtype: np.dtype[Any]) -> AnyLayout:
    """The layout of the elements of arrays; of a structured type, a record of its fields."""
    if dtype.names is None:
        if dtype.kind not in "iuf" or dtype.itemsize > 8:
            raise _no_layout(dtype)
        order: Order = "big" if dtype.newbyteorder("=") != dtype else "little"
        bits = 8 * dtype.itemsize
        return Layout(bits, order=order, signed=dtype.kind == "i", float=dtype.kind == "f")
    found = []
    for name in dtype.names:
        part, at = dtype.fields[name][:2]  # type: ignore[index]  # it has fields
        if part.kind not in "iuf" or part.itemsize > 8:
            raise _no_layout(part)
        pieces: tuple[tuple[int, int], ...] = ((8 * at, 8 * part.itemsize),)
        if part.newbyteorder("=") != part:  # the high byte first
            pieces = tuple((8 * (at + i), 8) for i in range(part.itemsize))
        found.append(Field(pieces, part.kind == "i", part.kind == "f", name))
    return Group(8 * dtype.itemsize, tuple(found), shape="record")


def _no_layout(dtype: np.dtype[Any]) -> CogenError:
    return CogenError(
        f"there is no layout of elements of the type {dtype}",
        hint="types are integers and floats of up to 64 bits, and records of them",
    )


def channel_names(text: str, shape: object) -> tuple[str, ...]:
    """What the channels of a layout are called, which the text names; empty if they have no
    names."""
    layout = getattr(shape, "layout", shape)
    if isinstance(layout, Group) and all(field.name for field in layout.fields):
        return tuple(field.name for field in layout.fields)
    name = _canonical(text.split(",")[0].strip())
    if name not in _NAMED:
        return ("i", "q") if has_i_and_q(text.split(",")[0].strip()) else ()
    about = _NAMED[name][1]
    if about.startswith("radio"):
        return ("i", "q")
    return ("red", "green", "blue") if isinstance(layout, Group) and layout.channels == 3 else ()


def _canonical(name: str) -> str:
    plain = name.lower().replace("_", "-")
    if plain in _NAMED:
        return plain
    return _SHORT.get(plain) or _colourless(plain)


_BAYER: Final = (
    (re.compile(r"s(?:bggr|gbrg|grbg|rggb)(10|12|14)(?:p|-csi2p)"), "raw{}"),  # V4L2, libcamera
    (re.compile(r"y(10|12|14)p|r(10|12)-csi2p"), "raw{}"),  # the same without colours
    (re.compile(r"bayer(?:rg|gr|gb|bg)(10p|12p|14p|10packed|12packed)"), "mono{}"),  # PFNC
)


def _colourless(name: str) -> str:
    """The format of a picture with colour filters, which packs pixels as one without."""
    for pattern, plain in _BAYER:
        if found := pattern.fullmatch(name):
            return plain.format(found[found.lastindex or 0])
    return name


FRAMES: Final = (
    "nv12", "nv21", "nv16", "p010", "p012", "p016", "p210", "i420", "yv12", "i422", "i444",
)  # fmt: skip
"""Arrangements of planes, which `signals.planes` knows."""

_SHORT: Final = {name.replace("-", ""): name for name in _NAMED} | {
    f"{name}le": name for name in _NAMED if f"{name}be" in _NAMED
}


_CHANGES: Final = tuple(field.name for field in fields(Layout))


def _changed(found: AnyLayout, head: str, changes: dict[str, Any]) -> AnyLayout:
    allowed = _CHANGES if isinstance(found, Layout) else ("offset",)
    wrong = next((key for key in changes if key not in allowed), None)
    if wrong is not None:
        raise CogenError(f"the layout {head} cannot be given `{wrong}`", hint=_can_be(allowed))
    if "size" in changes and "stride" not in changes:
        changes["stride"] = None
    return replace(found, **changes)


def _plain(changes: dict[str, Any]) -> Layout:
    wrong = next((key for key in changes if key not in _CHANGES), None)
    if wrong is not None:
        raise CogenError(f"a layout has no `{wrong}`", hint=_can_be(_CHANGES))
    if "size" not in changes:
        raise CogenError("a layout needs its size in bits", hint="for instance: size=12,stride=16")
    return Layout(**changes)


def _can_be(allowed: Sequence[str]) -> str:
    return "what it can be given is " + ", ".join(allowed)


def _integer(text: str) -> int:
    return int(text, 0)


def _flag(text: str) -> bool:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[
        text.lower()
    ]


_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "size": _integer, "stride": _integer, "offset": _integer, "channels": _integer,
    "order": str, "signed": _flag, "float": _flag, "scale": float,
}  # fmt: skip


def _option(text: str) -> tuple[str, Any]:
    key, equals, value = (part.strip() for part in text.partition("="))
    reader = _READERS.get(key)
    if reader is None:
        raise CogenError(f"a layout has no `{key}`", hint=_can_be(_CHANGES))
    if not equals:
        if reader is not _flag:
            raise CogenError(f"the layout's `{key}` needs a value: {key}=...")
        return key, True
    try:
        return key, reader(value)
    except (ValueError, KeyError):
        raise CogenError(f"the layout's `{key}` cannot be {shown(value)}") from None


_ITEM: Final = re.compile(r"([<>]?)([a-zA-Z])([0-9]+)")
_RECORD: Final = re.compile(r"(?:[<>]?[a-zA-Z][0-9]+\s*)+[<>]?")


def parse_record(text: str, field_names: Sequence[str] | None = None) -> AnyLayout:
    """The record that a bitstruct-style format string writes.

    A `>` or `<` before an item holds for the items after it as well: with `<` the low bit of a
    value comes first.  A `<` at the end means bytes of lesser significance first.  Bits are
    counted from the most significant one of byte 0, as bitstruct does.
    """
    compact = text.replace(" ", "")
    if not _RECORD.fullmatch(compact):
        raise CogenError(f"there is no layout {text!r}", hint=_suggestion(text))
    low_byte_first = compact.endswith("<")
    at = 0
    bit_order = ">"
    found: list[Field] = []
    for mark, letter, digits in _ITEM.findall(compact):
        bit_order = mark or bit_order
        size = int(digits)
        if letter in "pP":
            at += size
            continue
        if letter in "rt":
            raise CogenError(
                f"the format {text!r} has bytes or text in it, `{letter}{digits}`",
                hint=f"leave them out, `p{digits}`, and slice them: "
                "np.frombuffer(data, np.uint8).reshape(-1, size)[:, first:last]",
            )
        if letter not in "usfb":
            raise CogenError(
                f"the format {text!r} has an item of the unknown kind `{letter}`",
                hint="items are u (unsigned), b (bool), s (signed), f (float) and p (padding)",
            )
        if letter == "b" and size != 1:
            raise CogenError(f"the bool {letter}{digits} of the format {text!r} must have 1 bit",
                             hint="write `u` for an integer")  # fmt: skip
        if not 1 <= size <= 64:
            raise CogenError(f"the item {letter}{digits} of the format {text!r} must have "
                             "1 to 64 bits")  # fmt: skip
        bits = list(range(size - 1, -1, -1)) if bit_order == ">" else list(range(size))
        if low_byte_first:
            bits = _low_byte_first(bits, at)
        found.append(Field(_pieces(bits, at), letter == "s", letter == "f"))
        at += size
    return _record_layout(text, found, at, field_names)


def _record_layout(
    text: str, found: list[Field], size: int, field_names: Sequence[str] | None
) -> AnyLayout:
    if not found:
        raise CogenError(f"the format {text!r} has no values")
    if field_names is not None:
        if len(field_names) != len(found):
            raise CogenError(
                f"the format {text!r} has {len(found)} values, but there are "
                f"{len(field_names)} names"
            )
        found = [
            Field(field.pieces, field.signed, field.float, name)
            for field, name in zip(found, field_names, strict=True)
        ]
    one = len(found) == 1 and field_names is None
    if one and len(found[0].pieces) == 1:
        ((address, bits),) = found[0].pieces
        return Layout(bits, size, address, "big", found[0].signed, found[0].float)
    return Group(size, tuple(found), order="big", shape="samples" if one else "record")


def _low_byte_first(bits: list[int], at: int) -> list[int]:
    """The bits of a value from address `at` on in the other byte order: the last ones fill the
    rest of the first byte, those before them the next, and so on."""
    result: list[int] = []
    while bits:
        room = 8 - (at + len(result)) % 8
        result += bits[-room:]
        bits = bits[:-room]
    return result


def _pieces(bits: list[int], at: int) -> tuple[tuple[int, int], ...]:
    """The pieces of a value whose bits lie from address `at` on; bit 0 is its lowest."""
    runs: list[list[int]] = []
    for i, bit in enumerate(bits):
        if runs and bits[i - 1] == bit + 1:
            runs[-1][2] += 1
        else:
            runs.append([bit, at + i, 1])
    return tuple((address, size) for _, address, size in sorted(runs, reverse=True))


def _suggestion(text: str) -> str:
    from cogen.programarguments import meant, near_names

    near = near_names(text.lower(), _NAMED)
    if text.lower() in FRAMES:
        return f"a frame has several planes: signals.planes({text.lower()!r}, width, height)"
    if near:
        return meant(near)
    return "layouts are 'size=12,stride=16', a record such as 'u12s4', or one of " + ", ".join(
        _NAMED
    )
