"""What the specializer gives: a residual program and how to call it."""

from __future__ import annotations

from dataclasses import dataclass, field

from cogen.lang import il
from cogen.lang.errors import CogenError, Note, Span
from cogen.lang.signature import parameter_place


@dataclass(frozen=True, slots=True)
class ResidualParameter:
    """A parameter of a residual entry: its name, its declared type (int float bool memory any)
    and, for a cyclic one, its (base, remainder); it is passed as its value in any case.  `shape` is
    the text of an array or tuple type, if one is declared; the type is then any.  It is, or is a
    part of, the parameter number `position` of the source's `procedure`."""

    name: str
    type: str = "any"
    cyclic: tuple[int, int] | None = None
    shape: str | None = None
    procedure: il.Function | None = field(default=None, compare=False, repr=False)
    position: int = field(default=0, compare=False, repr=False)

    @property
    def place(self) -> Span | None:
        """Where it stands in the source."""
        return None if self.procedure is None else parameter_place(self.procedure, self.position)


@dataclass(frozen=True, slots=True, eq=False)
class ResidualProgram:
    """`program` holds only `Define` items; `entry` names the one to call.  `nodes` are the parts of
    the program that was interpreted, if its text is known (`cogen.origins`)."""

    program: il.Program
    entry: str
    parameters: tuple[ResidualParameter, ...]
    word_size: int = 32
    checked: bool = False
    statistics: dict[str, float] = field(default_factory=dict)
    nodes: tuple[Span, ...] = ()

    def __repr__(self) -> str:
        names = ", ".join(parameter.name for parameter in self.parameters)
        return f"<residual program {self.entry}({names})>"

    def refusal(
        self, parameter: ResidualParameter, problem: str, hint: str | None = None
    ) -> CogenError:
        """The error of an argument."""
        message = f"{self.entry}: the argument for {parameter.name} {problem}"
        return CogenError(message, parameter.place, hint=hint)

    def overlap(self, first: ResidualParameter, second: ResidualParameter) -> CogenError:
        """The error of two buffers that share bytes."""
        return CogenError(
            f"{self.entry}: the arguments for {first.name} and {second.name} overlap, "
            "and one of them is stored to",
            first.place,
            hint="pass separate buffers, for instance a copy",
            notes=[Note("the other one is that for this parameter", second.place)],
        )

    def check_count(self, count: int) -> None:
        """CogenError if a call has another number of arguments than there are parameters."""
        wanted = len(self.parameters)
        if count == wanted:
            return
        names = ", ".join(parameter.name for parameter in self.parameters)
        plural = "" if wanted == 1 else "s"
        listed = f" ({names})" if names else ""
        message = f"{self.entry}: expected {wanted} argument{plural}{listed}, got {count}"
        raise CogenError(message, self.place)

    @property
    def place(self) -> Span | None:
        """Where the entry is defined."""
        for item in self.program.items:
            if isinstance(item, il.Define) and item.name == self.entry:
                return item.function.span
        return None
