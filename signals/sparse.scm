;;; Sparse vectors: the indices and the values of the samples that are not 0, in two signals of one
;;; length, apart or channels of one.

(define-library (signals sparse)
  (export sparse-scatter! sparse-gather! sparse-dot sparse-encode!)
  (import (scheme base) (signals signal) (signals access) (signals loops))
  (begin

    ;; Put each value at its index of `out`; the other samples keep their values (see
    ;; `signal-fill!`).  Of two values with one index the later one is kept.
    (define (sparse-scatter! indices values out)
      (let ((n (signal-length out)))
        (fold-signals "sparse-scatter!"
                      (lambda (state i v)
                        (check-index "sparse-scatter!" i n)
                        (signal-set! out i v)
                        state)
                      0 indices (list values))
        (if #f #f)))

    ;; Put the sample of `in` at each index.
    (define (sparse-gather! in indices out)
      (let ((n (signal-length in)))
        (map-signals! "sparse-gather!"
                      (lambda (i)
                        (check-index "sparse-gather!" i n)
                        (signal-ref in i))
                      out (list indices))))

    ;; The sum of the values, each times the sample of `dense` at its index.
    (define (sparse-dot indices values dense)
      (let ((n (signal-length dense)))
        (fold-signals "sparse-dot"
                      (lambda (total i v)
                        (check-index "sparse-dot" i n)
                        (+ total (* v (signal-ref dense i))))
                      (signal-zero dense) indices (list values))))

    (define (check-index who i n)
      (check who (and (<= 0 i) (< i n)) "an index is out of range"))

    ;; Put the indices and the values of the samples of `in` that are not 0 at the beginning of
    ;; `indices` and `values`; the value is their number.
    (define (sparse-encode! in indices values)
      (check-same-length "sparse-encode!" indices values)
      (let ((start (signal-from indices)))
        (let next ((in in) (i (lift 0)) (indices indices) (values values))
          (if (signal-end? in)
              (quotient (- (signal-from indices) start) (signal-stride indices))
              (let ((x (signal-get in)))
                (if (= x 0)
                    (next (signal-next in) (+ i 1) indices values)
                    (begin
                      (check "sparse-encode!" (not (signal-end? indices)) "the output is too short")
                      (check "sparse-encode!" (<= i (signal-greatest indices))
                             "an index does not fit in its samples")
                      (signal-put! indices i)
                      (signal-put! values x)
                      (next (signal-next in) (+ i 1) (signal-next indices)
                            (signal-next values)))))))))))
