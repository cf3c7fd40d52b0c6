"""Staged Python: a function of Python's -> an array program, by running it on symbolic values.

    @cogen.stage
    def level(raw, black, gain: cogen.static):
        return np.clip((raw - black) * gain, 0, 255)

`level(raw, 64, 1.5)` runs the function once on values that stand for its arguments (`tracer.py`,
`stagedscalars.py`, `stagedarrays.py`), with its control flow rewritten into calls
(`rewritefunctions.py`, `hooks.py`).
What it does to them becomes an expression of L0, which is compiled as any other (docs/staging.md).
"""
