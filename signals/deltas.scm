;;; Delta-coded signals: each sample as its difference from the one before, modulo 2^size.

(define-library (signals deltas)
  (export delta-encode! delta-decode!)
  (import (scheme base) (signals signal) (signals layouts) (signals loops))
  (begin

    ;; Put x[i] - x[i-1] modulo 2^size of `out`; the first sample is as it is.  `out` must not be in
    ;; the memory of `in`.
    (define (delta-encode! in out)
      (check-integers "delta-encode!" in)
      (check-same-length "delta-encode!" in out)
      (if (not (signal-end? out))
          (begin
            (signal-put! out (signal-get in))
            (map-signals! "delta-encode!" word-sub (signal-next out)
                          (list (signal-next in) (signal-drop-last in 1))))))

    ;; Put d[0] + ... + d[i], modulo 2^size of `out`.
    (define (delta-decode! in out)
      (check-integers "delta-decode!" in)
      (scan-signals! "delta-decode!"
                     (lambda (sum d)
                       (let ((sum (word-add sum d)))
                         (values sum sum)))
                     (lift 0) out (list in))
      (if #f #f))))
