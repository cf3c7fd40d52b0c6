;;; SRFI 9, records: the language has it.

(define-library (srfi 9)
  (export define-record-type))
