;;; SRFI 11, let-values: the language has it.

(define-library (srfi 11)
  (export let-values let*-values))
