"""Python functions -> the same functions with control flow that can be staged.

The file is parsed, the function found by its place, rewritten (`cogen.staging.rewritefunctions`),
compiled with the places that it had, and given the globals and the cells of the original.
"""

from __future__ import annotations

import ast
import copy
import linecache
import sys
from collections.abc import Callable
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any, Final

from cogen.staging.rewritefunctions import rewrite
from cogen.staging.sourceplaces import HOOKS, register

HOOKS_CELL: Final = CellType()
"""What rewritten functions call; filled where it is defined."""

_FOREIGN: Final = frozenset({*sys.stdlib_module_names, "numpy", "cogen", "scipy", "pandas"})
"""Packages whose functions run as they are."""

LIBRARIES: Final = frozenset({"cogen.staging.library", "cogen.staging.textlibrary"})
"""The modules whose functions are staged like people's."""

_Node = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_made: dict[CodeType, CodeType | None] = {}


@lru_cache(maxsize=256)
def _functions(filename: str, text: str) -> dict[int, list[tuple[_Node, str | None]]]:
    """The functions of a file by their first lines, with the classes that they stand in."""
    found: dict[int, list[tuple[_Node, str | None]]] = {}

    def walk(node: ast.AST, owner: str | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                decorators = getattr(child, "decorator_list", [])
                first = min([child.lineno, *[d.lineno for d in decorators]])
                found.setdefault(first, []).append((child, owner))
            walk(child, child.name if isinstance(child, ast.ClassDef) else owner)

    walk(ast.parse(text, filename), None)
    return found


def _find(code: CodeType) -> tuple[_Node, str | None] | None:
    """The tree of a function."""
    text = "".join(linecache.getlines(code.co_filename))
    if not text:
        return None
    try:
        here = _functions(code.co_filename, text).get(code.co_firstlineno, [])
    except SyntaxError:
        return None
    named = [
        pair for pair in here
        if (getattr(pair[0], "name", "<lambda>") == code.co_name)
    ]  # fmt: skip
    if len(named) > 1:
        named = [pair for pair in named if _stands_at(pair[0], code)]
    return named[0] if named else None


def _stands_at(node: _Node, code: CodeType) -> bool:
    """Whether a function's body is where the code has its instructions."""
    if not isinstance(node, ast.Lambda):
        return True
    body = node.body
    wanted = body.lineno, body.end_lineno, body.col_offset, body.end_col_offset
    return wanted in set(code.co_positions())


def _rewritten(code: CodeType) -> CodeType | None:
    """The code of the rewritten function; None where there is no source."""
    if code in _made:
        return _made[code]
    found = _find(code)
    _made[code] = None if found is None else _compiled(code, *found)
    return _made[code]


def _compiled(code: CodeType, node: _Node, owner: str | None) -> CodeType:
    made = rewrite(copy.deepcopy(node), owner)
    body: list[ast.stmt] = [made] if isinstance(made, ast.stmt) else [ast.Expr(made)]
    if owner is not None:  # names that are private to the class are mangled within it
        body = [ast.ClassDef(name=owner, bases=[], keywords=[], body=body, decorator_list=[])]
    defined = owner or getattr(node, "name", None)
    if defined is not None and defined not in code.co_freevars:
        body.insert(0, ast.Global([defined]))  # what is called so in it is the original
    names = [HOOKS, *[n for n in code.co_freevars if n != HOOKS]]
    arguments = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
    maker = ast.FunctionDef(
        name="_cogen_maker", args=arguments, body=body, decorator_list=[], returns=None,
        type_comment=None,
    )  # fmt: skip
    module = ast.fix_missing_locations(ast.Module([maker], []))
    flags = code.co_flags & _FUTURES
    whole = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    found = _within(whole, code.co_name)
    register(found)
    return found


def _futures() -> int:
    import __future__ as future

    found = 0
    for name in future.all_feature_names:
        found |= getattr(future, name).compiler_flag
    return found


_FUTURES: Final = _futures()


def _within(code: CodeType, name: str) -> CodeType:
    """The function of a name, two or three levels down."""
    work = [code]
    while work:
        outer = work.pop(0)
        for inner in outer.co_consts:
            if isinstance(inner, CodeType):
                if inner.co_name == name:
                    return inner
                if inner.co_name == "_cogen_maker" or outer.co_name == "_cogen_maker":
                    work.append(inner)
    raise AssertionError(name)


def is_foreign(function: FunctionType) -> bool:
    """Whether a function is a library's, which runs as it is."""
    module = function.__globals__.get("__name__") or ""
    if module in LIBRARIES:
        return False
    return module.partition(".")[0] in _FOREIGN


def is_rewritten(function: FunctionType) -> bool:
    """Whether a function's control flow is calls already."""
    return HOOKS in function.__code__.co_freevars


def convert(function: FunctionType) -> Callable[..., Any]:
    """The function with control flow that can be staged; itself where its source is not there."""
    if is_rewritten(function):
        return function
    code = _rewritten(function.__code__)
    if code is None:
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[HOOKS] = HOOKS_CELL
    try:
        closure = tuple([cells[name] for name in code.co_freevars])
    except KeyError:
        return function
    made = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__dict__.update(function.__dict__)
    return made
