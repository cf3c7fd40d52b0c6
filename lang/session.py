"""A conversation: forms that are evaluated one after the other, in one world that they add to.

What was defined may be defined again; what refers to it then means the new one.  A procedure may
refer to names that are defined later.  Forms that fail leave what was defined as it was.

    session = Session()
    session.evaluate(read(Source("<repl>", "(define (f x) (* x y)) (define y 3)")))
    session.evaluate(read(Source("<repl>", "(f 2)")))           # 6
    session.program()                                           # what `cogen.specialize` takes
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from cogen.lang import core, il, scope
from cogen.lang.builtins import builtins
from cogen.lang.collector import collector_paused
from cogen.lang.cps import convert
from cogen.lang.datum import UNSPECIFIED, Datum
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source, Warnings
from cogen.lang.expand import (
    Built,
    assigned_names,
    build,
    finished,
    prelude,
)
from cogen.lang.expander import Expander
from cogen.lang.governor import READING, RUNNING, Budget, Exceeded, governed, reached
from cogen.lang.interp import Interpreter
from cogen.lang.libraries import Libraries
from cogen.lang.reader import read
from cogen.lang.runtime import Finished, Frame, Step
from cogen.lang.sessionexpander import Links, SessionExpander, SessionScanner
from cogen.lang.syntax import Syntax
from cogen.lang.translate import ItemTranslator

NAME: Final = "<repl>"
"""What diagnostics call what people type."""


class Session:
    """The world of a conversation: what is defined, the state of the machine.

    Words of memory have `word_size` bits; output goes to `output` or else to `sys.stdout`.  An
    evaluation keeps to the budget.  `warnings` are those of the last evaluation.  With a `host`, it
    is a part of that program's run: its machine is the session's.
    """

    def __init__(
        self,
        library_path: Sequence[Path] = (),
        word_size: int = 32,
        output: TextIO | None = None,
        budget: Budget = RUNNING,
        host: Interpreter | None = None,
    ) -> None:
        self.library_path = tuple(library_path)
        self.source = Source(NAME, "")
        self.unit = scope.TopLevelUnit("the session")
        self.env = scope.Env(self.unit, 0)
        self.libraries = Libraries(self.library_path)
        scopes = scope.Scopes(builtins())
        scopes.prelude = prelude()
        self.expander = SessionExpander(scopes, self.libraries, self.unit)
        self.links = Links(self.expander)
        self.interpreter = _Interpreter(self.source, word_size, output, budget)
        self.interpreter.session = self
        if host is not None:
            self.interpreter.join(host)
            self.expander.taken.update(host.machine.globals)
            self.expander.taken.update(
                item.name for item in host.program.items if not isinstance(item, il.Expression)
            )
        self.history: list[_SessionEntry] = []
        self.reach: dict[str, set[str]] = {}
        """The globals that the definitions of a global refer to."""
        self.warnings = Warnings()
        self.changes = 0
        """How often something was defined."""

    def evaluate(self, forms: Sequence[Syntax]) -> Datum:
        """The value of the last form; the unspecified value for a definition.

        All that the forms define is known to all of them.  CogenError for the first that is wrong
        or fails: then all names mean what they meant before.
        """
        self.warnings = Warnings()
        kept = _SessionSnapshot(self)
        try:
            parts = governed("reading and expanding", READING, on_deep_stack, self._expand, forms)
            assigned = self._own_names() | assigned_names(self.expander, self.links.made)
            self._run(parts.library, assigned)
        except BaseException:
            kept.restore()
            raise
        values = {
            name: self.interpreter.machine.globals.get(name, _NOTHING)
            for entry in parts.entries
            for name in entry.globals
        }
        try:
            value = self._run(parts.own, assigned)
        except BaseException:
            kept.restore_names()
            self._put_back(values)
            raise
        self._remember(parts.entries)
        self.changes += bool(parts.entries)
        self._warn_of_promises()
        return value

    def load(self, source: Source) -> None:
        """Evaluate a file: its names are checked as a program's are."""
        self.expander.is_strict = True
        try:
            self.evaluate(read(source))
        finally:
            self.expander.is_strict = False

    @property
    def is_whole(self) -> bool:
        """Whether all names that definitions refer to are defined."""
        return not self.expander.promises

    def names(self) -> list[str]:
        """The names that mean something."""
        promised = {target.name for target in self.expander.promises}
        return sorted(self.expander.scopes.visible(self.env) - promised)

    def program(self) -> il.Program:
        """The program that the definitions are: each name's last, with what its value was made of.

        As a file with these definitions in the order in which they were given.  What expressions
        did, such as assignments, is no part of it.  CogenError if it is not whole.
        """
        what = "expanding the program"
        with collector_paused():
            made = governed(what, READING, on_deep_stack, self._whole_program)
        return convert(made)

    # Expansion

    def _expand(self, forms: Sequence[Syntax]) -> _Parts:
        x = self.expander
        x.begin(forms)
        try:
            parts = self._expanded(forms)
        except Exceeded:
            raise reached(x.at) from None
        except CogenError as error:
            raise x.failure(error) from None
        finally:
            self.unit.items.clear()
            x.calls.clear()
        if x.reported:
            raise x.failure()
        return parts

    def _expanded(self, forms: Sequence[Syntax]) -> _Parts:
        x = self.expander
        scanner = SessionScanner(x, self.env)
        scanned: list[tuple[Syntax, frozenset[scope.Identifier], list[scope.Item]]] = []
        for form in forms:
            before, count = frozenset(scanner.own), len(self.unit.items)
            scanner.scan([form])
            scanned.append((form, frozenset(scanner.own) - before, self.unit.items[count:]))
        library = self.links.scanned(self.libraries.order)
        own: list[Built] = []
        entries: list[_SessionEntry] = []
        for form, names, items in scanned:
            parts = [self._built(item) for item in items]
            own += parts
            if names or not parts:
                entries.append(self._entry(form, names, parts))
        x.check_calls()
        return _Parts(self.links.needed(library, own), own, entries)

    def _built(self, item: scope.Item) -> Built:
        """An item, expanded; only what is a procedure may refer to what is not defined."""
        x = self.expander
        known = dict(x.promises)
        x.may_promise = item.target is not None and not x.is_strict
        try:
            made = build(x, item)
        finally:
            x.may_promise = False
        if not isinstance(made.form.value, core.LambdaForm):
            for target in x.promises.keys() - known.keys():
                x.refuse(target)
        return made

    def _entry(
        self, form: Syntax, names: frozenset[scope.Identifier], parts: Sequence[Built]
    ) -> _SessionEntry:
        name_of = self.expander.name_of
        evaluated: set[str] = set()
        targets: set[str] = set()
        for part in parts:
            used = set(map(name_of, part.reached))
            if part.target is not None:
                targets.add(name_of(part.target))
                self.reach.setdefault(name_of(part.target), set()).update(used)
            if not isinstance(part.form.value, core.LambdaForm | core.ConstForm):
                evaluated |= used
        return _SessionEntry(form, names, frozenset(targets), frozenset(evaluated))

    def _own_names(self) -> frozenset[str]:
        """The globals of the session, all of which may be defined again."""
        return frozenset(
            self.expander.name_of(binding)
            for binding in self.unit.table.values()
            if isinstance(binding, scope.GlobalBinding) and binding.unit is self.unit
        )

    # Evaluation

    def _run(self, parts: Sequence[Built], assigned: frozenset[str]) -> Datum:
        if not parts:
            return UNSPECIFIED
        forms = tuple(part.form for part in parts)
        program = core.CoreProgram(forms, assigned, self.source, self._own_names())
        return self.interpreter.extend(convert(program))

    def _put_back(self, values: dict[str, Datum]) -> None:
        held = self.interpreter.machine.globals
        for name, value in values.items():
            if value is _NOTHING:
                held.pop(name, None)
            else:
                held[name] = value

    def _warn_of_promises(self) -> None:
        """Warn of the names that are not defined yet."""
        x = self.expander
        for target, form in x.new_promises():
            hint = x.suggestion(target.name, self.env)
            more = "" if hint is None else f" ({hint})"
            self.warnings.warn(f"`{target.name}` is not defined yet{more}", form.span)

    # The program

    def _remember(self, entries: Iterable[_SessionEntry]) -> None:
        """Add definitions to the history, and leave out those that nothing needs any more."""
        for entry in entries:
            self.history.append(entry)
            since: list[_SessionEntry] = []
            kept: list[_SessionEntry] = []
            for old in reversed(self.history):
                replaced = old is not entry and old.names and old.names <= entry.names
                if replaced and not self._uses(since, old.globals):
                    continue
                since.append(old)
                kept.append(old)
            self.history = kept[::-1]

    def _uses(self, entries: Iterable[_SessionEntry], names: frozenset[str]) -> bool:
        """Whether the evaluation of definitions may come to a name."""
        work = [name for entry in entries for name in entry.evaluated]
        seen = set(work)
        while work:
            name = work.pop()
            if name in names:
                return True
            new = self.reach.get(name, set()) - seen
            seen |= new
            work += new
        return False

    def _whole_program(self) -> core.CoreProgram:
        scopes = scope.Scopes(builtins())
        scopes.prelude = prelude()
        libraries = Libraries(self.library_path)
        x = Expander(scopes, libraries)
        x.sources.append(self.source)
        unit = scope.TopLevelUnit("the program")
        try:
            SessionScanner(x, scope.Env(unit, 0)).scan([entry.form for entry in self.history])
            return finished(x, unit, libraries, self.source)
        except Exceeded:
            raise reached(x.at) from None


