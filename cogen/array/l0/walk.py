"""Walks over trees: the parts of a node, and the node with other parts.

`parts(e)` are the expressions directly inside, in the order of evaluation, each with whether it is
*inner*: evaluated any number of times, or under a condition.  `with_parts(e, ...)` is the same node
around other expressions; the node itself if they are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.l0 import tree

Part = tuple[tree.Expression, bool]


def parts(e: tree.Expression) -> list[Part]:
    """The expressions directly inside of an expression."""
    match e:
        case tree.Tuple(parts=inside) | tree.ArrayExpression(elements=inside):
            return [(part, False) for part in inside]
        case tree.Form(operands=inside) | tree.CallExpression(arguments=inside):
            return [(part, False) for part in inside]
        case tree.IndexExpression(indices=inside):
            return [(part, False) for part in inside]
        case tree.BinaryExpression(left=a, right=b):
            return [(a, False), (b, False)]
        case tree.UnaryExpression(operand=a) | tree.SizeExpression(array=a):
            return [(a, False)]
        case tree.Transpose(array=a) | tree.RearrangeExpression(array=a) | tree.Predicated(body=a):
            return [(a, False)]
        case tree.IfExpression(condition=c, then=a, otherwise=b):
            return [(c, False), (a, True), (b, True)]
        case tree.LetExpression(value=a, body=b):
            return [(a, False), (b, False)]
        case tree.LetWith(indices=inside, value=a, body=b):
            return [*((part, False) for part in inside), (a, False), (b, False)]
        case tree.LoopExpression(initial=a, bound=b, body=c, result=d):
            return [(a, False), (b, False), (c, True), (d, False)]
        case tree.ReshapeExpression(shape=inside, array=a):
            return [*((part, False) for part in inside), (a, False)]
        case tree.SoacExpression(functions=functions, initial=initial, arrays=arrays):
            first = [] if initial is None else [(initial, False)]
            return _of_functions(functions) + first + [(array, False) for array in arrays]
        case tree.ExtensionExpression(functions=functions, operands=operands):
            return _of_functions(functions) + [(operand, False) for operand in operands]
        case tree.Field(whole=whole, indices=inside):
            return [(whole, False), *((part, False) for part in inside)]
        case tree.Made(fields=fields):
            return [(given.value, False) for given in fields]
        case tree.Changed(whole=whole, fields=fields):
            return [(whole, False), *((given.value, False) for given in fields)]
        case tree.CaseExpression(value=value, arms=arms):
            return [(value, False), *((arm.body, True) for arm in arms)]
        case _:
            return []


def _of_functions(functions: Sequence[tree.Function]) -> list[Part]:
    found: list[Part] = []
    for function in functions:
        if isinstance(function, tree.LambdaExpression):
            found.append((function.body, True))
        else:
            found += [(argument, False) for argument in function.arguments]
    return found


def with_parts(e: tree.Expression, new: Sequence[tree.Expression]) -> tree.Expression:
    """The expression with other parts, in the order of `parts`."""
    if all(part is old for part, (old, _) in zip(new, parts(e), strict=True)):
        return e
    span, inside = e.span, tuple(new)
    match e:
        case tree.Tuple():
            return tree.Tuple(span, inside)
        case tree.ArrayExpression():
            return tree.ArrayExpression(span, inside)
        case tree.Form(name=name):
            return tree.Form(span, name, inside)
        case tree.CallExpression(function=function):
            return tree.CallExpression(span, function, inside)
        case tree.IndexExpression(array=array, certificates=certificates):
            return tree.IndexExpression(span, array, certificates, inside)
        case tree.BinaryExpression(operator=operator):
            return tree.BinaryExpression(span, operator, *inside)
        case tree.UnaryExpression(operator=operator):
            return tree.UnaryExpression(span, operator, *inside)
        case tree.SizeExpression(dimension=dimension):
            return tree.SizeExpression(span, dimension, *inside)
        case tree.Transpose(dimension=dimension, distance=distance):
            return tree.Transpose(span, dimension, distance, *inside)
        case tree.RearrangeExpression(order=order):
            return tree.RearrangeExpression(span, order, *inside)
        case tree.Predicated(certificates=certificates):
            return tree.Predicated(span, certificates, *inside)
        case tree.IfExpression():
            return tree.IfExpression(span, *inside)
        case tree.LetExpression(pattern=pattern):
            return tree.LetExpression(span, pattern, *inside)
        case tree.LetWith(target=target, source=source, certificates=certificates):
            *indices, value, body = inside
            return tree.LetWith(span, target, source, certificates, tuple(indices), value, body)
        case tree.LoopExpression(pattern=pattern, index=index):
            initial, bound, body, result = inside
            return tree.LoopExpression(span, pattern, initial, index, bound, body, result)
        case tree.ReshapeExpression():
            return tree.ReshapeExpression(span, inside[:-1], inside[-1])
        case tree.SoacExpression():
            functions, rest = _functions(e.functions, list(inside))
            start = rest.pop(0) if e.initial is not None else None
            return tree.SoacExpression(span, e.kind, e.tupleless, functions, start, tuple(rest))
        case tree.ExtensionExpression(name=name):
            functions, rest = _functions(e.functions, list(inside))
            return tree.ExtensionExpression(span, name, functions, tuple(rest))
        case tree.Field(name=name):
            return tree.Field(span, inside[0], name, inside[1:])
        case tree.Made(name=name, fields=fields):
            return tree.Made(span, name, _given(fields, inside))
        case tree.Changed(fields=fields):
            return tree.Changed(span, inside[0], _given(fields, inside[1:]))
        case tree.CaseExpression(arms=arms):
            pairs = zip(arms, inside[1:], strict=True)
            made = [tree.Arm(a.span, a.name, a.names, a.patterns, body) for a, body in pairs]
            return tree.CaseExpression(span, inside[0], tuple(made))
        case _:
            return e


def _given(fields: Sequence[tree.Given], new: Sequence[tree.Expression]) -> tuple[tree.Given, ...]:
    pairs = zip(fields, new, strict=True)
    return tuple([tree.Given(given.name, value) for given, value in pairs])


def _functions(
    functions: Sequence[tree.Function], new: list[tree.Expression]
) -> tuple[tuple[tree.Function, ...], list[tree.Expression]]:
    """The functions with other parts, and the parts that are left."""
    made: list[tree.Function] = []
    for function in functions:
        if isinstance(function, tree.LambdaExpression):
            body, *new = new
            made.append(
                tree.LambdaExpression(function.span, function.result, function.parameters, body)
            )
            continue
        count = len(function.arguments)
        given, new = tuple(new[:count]), new[count:]
        if isinstance(function, tree.Named):
            made.append(tree.Named(function.span, function.name, given))
        else:
            made.append(tree.Section(function.span, function.operator, given))
    return tuple(made), new
