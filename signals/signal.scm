;;; The signal interface: get, put!, next, end?.
;;;
;;; After Draves (seed 004), chapter on bit-addressing.  A vector signal is a regular array of
;;; samples in a
;;; buffer: its first bit address, the address at which it ends, the bits of a sample (1 to 64) and
;;; the distance between samples in bits (negative to walk down).  `to - from` must be a multiple
;;; of the stride.  A constant signal needs no memory and has no end of its own.
;;;
;;; Channels of one interleaved signal share its addresses and differ in how many bits they skip,
;;; so that a residual loop over several of them counts in one variable.
;;;
;;; Signals are immutable records, so they stay partially static: with cyclic addresses and
;;; everything else static but the buffer, nothing of a signal is left in a residual program.
;;; `signal-end?` compares addresses, so a loop is unrolled by itself until the alignment
;;; repeats: remainders that differ need no test at run time.

(define-library (signals signal)
  (export make-signal make-constant-signal signal?
          signal-get signal-put! signal-next signal-end? signal-may-end?
          signal-buffer signal-from signal-to signal-skip signal-size signal-stride
          signal-kind signal-order
          signal-with-range signal-with-skip signal-with-kind signal-with-order
          signal-with-buffer
          signal-constant? signal-float? signal-least signal-greatest signal-zero
          signal-clamper signal-length check-same-length)
  (import (scheme base) (signals memory) (signals cache))
  (begin

    ;; The current sample is `skip` bits after `from`.  kind: unsigned, signed or float; order:
    ;; little or big.
    (define-record-type vector-signal
      (make-vector-signal buffer from to skip size stride kind order)
      vector-signal?
      (buffer signal-buffer)
      (from signal-from)
      (to signal-to)
      (skip signal-skip)
      (size signal-size)
      (stride signal-stride)
      (kind signal-kind)
      (order signal-order))

    (define-record-type constant-signal
      (make-constant-signal value)
      signal-constant?
      (value constant-value))

    ;; A signal of unsigned samples in little-endian bit order.
    (define (make-signal buffer from to size stride)
      (make-vector-signal buffer from to 0 size stride 'unsigned 'little))

    (define (signal? x)
      (or (vector-signal? x) (signal-constant? x)))

    ;; The same samples from address `from` to address `to`, `stride` bits apart.
    (define (signal-with-range s from to stride)
      (make-vector-signal (signal-buffer s) from to (signal-skip s) (signal-size s) stride
                          (signal-kind s) (signal-order s)))

    ;; Samples of the same addresses, `bits` bits further on.
    (define (signal-with-skip s bits)
      (make-vector-signal (signal-buffer s) (signal-from s) (signal-to s)
                          (+ (signal-skip s) bits) (signal-size s) (signal-stride s)
                          (signal-kind s) (signal-order s)))

    ;; The same bits read as `unsigned`, `signed` or `float` (32 or 64 bits).
    (define (signal-with-kind s kind)
      (make-vector-signal (signal-buffer s) (signal-from s) (signal-to s) (signal-skip s)
                          (signal-size s) (signal-stride s) kind (signal-order s)))

    ;; The same addresses counted in `little` or `big` bit order.
    (define (signal-with-order s order)
      (make-vector-signal (signal-buffer s) (signal-from s) (signal-to s) (signal-skip s)
                          (signal-size s) (signal-stride s) (signal-kind s) order))

    ;; The same addresses in another buffer.
    (define (signal-with-buffer s buffer)
      (make-vector-signal buffer (signal-from s) (signal-to s) (signal-skip s) (signal-size s)
                          (signal-stride s) (signal-kind s) (signal-order s)))

    (define (signal-float? s)
      (if (signal-constant? s)
          (inexact? (constant-value s))
          (eq? (signal-kind s) 'float)))

    ;; The current sample.
    (define (signal-get s)
      (if (signal-constant? s)
          (constant-value s)
          (decode (load-bits s) (signal-kind s) (signal-size s))))

    (define (address s)
      (+ (signal-from s) (signal-skip s)))

    (define (load-bits s)
      (if (eq? (signal-order s) 'big)
          (load-field-big (signal-buffer s) (address s) (signal-size s))
          (load-field (signal-buffer s) (address s) (signal-size s))))

    (define (decode bits kind size)
      (case kind
        ((unsigned) bits)
        ((signed) (sign-extend bits size))
        ((float) (if (= size 32) (bits->float32 bits) (bits->float64 bits)))
        (else (error "signal-get: the kind must be unsigned, signed or float" kind))))

    ;; Put `v` in the current sample's place: an integer modulo 2^size, or a float.
    (define (signal-put! s v)
      (if (signal-constant? s)
          (error "signal-put!: a constant signal cannot be written")
          (store-bits! s (encode v (signal-kind s) (signal-size s)))))

    (define (store-bits! s bits)
      (if (eq? (signal-order s) 'big)
          (store-field-big! (signal-buffer s) (address s) (signal-size s) bits)
          (store-field! (signal-buffer s) (address s) (signal-size s) bits)))

    (define (encode v kind size)
      (case kind
        ((unsigned signed) v)
        ((float) (if (= size 32) (float32->bits (inexact v)) (float64->bits (inexact v))))
        (else (error "signal-put!: the kind must be unsigned, signed or float" kind))))

    ;; The signal of the samples after the current one.
    (define (signal-next s)
      (if (signal-constant? s)
          s
          (signal-with-range s (+ (signal-from s) (signal-stride s)) (signal-to s)
                             (signal-stride s))))

    ;; Is there no current sample?  A constant signal ends whenever the others do.  A loop over
    ;; several signals asks (and (signal-end? a) (signal-end? b)): that is redundant in a run and
    ;; makes the specializer unroll until all of them have their first alignment again.
    (define (signal-end? s)
      (or (signal-constant? s)
          (let ((end? (= (signal-from s) (signal-to s))))
            (if (not (known? end?)) (cache-rest-point!))
            end?)))

    ;; Is the current sample where in its word the signal ends?  True at the end; with cyclic
    ;; addresses known ahead.  In place of `signal-end?` for all but one of several signals that
    ;; have the same length, it unrolls as much and leaves one test in the residual loop.
    (define (signal-may-end? s)
      (or (signal-constant? s)
          (= (floor-remainder (- (signal-to s) (signal-from s)) (word-size)) 0)))

    ;; The least and the greatest value that a sample can hold, infinities for floats.  Samples of
    ;; 64 bits are signed.
    (define (signal-least s)
      (cond ((signal-float? s) -inf.0)
            ((eq? (signal-kind s) 'unsigned) (if (= (signal-size s) 64) (lowest 64) 0))
            (else (lowest (signal-size s)))))

    (define (signal-greatest s)
      (cond ((signal-float? s) +inf.0)
            ((and (eq? (signal-kind s) 'unsigned) (< (signal-size s) 64)) (highest (signal-size s)))
            (else (highest (- (signal-size s) 1)))))

    (define (lowest size)
      (- -1 (highest (- size 1))))

    ;; 2^n - 1; n from 0 to 63
    (define (highest n)
      (bitwise-not (word-shift-left -1 n)))

    ;; The procedure of x that gives x, or the sample nearest to it: a number that the signal can
    ;; hold.  It keeps nothing of the signal but its range, so a loop can call it.
    (define (signal-clamper s)
      (let ((least (signal-least s))
            (greatest (signal-greatest s)))
        (if (signal-float? s)
            (lambda (x) x)
            (lambda (x) (max least (min greatest x))))))

    ;; A zero of the type of the samples.
    (define (signal-zero s)
      (if (signal-float? s) 0.0 0))

    ;; The number of samples of a vector signal.
    (define (signal-length s)
      (floor-quotient (- (signal-to s) (signal-from s)) (signal-stride s)))

    ;; Refuse two signals that do not end together.  A constant signal ends with any other.
    (define (check-same-length who a b)
      (if (not (or (signal-constant? a) (signal-constant? b)
                   (= (* (- (signal-to a) (signal-from a)) (signal-stride b))
                      (* (- (signal-to b) (signal-from b)) (signal-stride a)))))
          (error (string-append who ": the signals have different numbers of samples"))))))
