"""The array half: programs on whole arrays, written in L0 or in the Scheme-like language.

    program = cogen.array.load("prices.l0")       # parsed and checked; cogen.array.loads(text)
    program.run(3, [1.0, 2.0])                    # the interpreter; NumPy arrays are welcome
    program.run_text("3 [1.0, 2.0]")              # the values as text, the result as text
    function = program.compile(target="c")        # the same, compiled; function(3, numpy_array)
    cogen.array.load("prices.scm", entry="mean")  # a procedure of the Scheme-like language

L0 is the language of Henriksen's thesis ("Exploiting functional invariants to optimise
parallelism"), described in docs/l0.md.
"""

from cogen.array.programs.arrayprogram import Program
from cogen.array.programs.loading import load, loads, of_scheme

__all__ = ["Program", "load", "loads", "of_scheme"]
