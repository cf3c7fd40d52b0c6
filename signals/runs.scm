;;; Run-length encoded signals: two signals of one length, `counts` and `values`; each value stands
;;; for as many equal samples as its count says (seed 004, irregular data).
;;;
;;; They may be channels of one signal (a count, a value, a count, ...) or lie apart.

(define-library (signals runs)
  (export rle-decode! rle-encode! rle-length)
  (import (scheme base) (signals signal) (signals layouts) (signals loops) (signals pointwise))
  (begin

    ;; How many samples the runs stand for.
    (define (rle-length counts)
      (signal-fold + 0 counts))

    ;; Put the samples that the runs stand for at the beginning of `out`; the value is their
    ;; number.  An error if they are more than `out` has.  What `out` has behind them is not
    ;; specified: where its samples are whole words, a run is stored some samples at a time, and
    ;; what is too much is overwritten by the next run.
    (define (rle-decode! counts values out)
      (check-same-length "rle-decode!" values counts)
      (check "rle-decode!" (> (signal-stride out) 0) "the output must go upwards")
      (check-in-buffer "rle-decode!" out)
      (let ((start (signal-from out))
            (fill! (if (= (remainder (signal-stride out) (word-size)) 0) fill-over! fill-run!)))
        (let next ((counts counts) (values values) (out out))
          (if (and (signal-end? counts) (signal-may-end? values))
              (quotient (- (signal-from out) start) (signal-stride out))
              (let* ((n (signal-get counts))
                     (rest (signal-drop out n)))
                (check "rle-decode!" (and (<= 0 n) (<= (signal-from rest) (signal-to rest)))
                       "the runs are longer than the output")
                (fill! out rest (signal-get values))
                (next (signal-next counts) (signal-next values) rest))))))

    ;; Put `v` from the first sample of `out` to that of `rest`.
    (define (fill-run! out rest v)
      (signal-fill! (signal-with-range out (signal-from out) (signal-from rest)
                                       (signal-stride out))
                    v))

    ;; How many samples are stored at once.
    (define at-once 16)

    ;; The same, in steps of `at-once` samples while `out` has as many.
    (define (fill-over! out rest v)
      (let next ((out out))
        (if (< (signal-from out) (signal-from rest))
            (let ((after (signal-drop out at-once)))
              (if (<= (signal-from after) (signal-to after))
                  (begin
                    (signal-fill! (signal-loose-end (signal-take out at-once)) v)
                    (next after))
                  (fill-run! out rest v))))))

    ;; Put the runs of equal samples of `in` at the beginning of `counts` and `values`; the value
    ;; is their number.  A run that is longer than a count can say is put as several.  An error if
    ;; there are more runs than there is room for.
    (define (rle-encode! in counts values)
      (check-same-length "rle-encode!" counts values)
      (let ((start (signal-from counts))
            (greatest (signal-greatest counts)))
        (if (signal-end? in)
            0
            (let next ((in (signal-next in)) (v (signal-get in)) (n (lift 1))
                       (counts counts) (values values))
              (cond ((signal-end? in)
                     (put-run! counts values n v)
                     (quotient (- (signal-from (signal-next counts)) start)
                               (signal-stride counts)))
                    ((and (= (signal-get in) v) (< n greatest))
                     (next (signal-next in) v (+ n 1) counts values))
                    (else
                     (put-run! counts values n v)
                     (next (signal-next in) (signal-get in) (lift 1)
                           (signal-next counts) (signal-next values))))))))

    (define (put-run! counts values n v)
      (check "rle-encode!" (not (signal-end? counts)) "the output is too short")
      (signal-put! counts n)
      (signal-put! values v))))
