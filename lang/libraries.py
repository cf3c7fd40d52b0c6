"""Libraries: finding them, `define-library`, `import`.

    import set ::= (a b c) | (only set name ...) | (except set name ...)
                 | (prefix set name) | (rename set (old new) ...)
    library    ::= (define-library (a b c) declaration ...)      or a file of plain definitions
    declaration ::= (export spec ...) | (import set ...) | (begin form ...) | (include "f" ...)
                  | (include-library-declarations "f" ...) | (cond-expand clause ...)
    spec       ::= name | (rename name exported)

`(a b c)` is the file `a/b/c.scm` (or `a/b/c/all.scm`) in the importing file's directory, in the
library path, or beside the installed packages.  A file without `define-library` exports all its
own definitions but those whose names start with `%`.  `(scheme ...)`, `(cogen)` and `(array)` are
the language itself, always visible.  Each library is expanded once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Final

from cogen.lang import ownlibraries
from cogen.lang.datum import Symbol, symbol
from cogen.lang.errors import CogenError, Note, Source, Span
from cogen.lang.expander import Expander
from cogen.lang.features import chosen
from cogen.lang.files import directory_of, read_source, tell
from cogen.lang.formshapes import items_of, malformed, parts_of
from cogen.lang.leftout import LEFT_OUT, left_out
from cogen.lang.othernames import FOREIGN_LIBRARIES
from cogen.lang.ownlibraries import INSTALLED, OF_LANGUAGE, comes_along, is_of_language, titles
from cogen.lang.reader import read
from cogen.lang.scanner import Scanner, UnitScanner, included
from cogen.lang.scope import Binding, Env, Scopes, Special, TopLevelUnit, is_identifier, root
from cogen.lang.syntax import Syntax, SyntaxList

Name = tuple[str, ...]
Exports = Mapping[Symbol, Binding]


def title(name: Name) -> str:
    """A library's name as it is written."""
    return f"({' '.join(name)})"


Key = tuple[Path | None, Name]
"""What tells libraries apart: the file (None for the program's) and the name."""


@lru_cache(maxsize=64)
def _read(name: str, text: str, path: str, library: str) -> tuple[Source, tuple[Syntax, ...]]:
    """A library's file and the data in it; read once while its text stays the same."""
    source = Source(name, text, path, library)
    return source, tuple(read(source))


def _named(source: Source, name: Name) -> Source:
    """A library's file; an installed one is named by its place among the packages, so that residual
    programs and diagnostics are the same on every machine."""
    file = Path(source.path).resolve()
    for place, library in ((OF_LANGUAGE, " ".join(name)), (INSTALLED, name[0])):
        if file.is_relative_to(place / name[0]):
            return Source(file.relative_to(place).as_posix(), source.text, str(file), library)
    return source


@dataclass(frozen=True, slots=True)
class _Scanned:
    """Libraries, each after those that it imports, and the texts that they were read from."""

    units: tuple[TopLevelUnit, ...]
    texts: tuple[Source, ...]

    def holds(self) -> bool:
        """Whether the texts are still the same."""
        try:
            return all(read_source(Path(text.path)).text == text.text for text in self.texts)
        except CogenError:
            return False


_SCANNED: Final[dict[Key, _Scanned]] = {}
"""The libraries of the product that were imported in this process.  Like the prelude, a scanned
library is the same for all programs."""


