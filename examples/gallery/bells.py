"""A bell, three times: an interpreter of instruments, specialized to one instrument.

    python bells.py [FOLDER]

An instrument is data, an expression over the time.  What is left of the interpreter is one loop of
C with the instrument's arithmetic in it.  It writes bells.wav.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import cogen
from cogen import signals

RATE = 22_050

INTERPRETER = cogen.loads("""
(import (array))

(define tau 6.283185307179586)

;; instrument ::= number | (sine frequency phase) | (decay seconds) | (+ i ...) | (* i ...)
;; The phase, in periods, is an instrument too.
(define (play i t)
  (if (number? i)
      (inexact i)
      (case (car i)
        ((sine) (sin (* tau (+ (* (inexact (cadr i)) t) (play (caddr i) t)))))
        ((decay) (exp (- (/ t (inexact (cadr i))))))
        ((+) (fold-with + (cdr i) t))
        ((*) (fold-with * (cdr i) t))
        (else (error "no such instrument" (car i))))))

(define (fold-with f parts t)
  (if (null? (cdr parts))
      (play (car parts) t)
      (f (play (car parts) t) (fold-with f (cdr parts) t))))

(define (sound instrument times)
  (array-map (lambda (t) (play instrument t)) times))
""")

BELL = """
(* (decay 0.6)
   (+ (* 0.6 (sine 440 (* 0.5 (decay 0.4) (sine 616 0))))
      (* 0.25 (sine 1217 (* 0.3 (decay 0.2) (sine 880 0))))
      (* 0.1 (decay 0.1) (sine 3300 0))))
"""


def main(folder: Path) -> list[Path]:
    """Make the sound; where it is."""
    bell = cogen.static(cogen.datum(BELL))
    residual = cogen.specialize(INTERPRETER, "sound", bell, cogen.dynamic("(array float)"))
    ring = residual.to_array().compile()
    strokes = [ring(pitch * np.arange(RATE) / RATE) for pitch in (1.0, 1.25, 0.75)]
    wave = np.zeros(3 * RATE)
    for start, stroke in zip((0, RATE // 2, RATE), strokes, strict=True):
        wave[start : start + len(stroke)] += 0.5 * stroke
    samples = signals.pack(np.rint(wave * 32767).astype(int), "pcm16le", saturate=True)
    sound = signals.Sound(samples, signals.layout("pcm16le"), RATE)
    path = folder / "bells.wav"
    signals.write_sound(path, sound)
    return [path]


if __name__ == "__main__":
    print(*main(Path(sys.argv[1] if sys.argv[1:] else ".")), sep="\n")
