"""The text of a module -> what mypyc compiles well: plain classes.

Dataclasses become plain classes, which are compiled to C structures:

    @dataclass(frozen=True, slots=True)         class Place:
    class Place:                                    line: int
        line: int                                   column: int
        column: int = 1                  =>         __match_args__ = ("line", "column")
                                                    def __init__(self, line: int, column: int = 1) …
                                                    def __eq__ …, __hash__ …, __repr__ …

A cached property becomes a property and an attribute for what it has found (compiled, `functools`
keeps nothing).  Classes of which modules that are not compiled make subclasses say so.
The rest of the text stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass, field

MAKERS = frozenset({"dataclass", "node", "leaf"})
"""Decorators that make such classes; the last two are those of `lang.node`."""

HEAD = '''
def _dataclass_fields(*names: str) -> dict[str, _Any]:
    """What `dataclasses.replace` asks for."""
    made: _Any = _make_dataclass("_", names)
    return dict(made.__dataclass_fields__)

'''
IMPORTS = (
    "from dataclasses import make_dataclass as _make_dataclass\n"
    "from typing import Any as _Any, ClassVar as _ClassVar\n"
)


@dataclass
class Field:
    """A field of a dataclass: the texts of its type and of its default, or of what makes one."""

    name: str
    type: str
    default: str | None = None
    factory: str | None = None
    compare: bool = True
    shown: bool = True
    given: bool = True
    """Whether `__init__` is given it."""

    @property
    def parameter(self) -> str:
        """The field as a parameter of `__init__`."""
        if self.factory is not None:
            return f"{self.name}: {self.type} | None = None"
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.name}: {self.type}{default}"

    @property
    def assignment(self) -> str:
        """What `__init__` does with it."""
        if not self.given:
            made = self.default if self.factory is None else f"{self.factory}()"
            return "pass" if made is None else f"self.{self.name} = {made}"
        if self.factory is None:
            return f"self.{self.name} = {self.name}"
        return f"self.{self.name} = {self.factory}() if {self.name} is None else {self.name}"


@dataclass
class Made:
    """A dataclass: where its decorator and fields are, and how it compares."""

    source: ast.ClassDef
    decorator: ast.expr
    compares: bool
    hashes: bool
    fields: list[Field] = field(default_factory=list)
    places: list[ast.AnnAssign] = field(default_factory=list)

    def has(self, method: str) -> bool:
        """Whether the class has a method of its own."""
        return any(isinstance(s, ast.FunctionDef) and s.name == method for s in self.source.body)

    def members(self) -> list[str]:
        """The lines that stand behind the fields."""
        names = [field.name for field in self.fields]
        quoted = "".join(f"{name!r}, " for name in names)
        given = [field.parameter for field in self.fields if field.given]
        lines = [
            f"__match_args__: _ClassVar[_Any] = ({quoted})",
            f"__dataclass_fields__: _ClassVar[_Any] = _dataclass_fields({quoted})",
            f"def __init__({', '.join(['self', *given])}) -> None:",
            *[f"    {f.assignment}" for f in self.fields],
        ]
        if self.has("__post_init__"):
            lines.append("    self.__post_init__()")
        if not self.has("__repr__"):
            shown = ", ".join(f"{f.name}={{self.{f.name}!r}}" for f in self.fields if f.shown)
            lines += [
                "def __repr__(self) -> str:",
                f"    return f'{self.source.name}({shown})'",
            ]
        compared = [f.name for f in self.fields if f.compare]
        if self.compares and not self.has("__eq__"):
            tests = [f"type(other) is {self.source.name}"]
            tests += [f"self.{name} == other.{name}" for name in compared]
            lines += [
                "def __eq__(self, other: object) -> bool:",
                f"    return {' and '.join(tests)}",
            ]
        if self.hashes and not self.has("__hash__"):
            parts = "".join(f"self.{name}, " for name in compared)
            lines += ["def __hash__(self) -> int:", f"    return hash(({parts}))"]
        return ["    " + line for line in lines]


def compilable(text: str, bases: Collection[str] = ()) -> str:
    """The text of a module as mypyc is to get it; `bases` are the names of the classes that have
    subclasses in modules that are not compiled."""
    return _with_open_classes(_with_properties(_with_plain_classes(text)), bases)


def _with_plain_classes(text: str) -> str:
    found = [made for node in ast.walk(ast.parse(text)) if (made := _made(node)) is not None]
    if not found:
        return text
    lines = text.split("\n")
    for made in sorted(found, key=lambda made: -made.source.lineno):
        _rewrite(lines, made)
    start = _imports_end(ast.parse(text))
    lines[start:start] = HEAD.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("from __future__")) + 1
    lines[first:first] = IMPORTS.split("\n")
    return "\n".join(lines)


def _rewrite(lines: list[str], made: Made) -> None:
    for place, made_field in reversed(list(zip(made.places, made.fields, strict=True))):
        end = place.end_lineno or place.lineno
        lines[place.lineno - 1 : end] = [f"    {made_field.name}: {made_field.type}"]
        if place is made.places[-1]:
            lines[place.lineno : place.lineno] = made.members()
    del lines[made.decorator.lineno - 1]


def _imports_end(module: ast.Module) -> int:
    """The line behind the last import of a module."""
    return max(
        node.end_lineno or node.lineno
        for node in module.body
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


def _made(node: ast.AST) -> Made | None:
    if not isinstance(node, ast.ClassDef):
        return None
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        name = call.func if call is not None else decorator
        if not isinstance(name, ast.Name) or name.id not in MAKERS:
            continue
        options = {} if call is None else {k.arg: _is_true(k.value) for k in call.keywords}
        compares = name.id != "node" and options.get("eq", True)
        frozen = options.get("frozen", False) or options.get("unsafe_hash", False)
        made = Made(node, decorator, compares, compares and (frozen or name.id == "leaf"))
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and "ClassVar" not in _text(
                statement.annotation
            ):
                made.places.append(statement)
                made.fields.append(_field(statement))
        return made
    return None


def _field(place: ast.AnnAssign) -> Field:
    assert isinstance(place.target, ast.Name)
    found = Field(place.target.id, _text(place.annotation))
    value = place.value
    if isinstance(value, ast.Call) and _text(value.func) == "field":
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        if "default" in given:
            found.default = _text(given["default"])
        if "default_factory" in given:
            found.factory = _text(given["default_factory"])
        found.compare = "compare" not in given or _is_true(given["compare"])
        found.shown = "repr" not in given or _is_true(given["repr"])
        found.given = "init" not in given or _is_true(given["init"])
    elif value is not None:
        found.default = _text(value)
    return found


def _is_true(value: ast.expr) -> bool:
    return not (isinstance(value, ast.Constant) and value.value is False)


def _text(node: ast.expr) -> str:
    return ast.unparse(node)


def _with_properties(text: str) -> str:
    """
    @cached_property                    _cached_size: int | None = None
    def size(self) -> int:              @property
        return …                        def size(self) -> int:
                                            if self._cached_size is None:
                                                self._cached_size = self._find_size()
                                            return self._cached_size
                                        def _find_size(self) -> int:
                                            return …
    """
    lines = text.split("\n")
    for index in reversed(range(len(lines))):
        if lines[index].strip() != "@cached_property":
            continue
        pad = lines[index].partition("@")[0]
        head = lines[index + 1].strip()
        name, kind = head.removeprefix("def ").partition("(self) -> ")[::2]
        kind = kind.removesuffix(":")
        kept, find = f"_cached_{name.strip('_')}", f"_find_{name.strip('_')}"
        lines[index : index + 2] = [
            f"{pad}{line}"
            for line in (
                f"{kept}: {kind} | None = None",
                "@property",
                head,
                f"    if self.{kept} is None:",
                f"        self.{kept} = self.{find}()",
                f"    return self.{kept}",
                f"def {find}(self) -> {kind}:",
            )
        ]
    return "\n".join(lines)


def _with_open_classes(text: str, bases: Collection[str]) -> str:
    lines = text.split("\n")
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    for node in reversed([node for node in classes if node.name in bases]):
        lines.insert(node.lineno - 1, "@_mypyc_attr(allow_interpreted_subclasses=True)")
    if len(lines) != len(text.split("\n")):
        at = _imports_end(ast.parse(text))
        lines[at:at] = [
            "if _TYPE_CHECKING:",
            "    from mypy_extensions import mypyc_attr as _mypyc_attr",
        ]
        first = next(i for i, line in enumerate(lines) if line.startswith("from __future__")) + 1
        lines.insert(first, "from typing import TYPE_CHECKING as _TYPE_CHECKING")
    return "\n".join(lines)
