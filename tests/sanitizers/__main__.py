"""Tests of compiled code under address, undefined behaviour and thread sanitizer.

    python -m tests.sanitizers [address] [thread] [--only WORD ...] [-- arguments for pytest]

`--only`: of the tests, those in whose path the word occurs.

Kernels, array programs, native programs and their run time are compiled with the sanitizer, in a
build cache of their own, and run by their tests.  What a sanitizer finds ends the run, with its
report and a status that is not 0.  Before that, each sanitizer must find a mistake made for it.

The thread sanitizer does not know how GCC's OpenMP synchronises: arrays run on openmp.c instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cogen.backends.objectcode.toolchain import find_compiler

ROOT = Path(__file__).parents[2]
OPENMP = Path(__file__).with_name("openmp.c")
NATIVE = "tests/cogen/nativecode"
ARRAY = "tests/cogen/array"


@dataclass(frozen=True)
class Sanitizer:
    """Flags of the compiler, libraries that Python must load first, and what is run."""

    flags: tuple[str, ...]
    library: str
    environment: dict[str, str]
    mistake: str
    report: str
    modules: tuple[str, ...]


OUT_OF_BOUNDS = """
import ctypes
from cogen.backends.objectcode.cache import shared_object
load = ctypes.CDLL(str(shared_object("int load(const char *m, long i) { return m[i]; }", ()))).load
load(ctypes.create_string_buffer(4096), ctypes.c_long(4097))
"""
"""Kernels check their indices: it is C of its own, compiled and loaded as they are."""

RACE = """
import threading
import cogen
text = "(define (main m n) (do ((i n (- i 1))) ((= i 0)) (store-word! m (bitwise-and i 255) i)))"
bts = cogen.dynamic("memory"), cogen.dynamic("int")
store = cogen.specialize(cogen.loads(text), "main", *bts).compile()
shared = bytearray(4096)
threads = [threading.Thread(target=store, args=(shared, 10**7)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

SANITIZERS = {
    "address": Sanitizer(
        ("-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
        "libasan.so",
        {
            # What asks for too much is told so, as by the usual allocator.
            "ASAN_OPTIONS": "detect_leaks=0 allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        },
        OUT_OF_BOUNDS,
        "AddressSanitizer: heap-buffer-overflow",
        (
            "tests/cogen/test_c_target.py",
            "tests/cogen/test_c_types.py",
            "tests/cogen/test_c_carries.py",
            "tests/cogen/test_c_errors.py",
            f"{ARRAY}/test_arithmetic.py",
            f"{ARRAY}/test_memory_passes.py",
            f"{ARRAY}/test_reuse.py",
            f"{ARRAY}/test_streams.py",
            f"{ARRAY}/test_targets.py",
            f"{ARRAY}/test_threads.py",
            f"{ARRAY}/test_vector_code.py",
            f"{NATIVE}/test_native_errors.py",
            f"{NATIVE}/test_native_instances.py",
            f"{NATIVE}/test_native_load.py",
            f"{NATIVE}/test_native_memory.py",
            f"{NATIVE}/test_native_programs.py",
        ),
    ),
    "thread": Sanitizer(
        # Calls of native programs are jumps, which the notes of entry and exit would prevent.
        ("-g1", "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0"),
        "libtsan.so",
        {"TSAN_OPTIONS": "halt_on_error=1 ignore_noninstrumented_modules=1"},
        RACE,
        "ThreadSanitizer: data race",
        (
            f"{ARRAY}/test_memory_passes.py",
            f"{ARRAY}/test_reuse.py",
            f"{ARRAY}/test_threads.py",
            f"{NATIVE}/test_native_instances.py",
            f"{NATIVE}/test_native_load.py",
        ),
    ),
}


def run(name: str, only: list[str], arguments: list[str]) -> int:
    """Run the tests under a sanitizer, those with one of some words in their paths if there are
    any; the status of pytest, or 1 if the sanitizer does not find the mistake made for it."""
    sanitizer = SANITIZERS[name]
    modules = [m for m in sanitizer.modules if not only or any(word in m for word in only)]
    if not modules:
        return 0
    with tempfile.TemporaryDirectory(prefix="cogen-sanitize-") as place:
        # libstdc++: what throws is intercepted, and must be known before a driver is loaded.
        preloaded = [_library(sanitizer.library), _library("libstdc++.so.6")]
        if name == "thread":
            preloaded.append(_openmp(Path(place), sanitizer))
        reports = Path(place) / "report"
        logged = {
            name: f"{options} log_path={reports}" for name, options in sanitizer.environment.items()
        }
        environment = {
            **os.environ,
            **logged,
            "LD_PRELOAD": " ".join(preloaded),
            "COGEN_CFLAGS": " ".join(sanitizer.flags),
            "COGEN_CACHE_DIR": place,
        }
        control = subprocess.run(
            [sys.executable, "-c", sanitizer.mistake],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        said = _told(reports)
        if control.returncode == 0 or sanitizer.report not in said:
            print(
                f"the {name} sanitizer does not work here:\n{control.stderr}{said}", file=sys.stderr
            )
            return 1
        print(f"{name}: finds the mistake that was made for it; now the tests", flush=True)
        command = [sys.executable, "-X", "faulthandler", "-m", "pytest", "-q", *arguments]
        status = subprocess.run(
            [*command, *modules], env=environment, cwd=ROOT, check=False
        ).returncode
        print(_told(reports), file=sys.stderr)
        return status


def _told(reports: Path) -> str:
    """What sanitizers have written, which pytest would keep from being seen; and forget it."""
    found = sorted(reports.parent.glob(f"{reports.name}.*"))
    text = "".join(path.read_text(errors="replace") for path in found)
    for path in found:
        path.unlink()
    return text


def _library(name: str) -> str:
    """The path of a library of the compiler."""
    command = [*find_compiler().command, f"-print-file-name={name}"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(found).is_absolute():
        raise SystemExit(f"the C compiler has no {name}")
    return found


def _openmp(place: Path, sanitizer: Sanitizer) -> str:
    made = place / "openmp.so"
    flags = (*sanitizer.flags, "-O1", "-fPIC", "-shared", "-pthread")
    subprocess.run([*find_compiler().command, *flags, str(OPENMP), "-o", str(made)], check=True)
    return str(made)


def main(words: list[str]) -> int:
    """The command line; the status of the first sanitizer that fails."""
    cut = words.index("--") if "--" in words else len(words)
    arguments = words[cut + 1 :]
    names: list[str] = []
    only: list[str] = []
    rest = iter(words[:cut])
    for word in rest:
        if word == "--only":
            only.append(next(rest))
        else:
            names.append(word)
    for name in names or SANITIZERS:
        status = run(name, only, arguments)
        if status != 0:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
