"""The store: what is believed of what lies on disk, and where it lies."""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import stat
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import cogen
from cogen import diskstore as store
from cogen.backends.kernel.load import load
from cogen.backends.native import build
from cogen.backends.objectcode import cache, toolchain
from cogen.lang.errors import CogenError, InternalError
from cogen.lang.warning import CogenWarning
from tests.cogen.native import residual

pytestmark = pytest.mark.quick

TEXT = "#include <stdint.h>\nint64_t one(void) { return 1; }\n"
ONE = "(define one (lambda (a) k ((let b (+ a '1)) (jump k b))))"
POWER = "(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))"


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of an empty store."""
    path = tmp_path / "store"
    monkeypatch.setenv("COGEN_CACHE_DIR", str(path))
    return path


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process that has not used its store yet; what it puts elsewhere is removed."""
    other: dict[int, store.DiskStore] = {}
    monkeypatch.setattr(store, "_replaced", set())
    monkeypatch.setattr(store, "_temporary", other)
    yield
    for used in other.values():
        shutil.rmtree(used.directory)


def keep(content: bytes, *parts: str) -> Path:
    """An entry with the content."""
    return store.file("test", *parts, make=lambda made: store._write(made, content))


def left_over(directory: Path) -> list[str]:
    """What is no entry and no lock."""
    names = os.listdir(directory)
    return [n for n in names if not n.startswith("lock-") and not store._ENTRY.fullmatch(n)]


class TestEntries:
    def test_what_is_put_is_got(self, directory: Path) -> None:
        assert store.get("code", "a", "b") is None
        store.put("code", "a", "b", content=b"\0abc\n")
        assert store.get("code", "a", "b") == b"\0abc\n"
        assert store.get("code", "ab", "") is None  # parts are kept apart
        assert store.get("code", "a\0\0b") is None
        assert store.get("other", "a", "b") is None  # so are kinds
        assert not left_over(directory)

    def test_a_file_is_made_once(self, directory: Path) -> None:
        path = keep(b"1", "x")
        assert keep(b"2", "x") == path
        assert store.contents(path) == b"1"
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.stat().st_mode) == 0o700

    def test_flipped_and_missing_bytes(self, directory: Path) -> None:
        path = keep(b"something longer", "x")
        whole = path.read_bytes()
        draw = random.Random(1)
        damaged = [whole[:end] for end in range(len(whole))]
        for _ in range(300):
            at = draw.randrange(len(whole))
            flipped = whole[at] ^ (1 << draw.randrange(8))
            damaged.append(whole[:at] + bytes([flipped]) + whole[at + 1 :])
        for text in damaged:
            path.write_bytes(text)
            assert store.get("test", "x") is None
            with pytest.raises(CogenError, match="removed or changed"):
                store.contents(path)
        assert keep(b"again", "x") == path
        assert store.contents(path) == b"again"

    def test_an_entry_is_not_another(self, directory: Path) -> None:
        """Who could rename files once cannot make one stand for another."""
        first, second = keep(b"1", "x"), keep(b"2", "y")
        shutil.copy(first, second)
        assert not store.is_intact(second)
        assert store.contents(keep(b"2", "y")) == b"2"

    def test_files_of_others_are_not_used(self, directory: Path) -> None:
        path = keep(b"1", "x")
        for mode in (0o720, 0o702):
            path.chmod(mode)
            assert not store.is_intact(path)
            assert store.is_intact(keep(b"1", "x"))
        if os.getuid() == 0:
            os.chown(path, 12345, -1)
            assert not store.is_intact(path)
            assert store.is_intact(keep(b"1", "x"))

    @pytest.mark.parametrize("what", ["link", "pipe", "directory", "loop"])
    def test_what_is_no_plain_file(self, what: str, directory: Path) -> None:
        path = keep(b"1", "x")
        other = directory / "other"
        path.rename(other)
        match what:
            case "link":
                path.symlink_to(other)
            case "pipe":
                os.mkfifo(path)
            case "directory":
                path.mkdir()
            case "loop":
                path.symlink_to(path)
        assert store.get("test", "x") is None

    def test_a_failed_build_leaves_nothing(self, directory: Path) -> None:
        with pytest.raises(InternalError):
            cache.shared_object("this is no C")
        assert not left_over(directory)

    def test_old_entries_make_room(self, directory: Path) -> None:
        paths = [keep(bytes(1000), str(i)) for i in range(8)]
        other = directory / "mine"
        other.write_bytes(bytes(5000))
        for age, path in enumerate(paths):
            os.utime(path, (1e9 - age, 1e9 - age))
        size = paths[0].stat().st_size
        store.current().evict(8 * size, time.time())
        assert all(path.exists() for path in paths)
        store.current().evict(8 * size - 1, 1e9 - 6)
        assert [path.exists() for path in paths] == [True] * 7 + [False]  # the others are recent
        store.current().evict(4 * size, time.time())
        assert [path.exists() for path in paths] == [True] * 3 + [False] * 5
        assert other.exists()

    def test_use_is_remembered(self, directory: Path) -> None:
        path = keep(b"1", "x")
        os.utime(path, (1e9, 1e9))
        keep(b"1", "x")
        assert path.stat().st_mtime > time.time() - 1000


