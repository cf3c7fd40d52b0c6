"""The compiler and the build cache."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cogen.target import cache, toolchain
from cogen.target.load import load
from lang.errors import CogenError, InternalError
from tests.cogen.native import residual

TEXT = "#include <stdint.h>\nint64_t one(void) { return 1; }\n"
ONE = "(define one (lambda (a) k ((let b (+ a '1)) (jump k b))))"


@pytest.fixture
def directory(tmp_path, monkeypatch):
    """An empty build cache."""
    path = tmp_path / "cache"
    monkeypatch.setenv("COGEN_CACHE_DIR", str(path))
    return path


def script(path: Path, text: str) -> str:
    """An executable shell script."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_compiler_is_found():
    compiler = toolchain.find_compiler()
    assert Path(compiler.command[0]).is_absolute()
    assert compiler.identity


def test_cc_names_the_compiler_with_arguments(monkeypatch):
    gcc = toolchain.find_compiler().command[0]
    monkeypatch.setenv("CC", f"{gcc} -DSOMETHING='a b'")
    assert toolchain.find_compiler().command == (gcc, "-DSOMETHING=a b")


def test_a_missing_compiler_says_what_to_install(monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(CogenError) as caught:
        toolchain.find_compiler()
    assert caught.value.message == "there is no C compiler"
    assert "apt install gcc" in (caught.value.hint or "")
    assert "to_python()" in (caught.value.hint or "")


def test_a_wrong_cc_is_named(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    with pytest.raises(CogenError, match="no C compiler `no-such-compiler -O2`, which CC names"):
        toolchain.find_compiler()


def test_malformed_variables_are_named(monkeypatch):
    monkeypatch.setenv("COGEN_CFLAGS", "-DX='a")
    with pytest.raises(CogenError, match="COGEN_CFLAGS is malformed"):
        toolchain.find_compiler().fingerprint()
    monkeypatch.setenv("CC", "gcc 'x")
    with pytest.raises(CogenError, match="CC is malformed"):
        toolchain.find_compiler()


def test_a_compiler_that_does_not_start(tmp_path, monkeypatch):
    broken = tmp_path / "cc"
    broken.write_bytes(b"\x7fELF but not really")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    with pytest.raises(CogenError, match="does not start"):
        toolchain.find_compiler()


def test_a_compiler_that_fails_shows_its_output(tmp_path, monkeypatch):
    with pytest.raises(InternalError, match=r"failed \(status 1\)") as caught:
        toolchain.compile_shared("int f(void) { return nonsense; }", tmp_path / "x.so")
    assert "nonsense" in caught.value.message
    assert not (tmp_path / "x.so").exists()


def test_no_shell_is_involved(tmp_path, monkeypatch):
    made = tmp_path / "made by a shell"
    monkeypatch.setenv("COGEN_CFLAGS", f"-DX=1 '; touch \"{made}\"'")
    with pytest.raises(InternalError):
        toolchain.compile_shared(TEXT, tmp_path / "x.so")
    assert not made.exists()


def test_flags_change_the_key_and_reach_the_compiler(directory, monkeypatch):
    first = cache.shared_object(TEXT)
    monkeypatch.setenv("COGEN_CFLAGS", "-DVALUE=2")
    second = cache.shared_object(TEXT)
    assert first != second
    assert first.exists()
    assert second.exists()


def test_the_cache_is_private_and_used_again(directory, tmp_path, monkeypatch):
    function = load(residual(ONE, "one", "int"))
    assert function(4) == 5
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    before = function.path.stat().st_mtime_ns
    assert load(residual(ONE, "one", "int")).path == function.path
    assert function.path.stat().st_mtime_ns == before
    assert not list(directory.glob("build-*"))


def test_a_cache_that_others_can_read_is_closed(directory):
    directory.mkdir(mode=0o755)
    directory.chmod(0o755)
    cache.cache_directory()
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", ["truncate", "flip", "remove", "empty-sum", "remove-sum"])
def test_a_damaged_entry_is_built_again(directory, damage):
    path = cache.shared_object(TEXT)
    good = path.read_bytes()
    total = path.with_suffix(".sum")
    if damage == "truncate":
        path.write_bytes(good[:100])
    elif damage == "flip":
        path.write_bytes(good[:200] + bytes([good[200] ^ 1]) + good[201:])
    elif damage == "remove":
        path.unlink()
    elif damage == "empty-sum":
        total.write_text("")
    else:
        total.unlink()
    assert cache.shared_object(TEXT) == path
    assert cache.is_intact(path)


def test_a_failed_build_leaves_nothing(directory):
    with pytest.raises(InternalError):
        cache.shared_object("this is no C")
    assert not [p for p in directory.iterdir() if not p.name.startswith("lock-")]


def test_a_cache_that_cannot_be_made_is_an_error(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("COGEN_CACHE_DIR", str(blocked / "cache"))
    with pytest.raises(CogenError, match=r"the build cache .* cannot be used") as caught:
        cache.shared_object(TEXT)
    assert "COGEN_CACHE_DIR" in (caught.value.hint or "")


def test_a_cache_of_another_user_is_refused(directory, monkeypatch):
    directory.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: directory.stat().st_uid + 1)
    with pytest.raises(CogenError, match="belongs to another user"):
        cache.cache_directory()


def test_concurrent_threads_build_once(directory, tmp_path, monkeypatch):
    gcc = toolchain.find_compiler().command[0]
    log = tmp_path / "log"
    monkeypatch.setenv("CC", script(
        tmp_path / "slow-cc", f'echo run >> "{log}"; sleep 0.1; exec "{gcc}" "$@"'
    ))  # fmt: skip
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


def test_concurrent_processes_see_whole_objects(directory):
    """Processes that build, damage and load the same entry all get the right answer."""
    program = (
        "from cogen.target import cache\n"
        "import ctypes, sys\n"
        f"text = {TEXT!r}\n"
        "for _ in range(8):\n"
        "    path = cache.shared_object(text)\n"
        "    assert ctypes.CDLL(str(path)).one() == 1\n"
        "    if sys.argv[1] == 'damage':\n"
        "        path.with_suffix('.sum').unlink(missing_ok=True)\n"
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    processes = [
        subprocess.Popen([sys.executable, "-c", program, kind], env=environment)
        for kind in ("damage", "read", "damage")
    ]
    assert [process.wait(120) for process in processes] == [0, 0, 0]
