;;; Records of variable length, one after the other, each behind a header that tells its length.

(define-library (signals records)
  (export fold-records)
  (import (scheme base) (signals signal) (signals layouts) (signals loops))
  (begin

    ;; (f ... (f (f state h0 p0) h1 p1) ...) over the records in `s`.
    ;;
    ;; A record has a header of `header` samples and a payload of (payload-length h) samples, where
    ;; h is the signal of the header.  f gets the signals of both.  An error if the last record is
    ;; cut off, or a length is negative.
    (define (fold-records f state s header payload-length)
      (let next ((s s) (state (lift state)))
        (if (signal-end? s)
            state
            (let ((body (signal-drop s header)))
              (check-inside body)
              (let* ((h (signal-take s header))
                     (n (payload-length h))
                     (rest (signal-drop body n)))
                (check "fold-records" (<= 0 n) "a length is negative")
                (check-inside rest)
                (dcall next rest
                       (f state h (signal-with-range body (signal-from body) (signal-from rest)
                                                     (signal-stride body)))))))))

    (define (check-inside s)
      (check "fold-records"
             (if (> (signal-stride s) 0)
                 (<= (signal-from s) (signal-to s))
                 (>= (signal-from s) (signal-to s)))
             "the last record is cut off"))))
