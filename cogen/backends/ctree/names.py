"""C names made from source names: readable, no keywords, each used once."""

from __future__ import annotations

import re
from itertools import count

WORDS = {"->": "_to_", "?": "_p", "!": "", "*": "_star_", "+": "_plus_", "/": "_over_",
         "<": "_lt_", ">": "_gt_", "=": "_eq_", "%": "_percent_", "&": "_and_"}  # fmt: skip

KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch
    typedef union unsigned void volatile while _Bool asm typeof bool true false main linux
    unix int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t
    intptr_t size_t ptrdiff_t word8 word16 word24 word32 word40 word48 word56 word64
    INT64_MIN INT64_MAX INT64_C NAN INFINITY error soonest
"""

LIBRARY = """
    abort abs acos acosh alloca asin asinh assert atan atan2 atanh atof atoi atol bcmp bcopy
    bzero cabs calloc cbrt ceil clock close connect copysign cos cosh creat ctime div drem
    dup erf erfc errno exec exit exp exp2 expm1 fabs fdim floor fma fmax fmin fmod fopen
    fork fork free frexp fseek gamma getenv getpid gets hypot ilogb index ioctl isalnum
    isalpha isascii isblank iscntrl isdigit isfinite isgraph isinf isless islower isnan
    isnormal isprint ispunct isspace isupper isxdigit j0 j1 jn kill labs ldexp ldiv lgamma
    link listen llabs lldiv llrint llround log log10 log1p log2 logb longjmp lrint lround
    lseek malloc memccpy memchr memcmp memcpy memmove mempcpy memset mkdir mktime modf nan
    nearbyint nextafter nice open pause pipe poll pow pow10 printf putc putchar puts qsort
    raise rand read realloc recv remainder remove remquo rename rewind rindex rint rmdir
    round scalb scalbln scalbn scanf select send setjmp setlocale signal signbit significand
    sin sincos sinh sleep socket sprintf sqrt srand sscanf stat stdin stdout stderr stpcpy
    strcat strchr strcmp strcpy strdup strlen strncat strncmp strncpy strpbrk strrchr strspn
    strstr strtod strtok strtol sync system tan tanh tgamma time times toascii tolower
    toupper trunc truncate unlink wait write y0 y1 yn
"""

RESERVED = frozenset((KEYWORDS + LIBRARY).split())
"""Words of C, and functions of its library that a program's own must not replace."""


def mangle(name: str) -> str:
    """A C identifier that reads like the name: `load-sample!` becomes `load_sample`.

    The `.N` that keeps IL names apart is dropped; use `Namer` to make names unique.
    """
    text = re.sub(r"(?<=.)\.\d+$", "", name)
    for symbol, word in WORDS.items():
        text = text.replace(symbol, word)
    text = "".join(c if c.isascii() and (c.isalnum() or c == "_") else _spelt(c) for c in text)
    text = re.sub(r"__+", "_", text).strip("_")
    if not text or text[0].isdigit():
        text = f"v{text}"
    return f"{text}_" if text in RESERVED or text.startswith("cogen_") else text


def _spelt(character: str) -> str:
    """An underscore, or the code of a letter that is not ASCII."""
    return f"u{ord(character):x}" if character.isalnum() else "_"


class Namer:
    """Gives out names that are not yet taken."""

    def __init__(self, taken: frozenset[str] | set[str] = frozenset()) -> None:
        self.taken = set(taken)

    def fresh(self, name: str) -> str:
        """The mangled name, with a number after it when it is taken."""
        base = mangle(name)
        made = base
        number = 1
        while made in self.taken:
            number += 1
            made = f"{base}_{number}"
        self.taken.add(made)
        return made


class Numbered:
    """Gives out names that end in numbers, as none of the run time and of C's library do."""

    LONGEST = 24

    def __init__(self) -> None:
        self.numbers = count(1)

    def fresh(self, name: str) -> str:
        """The mangled name, shortened, with a number after it."""
        return f"{mangle(name)[: self.LONGEST].strip('_')}_{next(self.numbers)}"
