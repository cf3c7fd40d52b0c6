;;; Resampling by a rational factor: up/down times as many samples.
;;;
;;; Output sample j is taken at the place j * down / up of the input, counted in input samples.
;;; Where that lies between two samples, `nearest` takes the nearer one (the later one of two that
;;; are equally near), `linear` the weighted mean, rounded to the nearest integer if the samples
;;; are integers.  Nothing is filtered: before going down much, filter.

(define-library (signals resample)
  (export signal-resample! resampled-length)
  (import (scheme base) (signals signal) (signals layouts) (signals loops))
  (begin

    ;; Fill `out`; there must be input for each of its samples, see `resampled-length`.  up, down
    ;; (positive integers) and method (`nearest` or `linear`) are known.
    (define (signal-resample! in out up down method)
      (check "signal-resample!" (and (> up 0) (> down 0)) "up and down must be positive")
      (check "signal-resample!" (<= (signal-length out)
                                    (resampled-length (signal-length in) up down method))
             "the input is too short")
      (case method
        ((nearest) (resample! in out up down (quotient up 2) signal-get-at))
        ((linear) (resample! in out up down 0 (interpolator in out up)))
        (else (error "signal-resample!: the method must be nearest or linear" method))))

    ;; How many samples `n` samples give at most.
    (define (resampled-length n up down method)
      (cond ((<= n 0) 0)
            ((eq? method 'nearest) (+ (floor-quotient (- (* n up) (quotient up 2) 1) down) 1))
            (else (+ (floor-quotient (* (- n 1) up) down) 1))))

    ;; Whole rounds, after which phase and alignments are as before, then what is left.  `phase` is
    ;; how many parts in `up` of the way from the current input sample to the next the current
    ;; output sample is; (at in phase) is the value there.
    (define (resample! in out up down phase at)
      (let* ((times (lcm (rounds-to-align in down) (rounds-to-align out up)))
             (round (* times up)))
        (let rounds ((in in) (out out) (left (signal-length out)))
          (if (>= left round)
              (begin
                (resample-some! in out up down phase at round)
                (rounds (signal-drop in (* times down)) (signal-drop out round) (- left round)))
              (let single ((in in) (out out) (phase phase))
                (if (not (signal-end? out))
                    (let ((position (+ phase down)))
                      (signal-put! out (at in phase))
                      (single (advance in (quotient position up)) (signal-next out)
                              (remainder position up)))))))))

    ;; How often so many samples must be passed until they are whole words.
    (define (rounds-to-align s samples)
      (if (signal-group? s)
          (let* ((fields (vector-length (group-fields s)))
                 (all (* fields (words-in (group-step s)))))
            (quotient all (gcd all samples)))
          (words-in (* samples (signal-stride s)))))

    ;; How often so many bits must be passed until they are whole words.
    (define (words-in bits)
      (quotient (word-size) (gcd (word-size) bits)))

    (define (resample-some! in out up down phase at count)
      (if (> count 0)
          (let ((position (+ phase down)))
            (signal-put! out (at in phase))
            (resample-some! (advance in (quotient position up)) (signal-next out) up down
                            (remainder position up) at (- count 1)))))

    ;; The same signal from the sample after `n` more.
    (define (advance s n)
      (if (= n 0) s (signal-drop s n)))

    (define (signal-get-at s phase)
      (signal-get s))

    ;; The procedure that gives the weighted mean of a sample and the next one.  Integers are
    ;; counted from the least one, so that the division is one of unsigned numbers.
    (define (interpolator in out up)
      (let ((least (signal-least in))
            (float? (signal-float? out)))
        (lambda (s phase)
          (cond ((= phase 0) (signal-get s))
                (float?
                 (let ((x (signal-get s)))
                   (+ x (* (- (signal-get (signal-next s)) x)
                           (/ (inexact phase) (inexact up))))))
                (else
                 (+ (quotient (+ (* (- (signal-get s) least) (- up phase))
                                 (* (- (signal-get (signal-next s)) least) phase)
                                 (quotient up 2))
                              up)
                    least))))))))
