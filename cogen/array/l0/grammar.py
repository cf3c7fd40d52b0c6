r"""The concrete syntax of L0, for lark's LALR(1) parser.

Where an expression's end is open (`let`, `loop`, `if`, prefix `-`), what follows belongs to its
innermost part: such a conflict is a shift, which is what lark chooses. The lexer is contextual,
so `x <-1` compares, and `a with [i] <- 1` updates. Reserved words are never names. The words of the
extensions (`cogen.array.l0.extensions`) are names, too: only before `(` are they forms, and none
that the program defines a function of.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

from cogen.array.l0.extensions import WITH_FUNCTION, WITHOUT_FUNCTION

RESERVED: Final = (
    "fun", "fn", "let", "in", "if", "then", "else", "loop", "for", "do", "with", "op", "not",
    "pow", "int", "real", "bool", "char", "cert", "True", "False", "Checked", "zip", "unzip",
    "iota", "replicate", "size", "reshape", "transpose", "rearrange", "split", "concat", "copy",
    "empty", "assert", "conjoin", "map", "reduce", "scan", "filter", "redomap", "mapT", "reduceT",
    "scanT", "filterT", "redomapT",
)  # fmt: skip
"""Words that name neither variables nor functions."""

_RULES: Final = r"""
start: @START@
@DECLARATIONS@
function: "fun" type NAME "(" [parameter ("," parameter)*] ")" "=" expression
parameter: type NAME

?type: unnamed
    | "*" type                            -> unique_type
    @TYPES@
?unnamed: BASIC                           -> basic
    | "{" [type ("," type)*] "}"          -> tuple_type
    | "[" type "]"                        -> array_type
    | "[" (NAME | INT) "]" unnamed        -> sized_type
    | "packed" STRING                     -> packed_type

pattern: NAME                             -> name_pattern
       | "_"                              -> wildcard
       | "{" [pattern ("," pattern)*] "}" -> tuple_pattern

?expression: or
?or: and | or OROR and                            -> binary
?and: bits | and ANDAND bits                      -> binary
?bits: compare | bits (AND | XOR | BAR) compare   -> binary
?compare: shift | compare (EQUAL | LESS | ATMOST) shift -> binary
?shift: sum | shift (LEFT | RIGHT) sum            -> binary
?sum: product | sum (PLUS | MINUS) product        -> binary
?product: power | product (STAR | SLASH | PERCENT) power -> binary
?power: unary | power (POW | ATAN2) unary         -> binary
?unary: atom
      | MINUS product                     -> unary
      | NOT unary                         -> unary
      | TILDE unary                       -> unary

?atom: "(" expression ")"
     | INT                                -> int
     | REAL                               -> real
     | CONSTANT                           -> constant
     | CHAR                               -> char
     | STRING                             -> string
     | NAME                               -> variable
     | "{" [arguments] "}"                -> tuple
     | "[" arguments "]"                  -> array
     | NAME "(" [arguments] ")"           -> call
     | NAME "[" [certificates "|"] arguments "]" -> index
     | FORM "(" [arguments] ")"           -> form
     | SHAPED "(" "(" arguments ")" "," expression ")" -> shaped
     | "empty" "(" type ")"               -> empty
     | EXTENSION "(" [arguments] ")"      -> extension
     | EXTENDED "(" operand_function ("," expression)* ")" -> extended
     | soac
     | predicated_soac
     @ATOMS@
     | certificates atom                  -> predicated
     | "if" expression "then" expression "else" expression -> if
     | "let" pattern "=" expression "in" expression -> let
     | "let" [certificates] NAME update "=" expression "in" expression -> let_element
     | let_with
     | let_with_certified
     | loop

soac: SOAC "(" operand_function ("," expression)* ")"
    | REDOMAP "(" operand_function "," operand_function ("," expression)* ")"
predicated_soac: SOAC certificates "(" operand_function ("," expression)* ")"
    | REDOMAP certificates "(" operand_function "," operand_function ("," expression)* ")"
let_with: "let" pattern "=" expression "with" update "<-" expression "in" expression
let_with_certified: "let" certificates NAME "=" expression "with" update "<-" expression "in" expression
loop: "loop" "(" pattern ["=" expression] ")" "=" "for" NAME "<" expression "do" expression "in" expression

update: "[" [certificates "|"] arguments "]"
certificates: "<" NAME ("," NAME)* ">"
arguments: expression ("," expression)*

operand_function: "fn" type "(" [parameter ("," parameter)*] ")" "=>" expression -> lambda
                | NAME ["(" [arguments] ")"]      -> named
                | "op" operator ["(" [arguments] ")"] -> section
operator: OROR | ANDAND | AND | XOR | BAR | EQUAL | LESS | ATMOST | LEFT | RIGHT | PLUS | MINUS
        | STAR | SLASH | PERCENT | POW | ATAN2 | NOT | TILDE

