; What programs of Gambit's collection find defined: how they are run, and arithmetic by kinds of
; numbers.

(define (run-benchmark name count right? make . arguments)
  (let ((run (apply make arguments)))
    (let loop ((left count) (result #f))
      (cond ((> left 0) (loop (- left 1) (run)))
            ((right? result) (display "right"))
            (else (display "*** wrong result: ") (write result))))
    (newline)))

(define (fatal-error . arguments)
  (for-each display arguments)
  (newline)
  (exit 1))

(define (call-with-output-file/truncate name use) (call-with-output-file name use))

(define-syntax FLOATvector-const (syntax-rules () ((_ x ...) '#(x ...))))
(define-syntax nuc-const (syntax-rules () ((_ x ...) '#(x ...))))
(define-syntax stands-for
  (syntax-rules ()
    ((_ (name meaning) ...)
     (begin (define-syntax name (syntax-rules () ((_ . operands) (meaning . operands)))) ...))))

(stands-for
 (FLOATvector? vector?) (FLOATvector vector) (FLOATmake-vector make-vector)
 (FLOATvector-ref vector-ref) (FLOATvector-set! vector-set!) (FLOATvector-length vector-length)
 (FLOAT+ +) (FLOAT- -) (FLOAT* *) (FLOAT/ /)
 (FLOAT= =) (FLOAT< <) (FLOAT<= <=) (FLOAT> >) (FLOAT>= >=)
 (FLOATnegative? negative?) (FLOATpositive? positive?) (FLOATzero? zero?) (FLOATabs abs)
 (FLOATsin sin) (FLOATcos cos) (FLOATatan atan) (FLOATsqrt sqrt) (FLOATmin min) (FLOATmax max)
 (FLOATround round) (FLOATinexact->exact inexact->exact)
 (GENERIC+ +) (GENERIC- -) (GENERIC* *) (GENERIC/ /) (GENERICquotient quotient)
 (GENERICremainder remainder) (GENERICmodulo modulo) (GENERIC= =) (GENERIC< <) (GENERIC<= <=)
 (GENERIC> >) (GENERIC>= >=) (GENERICexpt expt))
