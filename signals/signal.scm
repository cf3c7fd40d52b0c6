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
;;; The samples of a group signal are the fields of groups that repeat, as in raw photographs: each
;;; of one size, but in any place, perhaps in pieces.  They have no stride: (signals groups) views
;;; them otherwise.
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
          signal-with-buffer signal-moved signal-begin signal-group?
          make-group-signal group-from group-to group-index group-last group-step group-fields
          signal-constant? signal-float? signal-least signal-greatest signal-zero
          signal-clamper signal-length check-same-length)
  (import (scheme base) (signals memory) (signals cache))
  (begin

    ;; The current sample is `skip` bits after `from`.  kind: unsigned, signed or float; order:
    ;; little or big.
    (define-record-type vector-signal
      (make-vector-signal buffer from to skip size stride kind order)
      vector-signal?
      (buffer vector-buffer)
      (from signal-from)
      (to signal-to)
      (skip signal-skip)
      (size vector-size)
      (stride signal-stride)
      (kind vector-kind)
      (order vector-order))

    ;; The current sample is field `index` of the group at `from`; the signal ends before field
    ;; `last` of the group at `to`.  Groups are `step` bits apart.  fields: a vector of lists of
    ;; pieces (address size), the one with the high bits first; addresses count from the group.
    (define-record-type group-signal
      (make-group-signal buffer from to index last size step kind order fields)
      signal-group?
      (buffer group-buffer)
      (from group-from)
      (to group-to)
      (index group-index)
      (last group-last)
      (size group-size)
      (step group-step)
      (kind group-kind)
      (order group-order)
      (fields group-fields))

    (define-record-type constant-signal
      (make-constant-signal value)
      signal-constant?
      (value constant-value))

    ;; A signal of unsigned samples in little-endian bit order.
    (define (make-signal buffer from to size stride)
      (make-vector-signal buffer from to 0 size stride 'unsigned 'little))

    ;; Whether something is a signal.
    (define (signal? x)
      (or (vector-signal? x) (signal-group? x) (signal-constant? x)))

    ;; The buffer in which the samples lie.
    (define (signal-buffer s)
      (if (signal-group? s) (group-buffer s) (vector-buffer s)))

    ;; How many bits a sample has.
    (define (signal-size s)
      (if (signal-group? s) (group-size s) (vector-size s)))

    ;; What samples are: unsigned or signed integers, or floats.
    (define (signal-kind s)
      (if (signal-group? s) (group-kind s) (vector-kind s)))

    ;; In which order the bits of a sample lie.
    (define (signal-order s)
      (if (signal-group? s) (group-order s) (vector-order s)))

    ;; The address of the first sample, or of its group.
    (define (signal-begin s)
      (if (signal-group? s) (group-from s) (signal-from s)))

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
      (if (signal-group? s)
          (group-with s buffer (group-from s) (group-to s) (group-index s))
          (make-vector-signal buffer (signal-from s) (signal-to s) (signal-skip s) (signal-size s)
                              (signal-stride s) (signal-kind s) (signal-order s))))

    ;; As many samples, all `bits` bits further on.
    (define (signal-moved s bits)
      (if (signal-group? s)
          (group-with s (group-buffer s) (+ (group-from s) bits) (+ (group-to s) bits)
                      (group-index s))
          (signal-with-range s (+ (signal-from s) bits) (+ (signal-to s) bits)
                             (signal-stride s))))

    (define (group-with s buffer from to index)
      (make-group-signal buffer from to index (group-last s) (group-size s) (group-step s)
                         (group-kind s) (group-order s) (group-fields s)))

    ;; Whether samples are floats.
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
      (if (signal-group? s)
          (load-pieces s (group-pieces s) 0 0)
          (load-piece s (address s) (signal-size s))))

    (define (load-piece s address size)
      (if (eq? (signal-order s) 'big)
          (load-field-big (signal-buffer s) address size)
          (load-field (signal-buffer s) address size)))

    (define (group-pieces s)
      (vector-ref (group-fields s) (group-index s)))

    ;; The pieces from `bits` on, of which `got` bits are there already.
    (define (load-pieces s pieces bits got)
      (if (null? pieces)
          bits
          (let* ((size (cadar pieces))
                 (piece (load-piece s (+ (group-from s) (caar pieces)) size)))
            (load-pieces s (cdr pieces)
                         (if (= got 0) piece (bitwise-ior (word-shift-left bits size) piece))
                         (+ got size)))))

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
      (if (signal-group? s)
          (store-pieces! s (group-pieces s) (signal-size s) bits)
          (store-piece! s (address s) (signal-size s) bits)))

    (define (store-piece! s address size bits)
      (if (eq? (signal-order s) 'big)
          (store-field-big! (signal-buffer s) address size bits)
          (store-field! (signal-buffer s) address size bits)))

    ;; Store the low `left` bits in the pieces.
    (define (store-pieces! s pieces left bits)
      (if (pair? pieces)
          (let* ((size (cadar pieces))
                 (left (- left size)))
            (store-piece! s (+ (group-from s) (caar pieces)) size (arithmetic-shift bits (- left)))
            (store-pieces! s (cdr pieces) left bits))))

    (define (encode v kind size)
      (case kind
        ((unsigned signed) v)
        ((float) (if (= size 32) (float32->bits (inexact v)) (float64->bits (inexact v))))
        (else (error "signal-put!: the kind must be unsigned, signed or float" kind))))

    ;; The signal of the samples after the current one.
    (define (signal-next s)
      (cond ((signal-constant? s) s)
            ((signal-group? s) (next-of-group s))
            (else (signal-with-range s (+ (signal-from s) (signal-stride s)) (signal-to s)
                                     (signal-stride s)))))

    (define (next-of-group s)
      (let ((next (+ (group-index s) 1)))
        (if (= next (vector-length (group-fields s)))
            (group-with s (group-buffer s) (+ (group-from s) (group-step s)) (group-to s) 0)
            (group-with s (group-buffer s) (group-from s) (group-to s) next))))

    ;; Is there no current sample?  A constant signal ends whenever the others do.  A loop over
    ;; several signals asks (and (signal-end? a) (signal-end? b)): that is redundant in a run and
    ;; makes the specializer unroll until all of them have their first alignment again.
    (define (signal-end? s)
      (cond ((signal-constant? s) #t)
            ((signal-group? s)
             (and (= (group-index s) (group-last s))
                  (at-end? (group-from s) (group-to s))))
            (else (at-end? (signal-from s) (signal-to s)))))

    (define (at-end? from to)
      (let ((end? (= from to)))
        (if (not (known? end?)) (cache-rest-point!))
        end?))

    ;; Is the current sample where in its word the signal ends?  True at the end; with cyclic
    ;; addresses known ahead.  In place of `signal-end?` for all but one of several signals that
    ;; have the same length, it unrolls as much and leaves one test in the residual loop.
    (define (signal-may-end? s)
      (cond ((signal-constant? s) #t)
            ((signal-group? s)
             (and (= (group-index s) (group-last s))
                  (may-meet? (group-from s) (group-to s))))
            (else (may-meet? (signal-from s) (signal-to s)))))

    (define (may-meet? from to)
      (= (floor-remainder (- to from) (word-size)) 0))

    ;; The least and the greatest value that a sample can hold, infinities for floats.  Samples of
    ;; 64 bits are signed.
    (define (signal-least s)
      (cond ((signal-float? s) -inf.0)
            ((eq? (signal-kind s) 'unsigned) (if (= (signal-size s) 64) (lowest 64) 0))
            (else (lowest (signal-size s)))))

    ;; The greatest integer that a sample may be.
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

    ;; The number of samples of a signal that is not constant.
    (define (signal-length s)
      (if (signal-group? s)
          (+ (* (floor-quotient (- (group-to s) (group-from s)) (group-step s))
                (vector-length (group-fields s)))
             (- (group-last s) (group-index s)))
          (floor-quotient (- (signal-to s) (signal-from s)) (signal-stride s))))

    ;; Refuse two signals that do not end together.  A constant signal ends with any other.
    (define (check-same-length who a b)
      (if (not (or (signal-constant? a) (signal-constant? b) (same-length? a b)))
          (error (string-append who ": the signals have different numbers of samples"))))

    (define (same-length? a b)
      (if (or (signal-group? a) (signal-group? b))
          (= (signal-length a) (signal-length b))
          (= (* (- (signal-to a) (signal-from a)) (signal-stride b))
             (* (- (signal-to b) (signal-from b)) (signal-stride a)))))))