OROR: "||"
ANDAND: "&&"
AND: "&"
XOR: "^"
BAR: "|"
EQUAL: "="
LESS: "<"
ATMOST: "<="
LEFT: "<<"
RIGHT: ">>"
PLUS: "+"
MINUS: "-"
STAR: "*"
SLASH: "/"
PERCENT: "%"
TILDE: "~"
POW: /pow@END@/
ATAN2: /atan2@END@/
NOT: /not@END@/
BASIC.2: /(int|real|bool|char|cert)@END@/
CONSTANT.2: /(True|False|Checked)@END@/
FORM.2: /(zip|unzip|iota|replicate|size|transpose|split|concat|copy|assert|conjoin)@END@/
SHAPED.2: /(reshape|rearrange)@END@/
SOAC.2: /(map|reduce|scan|filter)T?@END@/
REDOMAP.2: /redomapT?@END@/
EXTENSION.2: /@WITHOUT_FUNCTION@/
EXTENDED.2: /@WITH_FUNCTION@/
NAME: /(?!(?:@RESERVED@)@END@)[A-Za-z][A-Za-z0-9_]*/
REAL.2: /[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+/
INT: /0[xX][0-9A-Fa-f]+|0[oO][0-7]+|[0-9]+/
CHAR: /'(?:[^\\'\n]|\\[^\n][^'\n]*)'/
STRING: /"(?:[^"\\\n]|\\\s+\\|\\[^\n])*"/
COMMENT: /\/\/[^\n]*/
WHITESPACE: /[ \t\r\n\f]+/
%ignore COMMENT
%ignore WHITESPACE
"""  # noqa: E501 -- lark wants an alternative on one line


_START: Final = "(function | record | union | law | import)*"

_DECLARATIONS: Final = r"""
record: "record" NAME "{" [parameter ("," parameter)* [","]] "}"
union: "union" NAME "=" [BAR] case_type (BAR case_type)*
case_type: NAME ["{" [parameter ("," parameter)* [","]] "}"]
law: "law" NAME "(" [arguments] ")" "=" expression
import: "import" STRING
given: NAME "=" expression
arm: arm_pattern "=>" expression
arm_pattern: NAME                                       -> bare_case
           | NAME "(" [pattern ("," pattern)*] ")"      -> case_by_place
           | NAME "{" [matched ("," matched)* [","]] "}" -> case_by_name
           | "_"                                        -> any_case
matched: NAME ["=" pattern]
"""

_TYPES: Final = r"""
    | NAME                                -> named_type
    | "[" NAME "]"                        -> named_array_type
"""

_ATOMS: Final = r"""
     | atom "." NAME                      -> field
     | atom "." NAME "[" arguments "]"    -> field_element
     | NAME "{" [given ("," given)* [","]] "}" -> made
     | "{" expression "with" given ("," given)* [","] "}" -> changed
     | "case" expression "of" "{" arm ("," arm)* [","] "}" -> case
"""
"""What programs that declare records, unions or laws, or import, have besides."""


def _words(rules: str) -> str:
    """The rules with each keyword made a terminal `_KW_...` that ends where the word ends."""
    found = sorted(set(re.findall(r'"([a-z]+)"', rules)))
    terminals = "".join([f"_KW_{word.upper()}.2: /{word}@END@/\n" for word in found])
    return re.sub(r'"([a-z]+)"', lambda match: f"_KW_{match[1].upper()}", rules) + terminals


RESERVED_WITH_NAMES: Final = ("case",)
"""Words that programs which declare records or unions reserve besides."""


def _grammar(names: bool) -> str:
    places = {"START": _START if names else "function*"}
    places["DECLARATIONS"] = _DECLARATIONS if names else ""
    places["TYPES"] = _TYPES if names else ""
    places["ATOMS"] = _ATOMS if names else ""
    rules = _RULES
    for place, text in places.items():
        rules = rules.replace(f"@{place}@", text)
    reserved = RESERVED + (RESERVED_WITH_NAMES if names else ())
    return (
        _words(rules).replace("@RESERVED@", "|".join(reserved)).replace("@END@", "(?![A-Za-z0-9_])")
    )


_DECLARED: Final = re.compile(
    r"//[^\n]*|'(?:[^\\'\n]|\\[^\n][^'\n]*)'|\"(?:[^\"\\\n]|\\\s+\\|\\[^\n])*\""
    r"|\b(record\s+[A-Za-z][A-Za-z0-9_]*\s*\{|union\s+[A-Za-z][A-Za-z0-9_]*\s*="
    r"|law\s+[A-Za-z][A-Za-z0-9_]*\s*\(|import\s+\")"
)


def declares_names(text: str) -> bool:
    """Whether a program declares records, unions or laws, or imports: only such programs have
    their syntax."""
    return any(match[1] for match in _DECLARED.finditer(text))


_DEFINED: Final = re.compile(
    r"//[^\n]*|'(?:[^\\'\n]|\\[^\n][^'\n]*)'|\"(?:[^\"\\\n]|\\\s+\\|\\[^\n])*\""
    r"|\bfun\b(?:(?!\bfun\b)[^(=/\"'])*?\b([A-Za-z][A-Za-z0-9_]*+)\s*+\("
)
"""Comments, characters, strings, and definitions of functions.  Each character is looked at once
for its definition, and once for its word: texts may be long."""


def defined_words(text: str) -> frozenset[str]:
    """The words of extensions of which a program defines functions of its own."""
    names = {match[1] for match in _DEFINED.finditer(text) if match[1]}
    return frozenset(names.intersection((*WITH_FUNCTION, *WITHOUT_FUNCTION)))


def grammar(own: Set[str], names: bool = False) -> str:
    """The grammar, in lark's notation, of programs that define functions of some words; `names`:
    that declare records or unions."""

    def forms(words: tuple[str, ...]) -> str:
        found = "|".join([word for word in words if word not in own])
        return rf"(?:{found})(?=(?:\s|\/\/[^\n]*)*\()" if found else "(?!x)x"

    return (
        _grammar(names)
        .replace("@WITHOUT_FUNCTION@", forms(WITHOUT_FUNCTION))
        .replace("@WITH_FUNCTION@", forms(WITH_FUNCTION))
    )
