;;; Filters along one signal: each output sample depends on several input samples.
;;;
;;; They read one signal several times, each time moved by some samples.  No filter may put its
;;; output in the memory of its input.

(define-library (signals filters)
  (export signal-fir! signal-fir-valid! signal-delay! signal-echo! signal-box!
          averager moved-views)
  (import (scheme base) (signals signal) (signals layouts) (signals loops) (signals pointwise))
  (begin

    ;; Put y[i] = (taps[0] x[i] + taps[1] x[i-1] + ...) / 2^shift, rounded down and clamped to what
    ;; `out` can hold, where x[i] is 0 before the first sample.  `taps` is a list that is known,
    ;; with at least one tap; taps that are known to be 0 or 1 cost nothing.
    (define (signal-fir! in out taps shift)
      (check-taps "signal-fir!" taps)
      (check-same-length "signal-fir!" in out)
      (let start ((rest out) (k 1))
        (if (< k (length taps))
            (if (not (signal-end? rest))
                (begin
                  (signal-put! rest (apply (weigher (first-taps taps k) shift out) (latest in k)))
                  (start (signal-next rest) (+ k 1))))
            (filter! "signal-fir!" in rest taps shift))))

    ;; The same without the first samples, those that would ask for x before the first one: `out`
    ;; is shorter than `in` by the number of taps less one.
    (define (signal-fir-valid! in out taps shift)
      (check-taps "signal-fir-valid!" taps)
      (check "signal-fir-valid!"
             (= (signal-length in) (+ (signal-length out) (- (length taps) 1)))
             "the output must be shorter than the input by the number of taps less one")
      (filter! "signal-fir-valid!" in out taps shift))

    (define (check-taps who taps)
      (check who (pair? taps) "there must be at least one tap"))

    (define (filter! who in out taps shift)
      (let* ((k (length taps))
             (views (moved-views in k))
             (used (without-zeros views taps)))
        (map-signals! who (weigher (map cdr used) shift out) out (map car used))))

    ;; The signals of x[i], x[i-1], ... x[i-k+1] for i from k - 1 on.
    (define (moved-views s k)
      (let ((shortened (signal-drop-last s (- k 1))))
        (let views ((j 0) (found '()))
          (if (< j k)
              (views (+ j 1) (cons (signal-shifted shortened j) found))
              found))))

    ;; (view . tap) for each tap that is not known to be 0
    (define (without-zeros views taps)
      (cond ((null? taps) '())
            ((early= 0 (car taps)) (without-zeros (cdr views) (cdr taps)))
            (else (cons (cons (car views) (car taps))
                        (without-zeros (cdr views) (cdr taps))))))

    ;; The first k samples, the last of them first.
    (define (latest s k)
      (let collect ((s s) (k k) (found '()))
        (if (= k 0)
            found
            (collect (signal-next s) (- k 1) (cons (signal-get s) found)))))

    (define (first-taps taps k)
      (if (= k 0) '() (cons (car taps) (first-taps (cdr taps) (- k 1)))))

    ;; Put x[i-n], and 0 for the first n samples.  n is known or not, and not negative.
    (define (signal-delay! in out n)
      (let ((zero (signal-zero out)))
        (echo! "signal-delay!" n in out (lambda () zero) '() (lambda (x late) late))))

    ;; Put x[i] + x[i-n] * numerator / 2^shift, clamped to what `out` can hold; x is 0 before the
    ;; first sample.
    (define (signal-echo! in out n numerator shift)
      (let ((clamp (signal-clamper out)))
        (echo! "signal-echo!" n in out clamp (list in)
               (lambda (x late) (clamp (+ x (scale-down (* late numerator) shift)))))))

    ;; Put (before x ...) for the first n samples, x ... those of `ins`, and (after x[i] x[i-n]).
    (define (echo! who n in out before ins after)
      (check-same-length who in out)
      (check who (>= n 0) "the delay must not be negative")
      (if (< n (signal-length out))
          (let ((head (signal-loose-end (signal-take out n)))
                (ins (map (lambda (s) (signal-loose-end (signal-take s n))) ins)))
            (map-signals! who before head ins)
            (map-signals! who after (signal-drop out n)
                          (list (signal-drop in n) (signal-drop-last in n))))
          (map-signals! who before out ins)))

    ;; Put the mean, rounded to the nearest, of each 2 radius + 1 samples that follow one another:
    ;; `out` is shorter than `in` by 2 radius.  The radius is known.
    (define (signal-box! in out radius)
      (check "signal-box!" (>= radius 0) "the radius must not be negative")
      (check "signal-box!" (= (signal-length in) (+ (signal-length out) (* 2 radius)))
             "the output must be shorter than the input by twice the radius")
      (let ((k (+ (* 2 radius) 1)))
        (map-signals! "signal-box!" (averager k in) out (moved-views in k))))

    ;; The procedure that gives the mean of `k` samples of `in`, k being odd.  Integers are counted
    ;; from the least one, so that the division is one of unsigned numbers.
    (define (averager k in)
      (if (signal-float? in)
          (lambda xs (/ (apply + xs) (inexact k)))
          (let* ((least (signal-least in))
                 (start (- (quotient k 2) (* k least))))
            (lambda xs (+ (quotient (apply + start xs) k) least)))))))
