;;; Versions of a loop by alignment: for addresses of which nothing is known ahead.
;;;
;;; `set-base` and `signal-align` go on in as many versions as there are remainders.  Here the
;;; alignment is tested once, and a few versions are picked: a fast loop for each alignment that is
;;; worth one, over as many samples as make whole words, and one loop that takes any address, for
;;; the samples left over and for all other alignments.

(define-library (signals versions)
  (export by-alignment)
  (import (scheme base) (signals signal))
  (begin

    ;; (body state signals) goes through all samples of the signals, which have the same number of
    ;; samples and known strides, and gives the next state.  It is carried out on the first samples
    ;; of the signals in a version for their alignment, if that is one of `cases`, and then on the
    ;; others, in a version for all; the value is the last state.
    ;;
    ;; A case is the remainder of the addresses modulo the word size, of every signal or a list of
    ;; one for each signal.
    (define (by-alignment cases state signals body)
      (let-values (((state signals) (begin-aligned cases state signals body)))
        (body state signals)))

    ;; The state after the samples that one of the fast versions has done, and the signals of the
    ;; others.
    (define (begin-aligned cases state signals body)
      (cond ((null? cases) (values (lift state) signals))
            ((aligned? (car cases) signals)
             (let* ((period (common-period signals))
                    (rounds (floor-quotient (signal-length (car signals)) period))
                    (first (map-cases (lambda (r s) (whole-rounds s r rounds period))
                                      (car cases) signals)))
               (values (lift (body state first))
                       (map (lambda (s) (rest-of s rounds period)) signals))))
            (else (begin-aligned (cdr cases) state signals body))))

    (define (map-cases f case signals)
      (if (pair? case)
          (map f case signals)
          (map (lambda (s) (f case s)) signals)))

    ;; Have all signals their remainder?  One test, whatever their number.
    (define (aligned? case signals)
      (= 0 (apply bitwise-ior
                  (map-cases (lambda (r s)
                               (bitwise-xor r (floor-remainder (signal-from s) (word-size))))
                             case signals))))

    ;; The number of samples after which all signals have their alignment again.
    (define (common-period signals)
      (let ((w (word-size)))
        (apply lcm (map (lambda (s) (quotient w (gcd w (signal-stride s)))) signals))))

    ;; The first `rounds` periods of a signal, with addresses that are cyclic by the word size.
    (define (whole-rounds s r rounds period)
      (let* ((w (word-size))
             (stride (signal-stride s))
             (from (+ (set-base (* w (floor-quotient (signal-from s) w)) w) r))
             (bits (set-base (* (abs stride) period rounds) w)))
        (signal-with-range s from (if (< stride 0) (- from bits) (+ from bits)) stride)))

    ;; What comes after them.
    (define (rest-of s rounds period)
      (let ((stride (signal-stride s)))
        (signal-with-range s (lift (+ (signal-from s) (* stride period rounds)))
                           (signal-to s) stride)))))
