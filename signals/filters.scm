;;; Filters along one signal: each output sample depends on several input samples.
;;;
;;; They read one signal several times, each time moved by some samples.  No filter may put its
;;; output in the memory of its input.

(define-library (signals filters)
  (export signal-fir! signal-fir-valid! signal-fir-decimate! decimated-length
          signal-delay! signal-echo! signal-box! averager slide! window)
  (import (scheme base) (signals signal) (signals layouts) (signals loops) (signals pointwise)
          (signals separate))
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
            (filter! "signal-fir!" in rest taps 1 shift))))

    ;; The same without the first samples, those that would ask for x before the first one: `out`
    ;; is shorter than `in` by the number of taps less one.
    (define (signal-fir-valid! in out taps shift)
      (check-taps "signal-fir-valid!" taps)
      (check "signal-fir-valid!"
             (= (signal-length in) (+ (signal-length out) (- (length taps) 1)))
             "the output must be shorter than the input by the number of taps less one")
      (filter! "signal-fir-valid!" in out taps 1 shift))

    ;; Each `n`-th sample of what signal-fir-valid! puts, the first one first; only these are
    ;; computed.  `n` is known, and positive.
    (define (signal-fir-decimate! in out taps n shift)
      (let ((who "signal-fir-decimate!"))
        (check-taps who taps)
        (check who (> n 0) "the distance must be positive")
        (check who (= (signal-length out) (decimated-length (signal-length in) (length taps) n))
               "the output must have as many samples as decimated-length says")
        (filter! who in out taps n shift)))

    ;; How many samples come of `samples` with so many taps, each `n`-th of those that there are.
    (define (decimated-length samples taps n)
      (if (< samples taps) 0 (+ (floor-quotient (- samples taps) n) 1)))

    (define (check-taps who taps)
      (check who (pair? taps) "there must be at least one tap"))

    ;; Put the weighted sums of the samples from each n-th on.
    (define (filter! who in out taps n shift)
      (let ((clamp (signal-clamper out))
            (zero (signal-zero out)))
        (slide! who (list in) out (length taps) n
                (lambda (s) (clamp (scale-down (weighed s taps zero) shift))))))

    ;; Put what a procedure gives for the signals from each n-th sample on, of which it reads k
    ;; each.  The loop carries these signals, not one for each of their samples: what the
    ;; specializer has to look at grows no faster than the samples that are read.
    (define (slide! who ins out k n value)
      (check who (not (signal-constant? out)) "a constant signal cannot be written")
      (separately out ins
        (lambda (out ins)
          (let slide ((out out)
                      (ss (map (lambda (s) (ending s k n (signal-length out))) ins)))
            (if (not (all-slid? out (car ss)))
                (begin
                  (signal-put! out (apply value ss))
                  (slide (signal-next out)
                         (map (if (= n 1) signal-next (lambda (s) (signal-drop s n))) ss))))))))

    ;; The signal that ends when the output does.
    (define (ending s k n count)
      (cond ((= n 1) (signal-drop-last s (- k 1)))
            ((signal-group? s) s)
            (else
             (let* ((stride (signal-stride s))
                    (bits (* n (abs stride)))
                    (span (set-base (* bits count) bits)))
               (signal-with-range s (signal-from s)
                                  ((if (< stride 0) - +) (signal-from s) span) stride)))))

    ;; Is there no sample left?  What is known ahead of the input is asked first.
    (define (all-slid? out s)
      (let ((may-end (or (signal-group? s) (signal-may-end? s))))
        (if (and (known? may-end) (not may-end)) #f (signal-end? out))))

    ;; total + taps[0] x[k-1] + ... + taps[k-1] x[0], x[0] being the current sample.
    (define (weighed s taps total)
      (cond ((null? taps) total)
            ((early= 0 (car taps)) (weighed s (cdr taps) total))
            (else
             (let ((x (signal-get (signal-shifted s (- (length taps) 1)))))
               (weighed s (cdr taps) (+ total (* x (car taps))))))))

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
        (slide! "signal-box!" (list in) out k 1
                (lambda (s) (apply (averager k in) (window s k))))))

    ;; The current sample and those after it, k in all, the last one first.
    (define (window s k)
      (let collect ((j 0) (found '()))
        (if (< j k)
            (collect (+ j 1) (cons (signal-get (signal-shifted s j)) found))
            found)))

    ;; The procedure that gives the mean of `k` samples of `in`, k being odd.  Integers are counted
    ;; from the least one, so that the division is one of unsigned numbers.
    (define (averager k in)
      (if (signal-float? in)
          (lambda xs (/ (apply + xs) (inexact k)))
          (let* ((least (signal-least in))
                 (start (- (quotient k 2) (* k least))))
            (lambda xs (+ (quotient (apply + start xs) k) least)))))))