class Libraries:
    """The libraries of one program.

    `order` has them as they must be evaluated: a library after those that it imports.
    """

    def __init__(self, path: Sequence[Path]) -> None:
        self.path = tuple(path)
        self.order: list[TopLevelUnit] = []
        self.units: dict[Key, TopLevelUnit] = {}
        self.loading: dict[Key, Span] = {}
        self.texts: list[Source] = []
        """What libraries of the product were read from."""

    def unit(self, x: Expander, name: Name, span: Span) -> TopLevelUnit:
        """The library of that name, scanned; CogenError at `span` if there is none."""
        unit = self.units.get((None, name))
        if unit is not None:
            return unit
        path = self.find(name, span)
        key = (path.resolve(), name)
        if key in self.loading:
            raise self.cycle(key, span)
        if key not in self.units:
            self.loading[key] = span
            if comes_along(key[0]):
                self.units[key] = self.of_product(x, key, path, span)
            else:
                self.read_file(x, key, path, span)
            del self.loading[key]
        return self.units[key]

    def of_product(self, x: Expander, key: Key, path: Path, span: Span) -> TopLevelUnit:
        """A library that comes with the product, and before it in `order` those that it imports."""
        found = _SCANNED.get(key)
        if found is None or not found.holds():
            scopes = Scopes(x.scopes.builtins)
            scopes.prelude = x.scopes.prelude
            inner = Libraries(())
            inner.loading = self.loading
            scanning = Expander(scopes, inner)
            inner.read_file(scanning, key, path, span)
            texts = dict.fromkeys((*inner.texts, *scanning.sources))
            found = _SCANNED[key] = _Scanned(tuple(inner.order), tuple(texts))
        self.order.extend(unit for unit in found.units if unit not in self.order)
        self.texts.extend(found.texts)
        return found.units[-1]

    def offering(self, name: str) -> str | None:
        """The title of a library that comes with the product and has a name."""
        return ownlibraries.offering(name)

    def cycle(self, key: Key, span: Span) -> CogenError:
        """The error for a library that imports itself."""
        keys = [*self.loading]
        chain = keys[keys.index(key) :]
        through = " -> ".join(title(name) for _, name in (*chain, key))
        notes = [Note(f"{title(k[1])} is imported here", self.loading[k]) for k in chain]
        return CogenError(
            f"the library {title(key[1])} imports itself",
            span,
            f"move what both need into a third library: {through}",
            notes,
        )

    def find(self, name: Name, span: Span) -> Path:
        """The file of a library."""
        found = self.place(name, span)
        if found is not None:
            return found
        looked = [str(plain) for plain, _ in self._places(name, span)]
        shown = ", ".join(dict.fromkeys(looked))
        close = get_close_matches(title(name), titles(), n=1, cutoff=0.8)
        hint = f"did you mean {close[0]}?" if close else f"looked for {shown}"
        if name[0] in FOREIGN_LIBRARIES:
            hint = "R7RS's libraries are (scheme base), (scheme write), …; others are (srfi 1), …"
        raise CogenError(f"there is no library {title(name)}", span, hint)

    def has(self, spec: Syntax) -> bool:
        """Whether there is a library of that name."""
        name = _by_number(library_name(spec))
        if is_of_language(name):
            return True
        found = self.place(name, spec.span)
        if found is not None:
            tell(found, found.read_bytes())
        return found is not None

    def place(self, name: Name, span: Span) -> Path | None:
        """The file of a library, if there is one."""
        for path in (path for pair in self._places(name, span) for path in pair):
            if path.is_file():
                return path
            tell(path, None)
        return None

    def _places(self, name: Name, span: Span) -> Iterator[tuple[Path, Path]]:
        """Where the file of a library may be."""
        for place in (directory_of(span), *self.path, INSTALLED, OF_LANGUAGE):
            base = place.joinpath(*name)
            yield base.with_name(base.name + ".scm"), base / "all.scm"

    def read_file(self, x: Expander, key: Key, path: Path, span: Span) -> None:
        """Define the libraries of a file; one of them must be the library `key`."""
        file, name = key
        named = _named(read_source(path, span), name)
        source, forms = _read(named.name, named.text, named.path, named.library)
        x.sources.append(source)
        bare = TopLevelUnit(title(name), of_product=file is not None and comes_along(file))
        scanner = UnitScanner(x, Env(bare, 0), redefine=False)
        if not any(_is_library(scanner, form) for form in forms):
            scanner.scan(forms)
            bare.exports.update(_own(bare))
            self.add(key, bare)
            return
        for form in forms:
            if not _is_library(scanner, form):
                raise CogenError("a form outside of `define-library` in a library file", form.span)
            self.define(x, form, file)
        if key not in self.units:
            raise CogenError(f"{path} does not define the library {title(name)}", span)

    def add(self, key: Key, unit: TopLevelUnit) -> None:
        self.units[key] = unit
        self.order.append(unit)

    def define(self, x: Expander, form: Syntax, file: Path | None) -> None:
        """`(define-library name declaration ...)` in a file (None: in the program)."""
        parts = parts_of(form, "(define-library (name ...) declaration ...)", 1)
        name = library_name(parts[0])
        if (file, name) in self.units:
            raise CogenError(f"the library {title(name)} is defined twice", parts[0].span)
        unit = TopLevelUnit(
            title(name),
            of_language=file is not None and file.is_relative_to(OF_LANGUAGE),
            of_product=file is not None and comes_along(file),
        )
        exports: list[Syntax] = []
        bodies: list[Syntax] = []
        for declaration in parts[1:]:
            self.declare(x, declaration, unit, exports, bodies)
        UnitScanner(x, Env(unit, 0), redefine=False).scan(bodies)
        for spec in exports:
            self.export(x, unit, spec)
        self.add((file, name), unit)

    def declare(
        self,
        x: Expander,
        declaration: Syntax,
        unit: TopLevelUnit,
        exports: list[Syntax],
        bodies: list[Syntax],
    ) -> None:
        """One declaration of a library: imports happen, the rest is collected."""
        items = items_of(declaration) or ()
        keyword = root(items[0].value).name if items and is_identifier(items[0]) else ""
        if keyword == "export":
            exports.extend(items[1:])
        elif keyword == "import":
            import_sets(x, declaration, unit)
        elif keyword == "begin":
            bodies.extend(items[1:])
        elif keyword in ("include", "include-ci"):
            bodies.extend(included(x, declaration, fold=keyword == "include-ci"))
        elif keyword in ("cond-expand", "include-library-declarations"):
            spliced = chosen if keyword == "cond-expand" else included
            for part in spliced(x, declaration):
                self.declare(x, part, unit, exports, bodies)
        elif keyword in LEFT_OUT:
            raise left_out(keyword, items[0].span)
        else:
            raise malformed(
                declaration,
                "define-library",
                "(export ...), (import ...), (begin ...), (include ...) or (cond-expand ...)",
                "declaration",
            )

    def export(self, x: Expander, unit: TopLevelUnit, spec: Syntax) -> None:
        """Export one name, under its own name or another."""
        inner = outer = spec
        if not is_identifier(spec):
            items = items_of(spec)
            if (
                items is None
                or len(items) != 3
                or not all(map(is_identifier, items))
                or root(items[0].value).name != "rename"
            ):
                raise malformed(spec, "export", "name or (rename name exported)", "item")
            inner, outer = items[1:]
        binding = x.scopes.resolve(inner.value, Env(unit, 0))
        if binding is None:
            raise CogenError(
                f"the library {unit.title} exports `{root(inner.value).name}`, which it does "
                "not define",
                inner.span,
                x.suggestion(root(inner.value).name, Env(unit, 0)),
            )
        x.mention(inner, binding)
        exported = root(outer.value)
        if exported in unit.exports:
            raise CogenError(f"duplicate export of `{exported.name}`", outer.span)
        unit.exports[exported] = binding


