;;; The whole signal library.

(define-library (signals)
  (export make-signal make-constant-signal signal?
          signal-get signal-put! signal-next signal-end? signal-may-end?
          signal-buffer signal-from signal-to signal-skip signal-size signal-stride
          signal-kind signal-order
          signal-with-range signal-with-skip signal-with-kind signal-with-order
          signal-constant? signal-float? signal-least signal-greatest signal-zero
          signal-length check-same-length
          packed-signal signed-signal float-signal big-endian-signal
          signal-channel signal-plane signal-reverse signal-align
          signal-sum signal-min signal-max signal-peak signal-mean signal-energy
          signal-gain! signal-mix! signal-grey! signal-threshold! signal-copy! signal-convert!
          signal-fill! signal-ramp!)
  (import (scheme base) (signals signal) (signals layouts) (signals processors)))