_NOTHING: Final = object()


@dataclass(frozen=True, slots=True, eq=False)
class _SessionEntry:
    """A form that defines something, or imports: the names, what globals they are, and to which
    globals its evaluation refers."""

    form: Syntax
    names: frozenset[scope.Identifier]
    globals: frozenset[str]
    evaluated: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """What is to be evaluated: of libraries, then of the forms; and what is to be remembered."""

    library: list[Built]
    own: list[Built]
    entries: list[_SessionEntry]


class _SessionSnapshot:
    """What a session knows at a time, to go back to."""

    def __init__(self, session: Session) -> None:
        self.session = session
        x, unit, libraries, links = (
            session.expander, session.unit, session.libraries, session.links,
        )  # fmt: skip
        named: list[Collection] = [
            unit.table, unit.imported, unit.defined_at, unit.records,
            x.promises, x.procedures, x.operations, x.assigned,
        ]  # fmt: skip
        rest: list[Collection] = [
            x.names, x.taken, x.records, x.sources, x.includers,
            libraries.order, libraries.units, libraries.loading,
            links.waiting, links.definitions, links.seen, links.made,
        ]  # fmt: skip
        self.names = [_kept(held) for held in named]
        self.rest = [_kept(held) for held in rest]

    def restore_names(self) -> None:
        """Names mean what they meant."""
        for put_back in self.names:
            put_back()

    def restore(self) -> None:
        """All is as it was."""
        self.restore_names()
        for put_back in self.rest:
            put_back()


