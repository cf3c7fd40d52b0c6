"""Code for the generators whose results are known only after the loop: Append, Group, Distinct.

Append      room that grows; the arrays of an iteration are copied behind what is there
Group       keys are kept and counted; after the loop, a counting sort of the indices
Distinct    a table of the different values so far, by hash, or by value where it is small
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cogen.array.codegen import reps
from cogen.array.codegen.emitter import OUT_OF_MEMORY, Emitter
from cogen.array.codegen.reps import Handle, Memory, Rep, Scalar
from cogen.array.node import Append, Distinct, Group, Node
from cogen.array.types import CERT, INT, element, rank
from cogen.array.types import Scalar as ScalarType
from cogen.target import ctree as ct

if TYPE_CHECKING:
    from cogen.array.codegen.multiloop import LoopCode, Output


def prepare(code: LoopCode, output: Output) -> None:
    """Make room before the loop."""
    e, y = code.e, output.y
    match y.generator:
        case Append():
            output.count = e.variable("int64_t", "count", "0")
            for value in y.values:
                output.arrays.append(_growing(code, element(value.type)))
        case Group():
            _prepare_group(code, output)
        case Distinct():
            e.program.helpers.add("numbers")
            numbers = e.allocate(INT, (code.size,), "numbers")
            output.table = e.fresh("table")
            e.add(ct.Declare("cogen_numbers", output.table))
            try_call(code, f"cogen_numbers_begin(memory, &{output.table}, {code.size})")
            output.arrays = [numbers]


def _growing(code: LoopCode, t: ScalarType) -> Memory:
    """An array without a size, which has a block of its own that may be exchanged."""
    e = code.e
    e.program.helpers.add("room")
    name = e.fresh_pair("y")
    owner = f"{name}_block"
    size = f"sizeof({e.element_type(t)})"
    made = f"cogen_alloc(memory, {reps.atom(code.size)} < 16 ? 16 : {reps.atom(code.size)}, {size})"
    e.add(ct.Declare("cogen_block *", owner, ct.Name(made)))
    e.fail_if(f"{owner} == NULL", OUT_OF_MEMORY, e.span)
    handle = Handle(owner)
    e.hold(handle)
    return reps.dense(t, name, ("0",), handle)


def try_call(code: LoopCode, call: str) -> None:
    """Call a function that is false where there is no memory."""
    code.e.fail_if(f"!{call}", OUT_OF_MEMORY, code.e.span)


def take(code: LoopCode, output: Output, index: str) -> None:
    """What a generator does in an iteration."""
    e, y = code.e, output.y
    if output.finished_later:
        taken = y.values if y.key is None else (y.key, *y.values)
        for array, value in zip(output.arrays, taken, strict=True):
            e.put(array, [index], e.rep(value))
        return
    match y.generator:
        case Append():
            _append(code, output)
        case Group():
            assert y.key is not None
            key = e.text(y.key)
            for node, array in output.stored.items():
                e.put(array, [index], e.rep(node))
            e.assign(f"{output.arrays[0].data}[{key}]", "1", "+=")
        case Distinct():
            found = e.fresh("number")
            call = (
                f"cogen_number(memory, &{output.table}, (int64_t){reps.atom(e.text(y.values[0]))})"
            )
            e.add(ct.Declare("const int64_t", found, ct.Name(call)))
            e.fail_if(f"{found} < 0", OUT_OF_MEMORY, e.span)
            e.put(output.arrays[0], [index], Scalar(found))


def _prepare_group(code: LoopCode, output: Output) -> None:
    """The offsets, and the sorted arrays; what is no element of an input is stored meanwhile."""
    e, y = code.e, output.y
    e.program.helpers.add("starts")
    offsets = e.allocate(INT, (e.extent(y.extras[0]),), "offsets")
    clear(e, offsets)
    output.arrays = [offsets]
    for value in y.values:
        shape = (code.size, *e.sizes(value.type))
        output.arrays.append(e.allocate(element(value.type), shape, "sorted"))
    assert y.key is not None
    for value in (y.key, *y.values):
        if value.type == CERT or value in code.node.elements or value in output.stored:
            continue
        shape = (code.size, *e.sizes(value.type))
        output.stored[value] = e.allocate(element(value.type), shape, "taken")


def clear(e: Emitter, offsets: Memory) -> None:
    """No element has any key so far."""
    size = reps.bytes_of(offsets.shape[0], e.element_type(INT))
    e.add(ct.Do(ct.Invoke("memset", tuple(map(ct.Name, (offsets.data, "0", size))))))


def _sort(code: LoopCode, output: Output) -> None:
    """A counting sort."""
    offsets = output.arrays[0]
    limits = ct.Name(offsets.shape[0])
    code.e.add(ct.Do(ct.Invoke("cogen_starts", (ct.Name(offsets.data), limits))))
    place_elements(code, output, offsets.data, "0", code.size)
    code.e.add(ct.Do(ct.Invoke("cogen_ends", (ct.Name(offsets.data), limits))))


def place_elements(code: LoopCode, output: Output, ends: str, start: str, stop: str) -> None:
    """Store what a Group has taken in some iterations: `ends` has the place of the next element of
    each key."""
    e, y = code.e, output.y
    results = output.arrays[1:]
    inputs = dict(zip(code.node.elements, code.inputs, strict=True))
    index = e.fresh("i")

    def there(value: Node) -> Rep:
        if value.type == CERT:
            return Scalar("true")
        array = output.stored.get(value) or inputs[value]  # type: ignore[index]  # an element
        if rank(value.type):
            return e.row(array, [index])
        return e.scalar(reps.element(array, [index]), element(value.type), "x")

    with e.gathered() as made:
        assert y.key is not None
        key = there(y.key)
        assert isinstance(key, Scalar)
        place = e.define("int64_t", "place", f"{ends}[{key.text}]++")
        for array, value in zip(results, y.values, strict=True):
            e.put(array, [place], there(value))
    e.add(e.counting(index, start, stop, made))


def _append(code: LoopCode, output: Output) -> None:
    e = code.e
    more = "0"
    for array, value in zip(output.arrays, output.y.values, strict=True):
        rep = e.array(value)
        more = rep.shape[0]
        kind = e.element_type(array.element)
        assert array.handle is not None
        block = array.handle.owner
        size = f"(int64_t)sizeof({kind})"
        sizes = f"{output.count} * {size}, {reps.atom(more)} * {size}"
        try_call(code, f"cogen_room(memory, &{block}, {sizes})")
        start = f"({e.pointer_type(array.element)})cogen_data({block}) + {output.count}"
        end = e.point(array.element, "end", start)
        e.copy(reps.dense(array.element, end, (more,)), rep)
    e.assign(output.count, more, "+=")


def bind(code: LoopCode, output: Output) -> None:
    """What is done after the loop, and the results."""
    e, y, node = code.e, output.y, code.node
    match y.generator:
        case Append():
            if e.program.arithmetic.int_bits < 64:
                most = e.program.arithmetic.max_elements
                message = "an array of size {} is too large"
                e.fail_if(f"{output.count} > {most}", message, e.span, [output.count])
            e.bind_key((node, y.first), Scalar(output.count))
            for place, array in zip(output.places, output.arrays, strict=True):
                assert array.handle is not None
                data = f"cogen_data({array.handle.owner})"
                e.add(
                    ct.Declare(f"{e.pointer_type(array.element)}const", array.data, ct.Name(data))
                )
                e.bind_key((node, place), replace(array, shape=(output.count,)))
        case Group():
            if not output.joined:
                _sort(code, output)
            for place, array in zip(output.places, output.arrays, strict=True):
                e.bind_key((node, place), array)
        case Distinct():
            count = e.define("int64_t", "count", f"{output.table}.count")
            t = element(y.values[0].type)
            values = e.allocate(t, (count,), "values")
            index = e.fresh("i")
            kept = f"({e.element_type(t)}){output.table}.values[{index}]"
            body = (ct.Assign(ct.Name(f"{values.data}[{index}]"), ct.Name(kept)),)
            e.add(e.counting(index, "0", count, body))
            e.add(ct.Do(ct.Invoke("cogen_numbers_end", (ct.Name(f"&{output.table}"),))))
            e.bind_key((node, y.first), Scalar(count))
            for place, array in zip(output.places, (values, output.arrays[0]), strict=True):
                e.bind_key((node, place), array)
