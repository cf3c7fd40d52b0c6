"""The OpenCL device: chosen once, by a probe that builds and runs a kernel on it.

Environment
    COGEN_OPENCL   part of the name of the device or platform to use; else a GPU, else what there is
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from cogen.array.opencl.bucketkernels import GUARD
from cogen.array.opencl.preamble import RUNTIME, fp64
from cogen.backends.ctree.helpers import parts
from cogen.lang.errors import CogenError

INSTALL: Final = (
    "pip install 'cogen-specializer[opencl]', and a driver (Debian/Ubuntu: apt install "
    "pocl-opencl-icd runs on the processor); the same program runs with the target c"
)

_PROBE: Final = RUNTIME / "probe.cl"
_PROBES: Final = {
    64: fp64() + parts(_PROBE, {"REAL": "double"})["probe"],
    32: parts(_PROBE, {"REAL": "float"})["probe"],
}


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """A device that works: pyopencl itself, the context, and how many items keep it busy."""

    cl: Any
    context: Any
    queue: Any
    name: str
    is_cpu: bool
    units: int
    group: int
    """The most items of a work group."""
    local: int
    """The bytes of memory that a work group shares; 0 without atomic operations on 64 bits."""
    options: tuple[str, ...] = ()
    """How kernels are built: what makes reals round as IEEE 754 says, where that can be chosen."""


@cache
def device(real_bits: int = 64) -> Device:
    """The device to use, for reals of a width.

    CogenError if there is none, or pyopencl is missing.
    """
    try:
        import pyopencl as cl
    except ImportError:
        raise CogenError("the target opencl needs the package pyopencl", hint=INSTALL) from None
    wanted = os.environ.get("COGEN_OPENCL", "")
    found = _candidates(cl, wanted)
    for candidate in found:
        made = _probed(cl, candidate, real_bits)
        if made is not None:
            return made
    if wanted and not found:
        raise CogenError(f"there is no OpenCL device `{wanted}`, which COGEN_OPENCL names")
    raise CogenError("there is no OpenCL device that builds and runs a kernel", hint=INSTALL)


def names() -> list[str]:
    """What the devices are called that may be used and run kernels, the best first; none without
    pyopencl."""
    try:
        import pyopencl as cl
    except ImportError:
        return []
    found = _candidates(cl, os.environ.get("COGEN_OPENCL", ""))
    return [one.name for one in found if _probed(cl, one, 64) or _probed(cl, one, 32)]


def _candidates(cl: Any, wanted: str) -> list[Any]:
    """All devices, or those that are wanted, GPUs first."""
    found = []
    try:
        for platform in cl.get_platforms():
            for candidate in platform.get_devices():
                if wanted.lower() in f"{platform.name} {candidate.name}".lower():
                    found.append(candidate)
    except cl.Error:  # no platform at all is an error of its own
        pass
    return sorted(found, key=lambda d: not d.type & cl.device_type.GPU)


def _probed(cl: Any, candidate: Any, real_bits: int) -> Device | None:
    """The device, if a kernel with such floats builds, runs and is right."""
    try:
        context = cl.Context([candidate])
        profiled = cl.command_queue_properties.PROFILING_ENABLE
        queue = cl.CommandQueue(context, properties=profiled)
        kernel = cl.Kernel(cl.Program(context, _PROBES[real_bits]).build(), "probe")
        x = np.zeros(4, f"float{real_bits}")
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        buffer = cl.Buffer(context, flags, hostbuf=x)
        kernel(queue, (4,), None, buffer)
        cl.enqueue_copy(queue, x, buffer)
        if not np.array_equal(x, np.ones(4, x.dtype)):
            return None
    except (cl.Error, OSError):
        return None
    is_cpu = bool(candidate.type & cl.device_type.CPU)
    units, group = candidate.max_compute_units, candidate.max_work_group_size
    local = candidate.local_mem_size if GUARD in candidate.extensions else 0
    options: tuple[str, ...] = ()
    if real_bits == 32:
        options = ("-cl-single-precision-constant",)
        if candidate.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
            options += ("-cl-fp32-correctly-rounded-divide-sqrt",)
    return Device(cl, context, queue, candidate.name, is_cpu, units, group, local, options)
