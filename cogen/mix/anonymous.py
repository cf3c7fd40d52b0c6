"""Programs up to names: functions and variables numbered in the order of their first use."""

from __future__ import annotations

from cogen.lang.datum import NIL, Datum, Pair, Symbol, from_iterable, iterate, symbol
from cogen.lang.deep import on_deep_stack


def anonymous(program: Datum) -> Datum:
    """The program of the small language with functions f0 (the first), f1, ... in order of
    calls from the first, and variables x0, x1, ... in order of binding; what is never called
    is left out."""
    return on_deep_stack(lambda: _Renaming(program).run())


class _Renaming:
    def __init__(self, program: Datum) -> None:
        self.definitions = {item.car: item for item in iterate(program)}
        self.functions: dict[Datum, int] = {next(iterate(program)).car: 0}
        self.variables = 0

    def run(self) -> Datum:
        made = []
        done = 0
        while done < len(self.functions):
            name = list(self.functions)[done]
            _, variables, body = iterate(self.definitions[name])
            self.variables = 0
            env: dict[Datum, Datum] = {}
            new = self.parameters(variables, env)
            made.append(from_iterable([symbol(f"f{done}"), new, self.expr(body, env)]))
            done += 1
        return from_iterable(made)

    def parameters(self, variables: Datum, env: dict[Datum, Datum]) -> Datum:
        """New names for the parameters of a procedure; what is made once has none."""
        if isinstance(variables, Symbol):
            return variables
        return from_iterable([self.bind(variable, env) for variable in iterate(variables)])

    def bind(self, variable: Datum, env: dict[Datum, Datum]) -> Datum:
        env[variable] = symbol(f"x{self.variables}")
        self.variables += 1
        return env[variable]

    def expr(self, expr: Datum, env: dict[Datum, Datum]) -> Datum:
        tag, *parts = iterate(expr)
        match tag.name:
            case "quote" | "operation":
                return expr
            case "var":
                return from_iterable([tag, env[parts[0]]])
            case "let":
                value = self.expr(parts[1], env)
                inner = dict(env)
                variable = self.bind(parts[0], inner)
                return from_iterable([tag, variable, value, self.expr(parts[2], inner)])
            case "lambda":
                inner = dict(env)
                if isinstance(parts[0], Symbol):
                    taken: Datum = self.bind(parts[0], inner)
                else:
                    taken = self.parameters(parts[0], inner)
                return from_iterable([tag, taken, self.expr(parts[1], inner)])
            case "prim" | "effect":
                return from_iterable([tag, parts[0], *(self.expr(p, env) for p in parts[1:])])
            case "call" | "global":
                number = self.functions.setdefault(parts[0], len(self.functions))
                arguments = [self.expr(part, env) for part in parts[1:]]
                return from_iterable([tag, symbol(f"f{number}"), *arguments])
            case _:
                return from_iterable([tag, *(self.expr(part, env) for part in parts)])


def with_entry(program: Datum, entry: str, variables: tuple[str, ...], called: str) -> Datum:
    """The program with a procedure more, at its head, that calls another one with the list of
    its own arguments."""
    body: Datum = from_iterable([symbol("quote"), NIL])
    for name in reversed(variables):
        variable = from_iterable([symbol("var"), symbol(name)])
        body = from_iterable([symbol("prim"), symbol("cons"), variable, body])
    body = from_iterable([symbol("call"), symbol(called), body])
    names = from_iterable(symbol(name) for name in variables)
    return Pair(from_iterable([symbol(entry), names, body]), program)
