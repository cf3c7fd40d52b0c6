;;; SRFI 27, random numbers: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
;;; generators", 2014).  Every source begins in the same state, so programs repeat themselves.

(define-library (srfi 27)
  (export
   random-integer random-real default-random-source make-random-source random-source?
   random-source-state-ref random-source-state-set! random-source-randomize!
   random-source-pseudo-randomize! random-source-make-integers random-source-make-reals)
  (begin

    (define-record-type random-source (%source state) random-source? (state %state %state-set!))

    ;; A new source, which begins in the same state as any other.
    (define (make-random-source) (%source 0))

    ;; The source of `random-integer` and `random-real`.
    (define default-random-source (make-random-source))

    (define (%checked name s)
      (if (random-source? s)
          s
          (error (string-append name ": expected a random source, got") s)))

    ;; The next 64 bits, as an integer of either sign.
    (define (%next! s)
      (let ((state (word-add (%state s) #x-61c8864680b583eb)))
        (%state-set! s state)
        (let* ((z (word-mul (bitwise-xor state (word-shift-right state 30)) #x-40a7b892e31b1a47))
               (z (word-mul (bitwise-xor z (word-shift-right z 27)) #x-6b2fb644ecceee15)))
          (bitwise-xor z (word-shift-right z 31)))))

    ;; Each of the integers from 0 below n is as likely as the others: what is above the last
    ;; multiple of n is drawn again.
    (define (%integer! s n)
      (let ((z (word-shift-right (%next! s) 2)))
        (let ((i (remainder z n)))
          (if (> (- z i) (- 4611686018427387904 n)) (%integer! s n) i))))

    (define (%real! s)
      (* (+ (inexact (word-shift-right (%next! s) 12)) 0.5) 2.220446049250313e-16))

    (define (%bound n)
      (if (and (exact-integer? n) (< 0 n 4611686018427387905))
          n
          (error "random-integer: expected a bound from 1 to 2^62, got" n)))

    ;; An integer from 0 up to before n.
    (define (random-integer n) (%integer! default-random-source (%bound n)))

    ;; A float between 0 and 1, both excluded.
    (define (random-real) (%real! default-random-source))

    ;; A procedure as `random-integer` that draws from the source.
    (define (random-source-make-integers s)
      (%checked "random-source-make-integers" s)
      (lambda (n) (%integer! s (%bound n))))

    ;; A procedure as `random-real` that draws from the source.
    (define (random-source-make-reals s . unit)
      (%checked "random-source-make-reals" s)
      (lambda () (%real! s)))

    ;; The state of a source.
    (define (random-source-state-ref s) (%state (%checked "random-source-state-ref" s)))

    ;; Put a source in a state.
    (define (random-source-state-set! s state)
      (if (not (exact-integer? state))
          (error "random-source-state-set!: expected a state, got" state))
      (%state-set! (%checked "random-source-state-set!" s) state))

    ;; There is no clock and no chance in the language: always the same other state.
    (define (random-source-randomize! s)
      (%state-set! (%checked "random-source-randomize!" s) 8121990114252937191))

    ;; One of many states, for each pair of integers another.
    (define (random-source-pseudo-randomize! s i j)
      (if (not (and (exact-integer? i) (exact-integer? j) (>= i 0) (>= j 0)))
          (error "random-source-pseudo-randomize!: expected two integers from 0 on, got" i j))
      (%state-set! (%checked "random-source-pseudo-randomize!" s) (equal-hash (list i j))))))
