;;; SRFI 23, error: the language has it.

(define-library (srfi 23)
  (export error))
