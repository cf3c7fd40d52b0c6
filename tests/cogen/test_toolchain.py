"""The compiler."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cogen.backends.objectcode import cache, toolchain
from cogen.lang.errors import CogenError, InternalError

pytestmark = pytest.mark.quick

TEXT = "#include <stdint.h>\nint64_t one(void) { return 1; }\n"


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
    monkeypatch.setattr(toolchain, "PACKAGE", "no_such_package")
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


def test_flags_change_the_key_and_reach_the_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("COGEN_CACHE_DIR", str(tmp_path / "store"))
    first = cache.shared_object(TEXT)
    monkeypatch.setenv("COGEN_CFLAGS", "-DVALUE=2")
    second = cache.shared_object(TEXT)
    assert first != second
    assert first.exists()
    assert second.exists()


def test_the_compiler_of_a_package_is_found_where_there_is_no_other(tmp_path, monkeypatch):
    """A stand-in for the package ziglang, whose `zig cc` is the compiler that is here."""
    usual = toolchain.find_compiler()
    assert usual.package is None
    package = tmp_path / "ziglang"
    package.mkdir()
    (package / "__init__.py").touch()
    zig = package / "zig"
    path = os.environ["PATH"]
    zig.write_text(f"#!/bin/sh\nshift\nPATH='{path}' exec {' '.join(usual.command)} \"$@\"\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(CogenError, match="there is no C compiler"):
        toolchain.find_compiler()  # the file is no program yet
    zig.chmod(0o755)
    found = toolchain.find_compiler()
    assert found.command == (str(zig), "cc")
    assert found.package == "ziglang"
    assert "Free Software" in found.identity or "clang" in found.identity
    toolchain.compile_shared(TEXT, tmp_path / "one.so", found)
    assert (tmp_path / "one.so").stat().st_size > 0
    assert str(zig) in toolchain.identify_compiler()
    monkeypatch.setenv("CC", usual.command[0])
    assert toolchain.find_compiler().package is None
