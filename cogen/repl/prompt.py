"""Where a conversation comes from: a terminal, with completion and history, or anything else.

On a terminal `prompt_toolkit` reads what is typed (extra `repl`); without it the line reader of
Python does.  History is kept in `history` in the user's directory for state.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cogen.lang.errors import CogenError, Source
from cogen.lang.incoming import Incoming
from cogen.repl.commands import COMMANDS, FILE, Quit
from cogen.version import __version__

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

    from cogen.repl.conversation import Conversation

PROMPT: Final = "> "
MORE: Final = ". "
"""The prompt of lines that go on with a form."""

WORD: Final = re.compile(r"[^\s()'\"`;,\[\]{}]+$")
"""The word before the cursor."""

Read = Callable[[], str]
"""What the next line, or several lines, are read by; EOFError at the end."""


def converse(conversation: Conversation) -> None:
    """Answer what is said on standard input until it ends or asks for the end."""
    with suppress(Quit):
        if sys.stdin.isatty():
            _on_terminal(conversation)
        else:
            _from_stream(conversation)


def _from_stream(conversation: Conversation) -> None:
    for line in _lines():
        conversation.say(line)
    conversation.end()


def _lines() -> Iterator[str]:
    try:
        while line := sys.stdin.readline():
            yield line if line.endswith("\n") else line + "\n"
    except UnicodeDecodeError:
        raise CogenError("standard input is not UTF-8 text") from None


def _on_terminal(conversation: Conversation) -> None:
    read = _reader(conversation)
    if sys.stdout.isatty():
        print(f"cogen {__version__}; ,help lists the commands, control-D leaves")
    while True:
        try:
            conversation.begin_line()
            conversation.say(read() + "\n")
        except KeyboardInterrupt:  # at the prompt: what was typed is left out
            conversation.forget()
            print()
        except EOFError:
            print()
            conversation.end()
            return


def _reader(conversation: Conversation) -> Read:
    if sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
        with suppress(ImportError):
            return _with_prompt_toolkit(conversation)
    with suppress(ImportError):
        import readline  # noqa: F401  # it is enough that it is there
    return lambda: input(MORE if conversation.is_inside else PROMPT)


# With prompt_toolkit


def _with_prompt_toolkit(conversation: Conversation) -> Read:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.lexers import PygmentsLexer
    from pygments.lexers.lisp import SchemeLexer

    session: PromptSession[str] = PromptSession(
        PROMPT,
        multiline=True,
        prompt_continuation=lambda width, _line, _wraps: MORE[:width],
        history=_history(),
        completer=_completer(conversation),
        complete_while_typing=False,
        key_bindings=_keys(),
        lexer=PygmentsLexer(SchemeLexer),
    )
    return session.prompt


def indentation(text: str) -> int | None:
    """How far the next line of a text is to be indented; None if the text is complete."""
    match = re.match(r"\s*,(\S+)", text)
    if match is not None:
        command = COMMANDS.get(match[1])
        if command is None or not command.is_of_form:
            return None
        text = " " * match.end() + text[match.end() :]
    incoming = Incoming(Source("", ""))
    try:
        incoming.add_text(text + "\n")
        while incoming.take() is not None:
            pass
    except CogenError:
        return None
    if incoming.stack:
        return incoming.frame.span.column + 1
    return 0 if incoming.is_inside else None


def _keys() -> Any:
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    def _(event: Any) -> None:
        buffer = event.current_buffer
        deeper = indentation(buffer.text)
        if deeper is None:
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n" + " " * deeper)

    return keys


def _completer(conversation: Conversation) -> Any:
    from prompt_toolkit.completion import Completer, Completion, PathCompleter
    from prompt_toolkit.document import Document

    paths = PathCompleter(expanduser=True)

    class NameCompleter(Completer):
        """Completes commands, their files, and names that mean something."""

        def get_completions(self, document: Document, event: Any) -> Iterator[Completion]:
            before = document.text_before_cursor
            load = re.match(r"\s*,(\w+)\s+", before)
            command = COMMANDS.get(load[1]) if load is not None else None
            if load is not None and command is not None and command.argument == FILE:
                yield from paths.get_completions(Document(before[load.end() :]), event)
                return
            for word, start in completions(conversation, before):
                yield Completion(word, start_position=start)

    return NameCompleter()


def completions(conversation: Conversation, before: str) -> Iterator[tuple[str, int]]:
    """What may stand in place of the word at the end of a text, and where it starts, counted from
    the end."""
    if re.fullmatch(r"\s*,[\w?-]*", before):
        typed = before.strip()
        found = [f",{name}" for name in COMMANDS]
    else:
        match = WORD.search(before)
        typed = match[0] if match is not None else ""
        found = conversation.session.names() if typed else []
    for word in found:
        if word.startswith(typed):
            yield word, -len(typed)


def _history() -> Any:
    from platformdirs import user_state_path
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    place = Path(user_state_path("cogen", appauthor=False))
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = place / "history"
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))
