;;; SRFI 16, case-lambda: the language has it.

(define-library (srfi 16)
  (export case-lambda))