def _is_library(scanner: UnitScanner, form: Syntax) -> bool:
    binding = scanner.head(form)
    return isinstance(binding, Special) and binding.name == "define-library"


def _own(unit: TopLevelUnit) -> dict[Symbol, Binding]:
    """What a file of plain definitions exports."""
    return {
        name: binding
        for name, binding in unit.table.items()
        if isinstance(name, Symbol) and name not in unit.imported and name.name[:1] != "%"
    }


def library_name(syntax: Syntax) -> Name:
    """The parts of a library's name."""
    items = items_of(syntax)
    if not items:
        raise CogenError("malformed name of a library", syntax.span, "expected (name ...)")
    parts = []
    for item in items:
        if is_identifier(item):
            parts.append(root(item.value).name)
        elif type(item.value) is int and item.value >= 0:
            parts.append(str(item.value))
        else:
            raise CogenError("a part of a library's name must be a name or a number", item.span)
        if "/" in parts[-1] or parts[-1] in (".", ".."):
            raise CogenError("a part of a library's name must not be a path", item.span)
    return tuple(parts)


# Imports


def scan_import(scanner: Scanner, form: Syntax) -> None:
    """`(import set ...)`: the names of libraries; sets are `(srfi 1)`, `(only (srfi 1) fold)`,
    `(except ...)`, `(rename ...)`, `(prefix ...)`.
    """
    if not isinstance(scanner, UnitScanner):
        raise CogenError(
            "`import` inside of a body", form.span, "import at the top level of the file"
        )
    import_sets(scanner.expander, form, scanner.env.unit)


def scan_define_library(scanner: Scanner, form: Syntax) -> None:
    """`(define-library name declaration ...)`: a library within a program."""
    if not isinstance(scanner, UnitScanner):
        raise CogenError(
            "`define-library` inside of a body", form.span, "define libraries at the top level"
        )
    libraries_of(scanner.expander).define(scanner.expander, form, None)


def libraries_of(x: Expander) -> Libraries:
    """The libraries that an expander offers."""
    assert isinstance(x.libraries, Libraries)
    return x.libraries


def import_sets(x: Expander, form: Syntax, unit: TopLevelUnit) -> None:
    """Make the names of import sets visible in a unit."""
    for spec in parts_of(form, "(import (library name) ...)", 1):
        for name, binding in import_set(x, spec).items():
            if x.scopes.builtins.get(name) is binding or _of_prelude(x, name, binding):
                continue
            old = unit.table.get(name)
            if old is not None and old is not binding:
                raise clash(unit, name, spec)
            unit.table[name] = binding
            unit.imported.setdefault(name, spec.span)


