;;; Parts of strings and vectors: what SRFI 13, 130 and 133 have in common.

(define-library (srfi ranges)
  (export %within)
  (begin

    ;; `%range`, but both ends are unknown if one is: a loop that begins with a known index and ends
    ;; nobody knows where would be followed for some rounds.
    (define (%within name size range body)
      (%range name size range
        (lambda (start end)
          (if (and (known? start) (known? end))
              (body start end)
              (body (lift start) (lift end))))))))
