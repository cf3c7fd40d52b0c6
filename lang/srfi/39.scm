;;; SRFI 39, parameters: the language has it.

(define-library (srfi 39)
  (export make-parameter parameterize))
