"""Tests of compiled code under address, undefined behaviour and thread sanitizer.

    python -m tests.sanitizers [address] [thread] [-- arguments for pytest]

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

from cogen.target.toolchain import find_compiler

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
import cogen
text = "(define (main m i) (load-word m i))"
load = cogen.specialize(cogen.loads(text), "main", cogen.dynamic("memory"), cogen.dynamic("int"))
load.compile()(bytearray(4096), 1025)
"""

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
        {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"},
        OUT_OF_BOUNDS,
        "AddressSanitizer: heap-buffer-overflow",
        (
            "tests/cogen/test_c_target.py",
            "tests/cogen/test_c_types.py",
            "tests/cogen/test_c_carries.py",
            "tests/cogen/test_c_errors.py",
            f"{ARRAY}/test_arithmetic.py",
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
            f"{ARRAY}/test_threads.py",
            f"{NATIVE}/test_native_instances.py",
            f"{NATIVE}/test_native_load.py",
        ),
    ),
}


def run(name: str, arguments: list[str]) -> int:
    """Run the tests under a sanitizer; the status of pytest, or 1 if it does not find a mistake."""
    sanitizer = SANITIZERS[name]
    with tempfile.TemporaryDirectory(prefix="cogen-sanitize-") as place:
        preloaded = [_library(sanitizer.library)]
        if name == "thread":
            preloaded.append(_openmp(Path(place), sanitizer))
        environment = {
            **os.environ,
            **sanitizer.environment,
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
        if control.returncode == 0 or sanitizer.report not in control.stderr:
            print(f"the {name} sanitizer does not work here:\n{control.stderr}", file=sys.stderr)
            return 1
        print(f"{name}: finds the mistake that was made for it; now the tests", flush=True)
        command = [sys.executable, "-X", "faulthandler", "-m", "pytest", "-q", *arguments]
        return subprocess.run(
            [*command, *sanitizer.modules], env=environment, cwd=ROOT, check=False
        ).returncode


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
    names, arguments = words[:cut] or list(SANITIZERS), words[cut + 1 :]
    for name in names:
        status = run(name, arguments)
        if status != 0:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