def _of_prelude(x: Expander, name: Symbol, binding: Binding) -> bool:
    """Whether the language itself means the binding by the name."""
    prelude = x.scopes.prelude
    return prelude is not None and prelude.table.get(name) is binding


def clash(unit: TopLevelUnit, name: Symbol, spec: Syntax) -> CogenError:
    """The error for an imported name that already means something else."""
    hint = "import one of them under another name with `prefix`, `rename` or `except`"
    if name in unit.imported:
        return CogenError(
            f"`{name.name}` is imported from two libraries",
            spec.span,
            hint,
            [Note("the first import is here", unit.imported[name])],
        )
    return CogenError(
        f"`{name.name}` is imported, but defined above",
        spec.span,
        hint,
        [Note("it is defined here", unit.defined_at[name])],
    )


def import_set(x: Expander, spec: Syntax) -> dict[Symbol, Binding]:
    """What an import set gives: names and their meanings."""
    items = items_of(spec)
    if not items:
        raise CogenError(
            "malformed import set",
            spec.span,
            f"libraries are named by lists, as (srfi 1): ({root(spec.value).name})?"
            if is_identifier(spec)
            else "expected (library name), (only set name ...), (except set name ...), "
            "(prefix set name) or (rename set (old new) ...)",
        )
    keyword = root(items[0].value).name if is_identifier(items[0]) else ""
    modifier = MODIFIERS.get(keyword)
    if modifier is None or len(items) < 2 or not isinstance(items[1].value, SyntaxList):
        return dict(exports_of(x, spec))
    return modifier(import_set(x, items[1]), items, spec)


def exports_of(x: Expander, spec: Syntax) -> Exports:
    """What a library exports."""
    name = _by_number(library_name(spec))
    if is_of_language(name):
        return language(x)
    return libraries_of(x).unit(x, name, spec.span).exports


def _by_number(name: Name) -> Name:
    """A library of the language that is named as in SRFI 97, `(srfi :1 lists)`, by its number."""
    if len(name) < 2 or name[0] != "srfi":
        return name
    number = name[1].removeprefix(":")
    return (name[0], number) if (OF_LANGUAGE / "srfi" / f"{number}.scm").is_file() else name


def language(x: Expander) -> dict[Symbol, Binding]:
    """The names of the language itself."""
    names: dict[Symbol, Binding] = dict(x.scopes.builtins)
    if x.scopes.prelude is not None:
        for name, binding in x.scopes.prelude.table.items():
            if isinstance(name, Symbol) and not name.name.startswith("%"):
                names[name] = binding
    return names


def _chosen(exports: Exports, name: Syntax) -> Symbol:
    """A name that an import set must have."""
    if not is_identifier(name):
        raise CogenError("an import set names names only", name.span)
    found = root(name.value)
    if found not in exports:
        close = get_close_matches(found.name, [name.name for name in exports], n=1, cutoff=0.7)
        hint = LEFT_OUT.get(found.name) or (f"did you mean `{close[0]}`?" if close else None)
        raise CogenError(f"the library does not export `{found.name}`", name.span, hint)
    return found


def _only(exports: Exports, items: Sequence[Syntax], spec: Syntax) -> dict[Symbol, Binding]:
    names = [_chosen(exports, name) for name in items[2:]]
    return {name: exports[name] for name in names}


def _except(exports: Exports, items: Sequence[Syntax], spec: Syntax) -> dict[Symbol, Binding]:
    names = {_chosen(exports, name) for name in items[2:]}
    return {name: binding for name, binding in exports.items() if name not in names}


def _prefix(exports: Exports, items: Sequence[Syntax], spec: Syntax) -> dict[Symbol, Binding]:
    if len(items) != 3 or not is_identifier(items[2]):
        raise malformed(spec, "prefix", "(prefix set name)")
    prefix = root(items[2].value).name
    return {symbol(prefix + name.name): binding for name, binding in exports.items()}


def _rename(exports: Exports, items: Sequence[Syntax], spec: Syntax) -> dict[Symbol, Binding]:
    renamed: dict[Symbol, Symbol] = {}
    for item in items[2:]:
        pair = items_of(item)
        if pair is None or len(pair) != 2 or not is_identifier(pair[1]):
            raise malformed(item, "rename", "(old new)", "item")
        renamed[_chosen(exports, pair[0])] = root(pair[1].value)
    result: dict[Symbol, Binding] = {}
    for name, binding in exports.items():
        new = renamed.get(name, name)
        if new in result:
            raise CogenError(f"two names become `{new.name}`", spec.span)
        result[new] = binding
    return result


MODIFIERS: Final = {"only": _only, "except": _except, "prefix": _prefix, "rename": _rename}
