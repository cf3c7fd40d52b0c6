"""Loops as text, which `cogen.array.loops.read` reads back.

    (function main ((a_size i64) (a (* f64)) (result (* f64))) "main, file.l0:1:1"
      (variable (sum f64) (const f64 0.0))
      (for (i i64) 0 a_size 1 (lanes 1 ((+ real.add -0.0) sum))
        (let (x f64) (at a i))
        (set sum = (real.add f64 sum x)))
      (store result 0 = sum))

S-expressions: a statement begins with its word, an operator or a row of operations with itself; an
int alone is an i64, other constants have their type. Variables have theirs where they are declared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from cogen.array.loops import tree, treewalk
from cogen.array.loops.samples import show_samples
from cogen.lang.errors import InternalError


def show(parts: Sequence[tree.Function | tree.Kernel]) -> str:
    """The text of functions and kernels."""
    return "\n".join(["".join([f"{line}\n" for line in _part(part)]) for part in parts])


def show_type(t: tree.Type) -> str:
    match t:
        case tree.Number(name) | tree.Opaque(name):
            return name
        case tree.Pointer(target, space):
            return f"(* {show_type(target)} {space})" if space else f"(* {show_type(target)})"
        case tree.Vector(element, lanes):
            return f"(lanes {lanes} {show_type(element)})"


def show_expr(e: tree.Expr) -> str:
    match e:
        case tree.Var(name):
            return name
        case tree.Const(value, t):
            return _constant(value, t)
        case tree.Binary(sign, a, b):
            return _form(sign, a, b)
        case tree.Not(a):
            return _form("not", a)
        case tree.Operate(row, operands, t):
            return _form(f"{row} {show_type(t)}", *operands)
        case tree.Choose(a, b, c):
            return _form("if", a, b, c)
        case tree.Convert(t, a):
            return _form(f"to {show_type(t)}", a)
        case tree.Load(a, b):
            return _form("at", a, b)
        case tree.Get(samples, a, b, c, t):
            text = json.dumps(show_samples(samples))
            return _form(f"get {show_type(t)} {text}", a, b, c)
        case tree.Address(a):
            return _form("address", a)
        case tree.Data(a, t):
            return _form(f"data {show_type(t)}", a)
        case tree.SizeOf(t):
            return f"(size-of {show_type(t)})"
        case tree.Invoke(function, arguments, t):
            return _form(f"invoke {function} {show_type(t)}", *arguments)
    raise InternalError(f"no expression: {e!r}")


def _form(word: str, *operands: tree.Expr) -> str:
    return f"({' '.join([word, *map(show_expr, operands)])})"


def _constant(value: int | float | bool | None, t: tree.Type) -> str:
    if t == tree.I64 and type(value) is int:
        return str(value)
    return f"(const {show_type(t)} {value!r})"


def _variable(v: tree.Var) -> str:
    return f"({v.name} {show_type(v.type)})"


def _part(part: tree.Function | tree.Kernel) -> Iterator[str]:
    parameters = " ".join(map(_variable, part.parameters))
    note = json.dumps(part.note)
    if isinstance(part, tree.Function):
        yield f"(function {part.name} ({parameters}) {note}"
    else:
        items = "all" if part.items is None else show_expr(part.items)
        more = f"{json.dumps(part.attribute)} {json.dumps(part.extension)}"
        yield f"(kernel {part.name} ({parameters}) {_variable(part.part)} {items} {note} {more}"
    yield from _closed(part.body, 1)


def _closed(block: tree.Block, depth: int) -> Iterator[str]:
    """The lines of statements that end a form."""
    lines = [line for statement in block for line in _statement(statement, depth)]
    if not lines:
        lines = ["  " * depth + "()"]
    yield from lines[:-1]
    yield lines[-1] + ")"


def _statement(statement: tree.Statement, depth: int) -> Iterator[str]:
    pad = "  " * depth
    head = _head(statement)
    blocks = treewalk.blocks(statement)
    if not blocks:
        yield f"{pad}({head})"
        return
    yield f"{pad}({head}"
    if isinstance(statement, tree.For) and statement.sharing is not None:
        yield from _sharing(statement.sharing, depth + 1)
    for inner in blocks[:-1]:
        yield f"{pad}  (do"
        yield from _closed(inner, depth + 2)
    if len(blocks) > 1:
        yield f"{pad}  (do"
        *lines, last = _closed(blocks[-1], depth + 2)
        yield from lines
        yield last + ")"
    else:
        yield from _closed(blocks[-1], depth + 1)


def _head(statement: tree.Statement) -> str:
    match statement:
        case tree.Let(v, e):
            return f"let {_variable(v)} {show_expr(e)}"
        case tree.Variable(v, e, region):
            inside = "" if region is None else f" (in {region.name})"
            return f"variable {_variable(v)}{inside}" + ("" if e is None else f" {show_expr(e)}")
        case tree.Room(v, e):
            return f"room {_variable(v)} {show_expr(e)}"
        case tree.Assign(v, e, sign):
            return f"set {v.name} {sign or '='} {show_expr(e)}"
        case tree.Put(samples, a, b, e):
            text = json.dumps(show_samples(samples))
            return f"put {text} {show_expr(a)} {show_expr(b)} {show_expr(e)}"
        case tree.Store(a, b, e, sign):
            return f"store {show_expr(a)} {show_expr(b)} {sign or '='} {show_expr(e)}"
        case tree.Allocate(v, t, e, site, over):
            old = "" if over is None else f" (over {over[0].name} {over[1].name})"
            return f"allocate {_variable(v)} {show_type(t)} {show_expr(e)} {site}{old}"
        case tree.Do(e):
            return f"do {show_expr(e)}"
        case tree.IfStatement(e):
            return f"when {show_expr(e)}"
        case tree.For(v, a, b, c, _, mark):
            bounds = " ".join(map(show_expr, (a, b, c)))
            return f"for {_variable(v)} {bounds} {_mark(mark)}"
        case tree.While(e):
            return f"while {show_expr(e)}"
        case tree.Break():
            return "break"
        case tree.Fail(site, details):
            return " ".join([f"fail {site}", *map(show_expr, details)])
        case tree.Attempt():
            return "attempt"
        case tree.Parallel(team, got, thread, parts, size, start, stop):
            bound = " ".join(map(_variable, (thread, parts, start, stop)))
            taken = "()" if got is None else got.name
            return f"parallel {show_expr(team)} {taken} {show_expr(size)} {bound}"
        case tree.CallStatement(function, arguments):
            return " ".join([f"call {function}", *map(show_expr, arguments)])
        case tree.Scan(acc, function, count, values, out, left, right, operator, neutral):
            given = " ".join(map(show_expr, (count, values, out)))
            last = "()" if neutral is None else show_expr(neutral)
            pair = f"{_variable(left)} {_variable(right)}"
            return f"scan {acc.name} {function} {given} {pair} {show_expr(operator)} {last}"
    raise InternalError(f"no statement: {statement!r}")


def _sharing(sharing: tree.Sharing, depth: int) -> Iterator[str]:
    pad = "  " * depth
    each = f" (each {sharing.each})" if sharing.each > 1 else ""
    yield f"{pad}(share {show_expr(sharing.work)} {sharing.site}{each}"
    lines = [line for join in sharing.joins for line in _join(join, depth + 1)]
    if not lines:
        lines = [f"{pad}  ()"]
    yield from lines[:-1]
    yield lines[-1] + ")"


def _join(join: tree.Join, depth: int) -> Iterator[str]:
    pad = "  " * depth
    match join:
        case tree.Reduced(accumulators, neutral, operator):
            yield f"{pad}(reduced {_all(accumulators)} {_all(neutral)}"
            yield from _operator(operator, depth + 1)
            yield f"{pad})"
        case tree.Scanned(accumulators, neutral, operator, outs, first):
            yield f"{pad}(scanned {_all(accumulators)} {_all(neutral)} {_all(outs)}"
            yield from _operator(operator, depth + 1)
            if first is not None:
                yield from _statement(first, depth + 1)
            yield f"{pad})"
        case tree.Keyed(size, tables):
            yield f"{pad}(keyed {show_expr(size)}"
            for table in tables:
                yield f"{pad}  ({_all(table.bases)} {_all(table.neutral)}"
                yield from _operator(table.operator, depth + 2)
                yield f"{pad}  )"
            yield f"{pad})"
        case tree.Kept(count, pairs):
            yield f"{pad}(kept {count.name} {_pairs(pairs)})"
        case tree.Grown(count, regions):
            named = " ".join([f"({v.name} {show_type(t)})" for v, t in regions])
            yield f"{pad}(grown {count.name} ({named}))"
        case tree.Tallied(tally, size):
            yield f"{pad}(tallied {tally.name} {show_expr(size)})"
        case tree.Hashed(table, width, count, rows, neutral, operator, numbers, stored):
            own = [e for e in (numbers, stored) if e is not None]
            values = f"{_all(neutral)} {_all(own)}"
            yield f"{pad}(hashed {table.name} {width} {count.name} {_rows(rows)} {values}"
            yield from _operator(operator, depth + 1)
            yield f"{pad})"
        case tree.Placed(pairs):
            yield f"{pad}(placed {_pairs(pairs)})"


def _rows(rows: tree.AccumulatorRows | None) -> str:
    if rows is None:
        return "()"
    return f"({rows.region.name} {rows.first.name} {' '.join(map(show_type, rows.types))})"


def _all(found: Sequence[tree.Expr]) -> str:
    return f"({' '.join(map(show_expr, found))})"


def _pairs(pairs: Sequence[tuple[tree.Expr, tree.Expr]]) -> str:
    return f"({' '.join(map(_all, pairs))})"


def _operator(operator: tree.Operator, depth: int) -> Iterator[str]:
    pad = "  " * depth
    names = [f"({' '.join(map(_variable, own))})" for own in (operator.left, operator.right)]
    known = ["()" if how is None else _combination(how) for how in operator.known]
    yield f"{pad}(operator {' '.join(names)} ({' '.join(known)})"
    yield f"{pad}  (do"
    yield from _closed(operator.body, depth + 2)
    yield f"{pad}  {_all(operator.results)})"


def _mark(mark: tree.Mark | None) -> str:
    match mark:
        case None:
            return "()"
        case tree.Lanes(accumulators, abreast, few):
            found = [*_accumulators(accumulators), *["few"] * few]
            return f"({' '.join([f'lanes {abreast}', *found])})"
        case tree.Apart(accumulators):
            return f"({' '.join(['apart', *_accumulators(accumulators)])})"
        case tree.Running(scans, accumulators, counts):
            found = [f"({' '.join(_accumulators(own))})" for own in (scans, accumulators)]
            found += [variable.name for variable in counts]
            return f"({' '.join(['running', *found])})"
        case tree.Tables(tables):
            pairs = [f"({base.name} {distance.name})" for base, distance in tables]
            return f"({' '.join(['tables', *pairs])})"
        case tree.Shared(threads, test):
            return f"(shared {show_expr(threads)} {show_expr(test)})"


def _accumulators(accumulators: Sequence[tuple[tree.Combination, tree.Var]]) -> list[str]:
    return [f"({_combination(how)} {variable.name})" for how, variable in accumulators]


def _combination(how: tree.Combination) -> str:
    flags = [name for name in ("swapped", "keeps") if getattr(how, name)]
    return f"({' '.join([how.sign, how.row, repr(how.identity), *flags])})"