Collection = dict[Any, Any] | set[Any] | list[Any]


def _kept(held: Collection) -> Callable[[], None]:
    """What puts the contents of a collection back."""
    copy: Any = held.copy()
    put: Callable[[Any], None] = held.extend if isinstance(held, list) else held.update

    def put_back() -> None:
        held.clear()
        put(copy)

    return put_back


class _Interpreter(Interpreter):
    """Runs a program that goes on: each part of it once, up to its own end, also when a
    continuation of an earlier part is entered again."""

    def __init__(
        self, source: Source, word_size: int, output: TextIO | None, budget: Budget
    ) -> None:
        super().__init__(il.Program((), source=source), word_size, output, budget=budget)
        self.ends: set[int] = set()
        """The numbers of the items that parts begin with."""

    def join(self, host: Interpreter) -> None:
        """Become a part of a run: share its machine, and what it knows of places."""
        self.machine, self.runtime = host.machine, host.runtime
        self.sites, self.returns = host.sites, host.returns
        self.translator = ItemTranslator(self.runtime, self.known, loops=host.max_steps is None)

    def extend(self, program: il.Program) -> Datum:
        """Run the items of a further part; the value of the last, if it is an expression."""
        start = len(self.program.items)
        self.program = il.Program(
            (*self.program.items, *program.items),
            program.assigned,
            program.source,
            program.own_globals,
        )
        for item in program.items:
            if isinstance(item, il.Define):
                self.known[item.name] = item.function
        self.ends.add(len(self.program.items))
        return self._execute(self._item, (start,), None)

    def _item(self, index: int) -> Step:
        item = self.program.items[index]
        while isinstance(item, il.Define):
            self.machine.globals[item.name] = self._closure(item.name, item.function)
            index += 1
            if index in self.ends:
                raise Finished(UNSPECIFIED)
            item = self.program.items[index]
        unit = self.translator.block(item.cont, item.body, item.span)
        return self._load(unit), ((self._item_done, None, index),)

    def _item_done(self, value: Datum, frame: Frame) -> Step:
        index = frame[2]
        item = self.program.items[index]
        if isinstance(item, il.Value):
            self.machine.globals[item.name] = value
            value = UNSPECIFIED
        if index + 1 in self.ends:
            raise Finished(value)
        return self._item, (index + 1,)