class TestPlaces:
    """Note [Trust], Note [Instead] of `cogen.diskstore`."""

    def warning(self) -> str:
        """The one warning of a process that keeps two entries and asks for them."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            first, second = keep(b"1", "x"), keep(b"2", "y")
            assert (store.get("test", "x"), store.contents(second)) == (b"1", b"2")
            assert keep(b"3", "x") == first
        (warning,) = found
        assert warning.category is CogenWarning
        assert "set COGEN_CACHE_DIR to a directory that only you can write to" in str(
            warning.message
        )
        assert stat.S_IMODE(first.parent.stat().st_mode) == 0o700
        return str(warning.message)

    def test_a_directory_that_others_can_read_is_left_as_it_is(self, directory: Path) -> None:
        directory.mkdir()
        directory.chmod(0o755)
        assert keep(b"1", "x").parent == directory
        assert stat.S_IMODE(directory.stat().st_mode) == 0o755

    @pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o702])
    def test_one_that_others_can_write_to(self, mode: int, directory: Path, fresh: None) -> None:
        """A planted object with the right hash is not loaded, and no mode is changed."""
        planted = keep(b"planted", "x")
        directory.chmod(mode)
        if mode == 0o770 and os.getuid() != 0:
            os.chown(directory, -1, os.getgroups()[-1])
        elif mode == 0o770:
            os.chown(directory, -1, 12345)
        assert f"the cache {directory} is not used (others can write to it)" in self.warning()
        assert stat.S_IMODE(directory.stat().st_mode) == mode
        assert store.contents(planted) == b"planted"
        assert len(os.listdir(directory)) == 2  # it, and its lock

    @pytest.mark.parametrize("mode", [0o777, 0o707])
    def test_one_that_others_can_replace(self, mode: int, tmp_path: Path, fresh: None) -> None:
        above = tmp_path / "above"
        above.mkdir()
        above.chmod(mode)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COGEN_CACHE_DIR", str(above / "store"))
            assert f"for they can write to {above}" in self.warning()

    def test_a_place_in_a_sticky_directory_is_safe(self, tmp_path: Path) -> None:
        above = tmp_path / "above"
        above.mkdir()
        above.chmod(0o1777)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COGEN_CACHE_DIR", str(above / "store"))
            assert keep(b"1", "x").parent == above / "store"

    def test_one_of_another_user(
        self, directory: Path, fresh: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        directory.mkdir()
        theirs, real = directory.stat().st_ino, os.stat

        class Theirs:
            def __init__(self, status: os.stat_result) -> None:
                self.status = status

            def __getattr__(self, name: str) -> object:
                return getattr(self.status, name)

            st_uid = 12345

        def status(path: Path, **options: bool) -> object:
            found = real(path, **options)
            return Theirs(found) if found.st_ino == theirs else found

        monkeypatch.setattr(Path, "stat", status)
        assert f"the cache {directory} is not used (it belongs to another user)" in self.warning()

    @pytest.mark.parametrize(
        ("place", "problem"),
        [
            ("/proc/nope/cache", "No such file or directory"),
            ("/dev/null", "it is no directory"),
            ("/dev/null/cache", "Not a directory"),
        ],
    )
    def test_places_that_cannot_be(
        self, place: str, problem: str, fresh: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COGEN_CACHE_DIR", place)
        assert f"the cache {place} is not used ({problem})" in self.warning()

    def test_the_directories_are_made_private(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whatever the mask is."""
        monkeypatch.delenv("COGEN_CACHE_DIR")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a" / "b"))
        mask = os.umask(0)
        try:
            path = keep(b"1", "x")
        finally:
            os.umask(mask)
        assert path.parent == tmp_path / "a" / "b" / "cogen"
        for made in path.parents[:3]:
            assert stat.S_IMODE(made.stat().st_mode) == 0o700

    @pytest.mark.parametrize("error", ["ENOSPC", "EROFS", "EACCES"])
    def test_one_that_cannot_be_written_to(
        self, error: str, directory: Path, fresh: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What is there already is used; the rest is kept elsewhere."""
        there = keep(b"0", "there")
        number = getattr(__import__("errno"), error)
        really = store.DiskStore._make

        def make(self: store.DiskStore, *arguments: object) -> None:
            if self.directory == directory:
                raise OSError(number, os.strerror(number))
            really(self, *arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(store.DiskStore, "_make", make)
        assert keep(b"1", "there") == there
        assert f"the cache {directory} is not used ({os.strerror(number)})" in self.warning()
        assert not left_over(directory)

    def test_no_place_at_all(
        self, directory: Path, fresh: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def make(self: store.DiskStore, *arguments: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(store.DiskStore, "_make", make)
        with (
            pytest.warns(CogenWarning),
            pytest.raises(CogenError, match=r"cannot write to .*: No space left on device"),
        ):
            keep(b"1", "x")
        store.put("test", "x", content=b"1")  # is not needed, so nothing is said
        assert store.get("test", "x") is None


def test_a_residual_program_is_found_again(directory: Path) -> None:
    function = load(residual(ONE, "one", "int"))
    assert function(4) == 5
    before = function.path.stat().st_mtime_ns
    assert load(residual(ONE, "one", "int")).path == function.path
    assert function.path.stat().st_mtime_ns == before
    assert not left_over(directory)


def test_other_versions_are_not_found(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of the run time, flags and the compiler are parts of an entry's name."""
    text = "int unused;"
    monkeypatch.setattr(build, "tables", lambda: "")
    monkeypatch.setattr(build, "derived", lambda: "")
    monkeypatch.setattr(build, "_all_texts", lambda: {"main.c": "int main;"})
    first = build._runtime(toolchain.find_compiler(), (), "library.c")
    monkeypatch.setattr(build, "_all_texts", lambda: {"main.c": "int main = 1;"})
    second = build._runtime(toolchain.find_compiler(), (), "library.c")
    monkeypatch.setattr(build, "derived", lambda: "int derived;")
    assert len({first, second, build._runtime(toolchain.find_compiler(), (), "library.c")}) == 3
    paths = {cache.shared_object(text)}
    monkeypatch.setenv("COGEN_CFLAGS", "-DX=1")
    paths.add(cache.shared_object(text))
    monkeypatch.setenv("COGEN_CFLAGS", "-DX=2")
    paths.add(cache.shared_object(text))
    paths.add(cache.shared_object(text, ["-O1"]))
    monkeypatch.setattr(store, "FORMAT", "another")
    paths.add(cache.shared_object(text))
    assert len(paths) == 5


def test_flags_are_those_of_the_name(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Flags that change after the compiler was found change nothing."""
    monkeypatch.setenv("COGEN_CFLAGS", "-DVALUE=1")
    compiler = toolchain.find_compiler()
    monkeypatch.setenv("COGEN_CFLAGS", "-DVALUE=2")
    assert "-DVALUE=1" in compiler.fingerprint()
    assert "-DVALUE=1" in compiler.arguments(Path("x"))


def test_byte_code_with_flipped_bits_is_not_run(directory: Path) -> None:
    """Byte code is believed by Python, which crashes on wrong one."""
    extension = cogen.generate(cogen.loads(POWER), "power", cogen.dynamic("int"), cogen.static())
    text = extension.text
    bts = (cogen.dynamic("int"), cogen.static(3))
    expected = extension(*bts).scheme
    (path,) = directory.glob("*.code")
    whole = path.read_bytes()
    draw = random.Random(3)
    for _ in range(30):
        at = draw.randrange(len(whole))
        flipped = whole[at] ^ (1 << draw.randrange(8))
        path.write_bytes(whole[:at] + bytes([flipped]) + whole[at + 1 :])
        again = type(extension).unread(
            text, "<generating extension of power>", "power", extension.division, {}
        )
        assert again(*bts).scheme == expected
        assert path.read_bytes() == whole


def test_concurrent_threads_build_once(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gcc = toolchain.find_compiler().command[0]
    log, slow = tmp_path / "log", tmp_path / "slow-cc"
    slow.write_text(f'#!/bin/sh\necho run >> "{log}"\nsleep 0.1\nexec "{gcc}" "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setenv("CC", str(slow))
    paths: list[Path] = []
    toolchain.find_compiler()
    log.write_text("")
    threads = [
        threading.Thread(target=lambda: paths.append(cache.shared_object(TEXT))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paths) == 6
    assert len(set(paths)) == 1
    assert log.read_text().count("run") == 1


def test_a_forked_process_leaves_the_temporary_store(
    fresh: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COGEN_CACHE_DIR", "/proc/nope")
    with pytest.warns(CogenWarning):
        path = keep(b"1", "x")
    store._remove(path.parent, os.getpid() + 1, None)
    assert path.exists()


def test_a_temporary_store_goes_with_its_process(tmp_path: Path) -> None:
    """That of a killed one goes with the next."""
    program = (
        "import os, signal, sys\n"
        "from cogen import diskstore as store\n"
        "store.put('test', 'x', content=b'1')\n"
        "assert store.get('test', 'x') == b'1'\n"
        "print(store.current().directory, flush=True)\n"
        "if sys.argv[1] == 'killed':\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "COGEN_CACHE_DIR": "/proc/nope", "TMPDIR": str(tmp_path)}
    for kind, left in (("killed", 1), ("killed", 1), ("ended", 0)):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program, kind],
            env={**environment, "PYTHONPATH": os.getcwd()},
            stdout=subprocess.PIPE,
            check=False,
        )
        assert Path(done.stdout.decode().strip()).parent == tmp_path
        assert len(list(tmp_path.iterdir())) == left


def test_objects_with_their_hash_load(directory: Path) -> None:
    assert ctypes.CDLL(str(cache.shared_object(TEXT))).one() == 1
