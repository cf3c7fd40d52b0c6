"""`define-record-type`: procedures that are calls of `make-record`, `record-ref`, ...

A call of such a procedure that nothing redefines becomes a call of the primitive itself, so an
error in it is reported at the call.
"""

from __future__ import annotations

from cogen.lang import core
from cogen.lang.bodies import check_distinct
from cogen.lang.core import Expr, LocalVariable
from cogen.lang.datum import RecordType
from cogen.lang.errors import CogenError
from cogen.lang.expander import Expander
from cogen.lang.formshapes import items_of, malformed, parts_of
from cogen.lang.scanner import Scanner
from cogen.lang.scope import (
    ConstantBinding,
    Identifier,
    RecordOperation,
    is_identifier,
    root,
)
from cogen.lang.syntax import Syntax

RECORD_SHAPE = (
    "(define-record-type name (constructor field ...) predicate (field accessor [modifier]) ...)"
)


def scan_define_record(scanner: Scanner, form: Syntax) -> None:
    """`(define-record-type name (constructor field ...) predicate (field accessor [modifier]) ...)`

    The procedures become calls of `make-record`, `record-is?`, `record-ref`, `record-set!`.
    """
    parts = parts_of(form, RECORD_SHAPE, 3)
    name, constructor, predicate = parts[:3]
    if not is_identifier(name):
        raise malformed(name, "define-record-type", RECORD_SHAPE, "name")
    fields: dict[Identifier, int] = {}
    for spec in parts[3:]:
        items = items_of(spec)
        if items is None or not 2 <= len(items) <= 3 or not all(map(is_identifier, items)):
            raise malformed(spec, "define-record-type", "(field accessor [modifier])", "field")
        if items[0].value in fields:
            raise CogenError(f"duplicate field `{root(items[0].value).name}`", items[0].span)
        fields[items[0].value] = len(fields)
    record = RecordType(root(name.value).name, tuple(root(field).name for field in fields))
    scanner.record(record)
    scanner.keyword(name, ConstantBinding(record))
    define_constructor(scanner, constructor, record, fields)
    if not is_identifier(predicate):
        raise malformed(predicate, "define-record-type", RECORD_SHAPE, "predicate")
    define_operation(scanner, predicate, RecordOperation("record-is?", (record,), ("object",)))
    for index, spec in enumerate(parts[3:]):
        items = items_of(spec) or ()
        of = f"{record.name}-{record.fields[index]}"
        told = _told(items[1], of)
        accessor = RecordOperation("record-ref", (record, index), ("record",), told=told)
        define_operation(scanner, items[1], accessor)
        if len(items) == 3:
            told = _told(items[2], f"{of}-set!")
            parameters = ("record", "value")
            modifier = RecordOperation("record-set!", (record, index), parameters, told=told)
            define_operation(scanner, items[2], modifier)


def _told(name: Syntax, primitive: str) -> str | None:
    """What messages call a procedure, if that is not what the primitive behind it does."""
    called = root(name.value).name
    return None if called == primitive else called


def define_constructor(
    scanner: Scanner, spec: Syntax, record: RecordType, fields: dict[Identifier, int]
) -> None:
    """Define `(constructor field ...)`, or `constructor`, which takes all fields."""
    if is_identifier(spec):
        chosen, name = list(fields), spec
    else:
        items = items_of(spec)
        if not items or not all(map(is_identifier, items)):
            raise malformed(spec, "define-record-type", RECORD_SHAPE, "constructor")
        name = items[0]
        check_distinct(items[1:], "field")
        for field in items[1:]:
            if field.value not in fields:
                raise CogenError(
                    f"`{root(field.value).name}` is no field of the record type `{record.name}`",
                    field.span,
                    f"its fields are {' '.join(record.fields)}",
                )
        chosen = [field.value for field in items[1:]]
    slots = tuple(chosen.index(field) if field in chosen else None for field in fields)
    parameters = tuple(root(field).name for field in chosen)
    define_operation(scanner, name, RecordOperation("make-record", (record,), parameters, slots))


def define_operation(scanner: Scanner, name: Syntax, operation: RecordOperation) -> None:
    """Define a procedure of a record type."""
    target = scanner.variable(name)
    scanner.operation(target, operation)

    def build(x: Expander) -> Expr:
        variables = tuple(LocalVariable(parameter) for parameter in operation.parameters)
        arguments = [core.LocalRef(variable, name.span) for variable in variables]
        body = x.record_call(operation, arguments, name.span)
        return core.LambdaForm(variables, None, body, target.name, name.span)

    scanner.add(target, build, name.span)
