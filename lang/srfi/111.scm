;;; SRFI 111, boxes.

(define-library (srfi 111)
  (export box box? unbox set-box!)
  (begin
    ;; A box is a place that holds a value.
    (define-record-type %box (box value) box? (value unbox set-box!))))
