;;; The generic programs of the signal benchmarks.  The specialized and the unspecialized opponent
;;; are made of the same text.

(import (signals))

(define (sum buffer from to size)
  (signal-sum (packed-signal buffer from to size)))

(define (sum-signed buffer from to size)
  (signal-sum (signed-signal (packed-signal buffer from to size))))

(define (grey! colours from to greys grey-from grey-to size)
  (let ((all (packed-signal colours from to size)))
    (signal-grey! (signal-channel all 0 3) (signal-channel all 1 3) (signal-channel all 2 3)
                  (packed-signal greys grey-from grey-to size))))

(define (mix! a a-from a-to a-size b b-from b-to b-size out out-from out-to out-size)
  (signal-mix! (signed-signal (packed-signal a a-from a-to a-size))
               (signed-signal (packed-signal b b-from b-to b-size))
               (signed-signal (packed-signal out out-from out-to out-size))))

(define (ramp! out from to size stride)
  (signal-ramp! (make-signal out from to size stride) 0 1))

(define (copy! a a-from a-to a-size b b-from b-to b-size)
  (signal-copy! (packed-signal a a-from a-to a-size) (packed-signal b b-from b-to b-size)))

(define (mix-saturated! a a-from a-to a-size b b-from b-to b-size out out-from out-to out-size)
  (signal-mix-all! (list (signed-signal (packed-signal a a-from a-to a-size))
                         (signed-signal (packed-signal b b-from b-to b-size)))
                   '(1 1) 0
                   (signed-signal (packed-signal out out-from out-to out-size))))

(define (smooth! in from to size out out-from out-to out-size)
  (signal-fir-valid! (signed-signal (packed-signal in from to size))
                     (signed-signal (packed-signal out out-from out-to out-size))
                     '(1 4 6 4 1) 4))

(define (dither! in from to out out-from out-to width)
  (let ((height (floor-quotient (- to from) (* 8 width))))
    (image-dither! (make-image (packed-signal in from (+ from (* 8 width)) 8) (* 8 width) height)
                   (make-image (packed-signal out out-from (+ out-from width) 1) width height)
                   (bayer-matrix 2))))

(define (encode! in from to out out-from out-to)
  (base64-encode! (packed-signal in from to 8) (packed-signal out out-from out-to 8)))

(define (decode-runs! counts from to values values-from values-to out out-from out-to)
  (rle-decode! (packed-signal counts from to 8) (packed-signal values values-from values-to 8)
               (packed-signal out out-from out-to 8)))

(define (sum-escaped in from to)
  (escaped-sum (packed-signal in from to 8)))

(define (dot-sparse indices i-from i-to values v-from v-to dense from to)
  (sparse-dot (packed-signal indices i-from i-to 16) (packed-signal values v-from v-to 16)
              (packed-signal dense from to 16)))

(define (histogram! in from to bins bins-from bins-to)
  (signal-histogram! (packed-signal in from to 8) (packed-signal bins bins-from bins-to 32) 0))

(define (differences! in from to out out-from out-to)
  (delta-encode! (packed-signal in from to 16) (packed-signal out out-from out-to 16)))

(define (sums! in from to out out-from out-to)
  (delta-decode! (packed-signal in from to 16) (packed-signal out out-from out-to 16)))

(define (diffuse! in from to out out-from out-to errors e-from e-to width)
  (let ((height (floor-quotient (- to from) (* 8 width))))
    (image-diffuse! (make-image (packed-signal in from (+ from (* 8 width)) 8) (* 8 width) height)
                    (make-image (packed-signal out out-from (+ out-from width) 1) width height)
                    (signed-signal (packed-signal errors e-from e-to 16)))))

;; IMA ADPCM: each sample of 4 bits changes the level by a part of a step, and which step is next.
(define (decode-adpcm! in from to out out-from out-to)
  (let next ((in (packed-signal in from to 4))
             (out (signed-signal (packed-signal out out-from out-to 16)))
             (level 0)
             (index 0))
    (if (signal-end? in)
        level
        (let* ((n (signal-get in))
               (step (vector-ref steps index))
               (change (+ (quotient step 8)
                          (if (odd? n) (quotient step 4) 0)
                          (if (odd? (quotient n 2)) (quotient step 2) 0)
                          (if (odd? (quotient n 4)) step 0)))
               (level (clamp (if (>= n 8) (- level change) (+ level change)) -32768 32767))
               (index (clamp (+ index (vector-ref index-changes (modulo n 8))) 0 88)))
          (signal-put! out level)
          (next (signal-next in) (signal-next out) level index)))))

(define (clamp x low high)
  (max low (min high x)))

(define index-changes #(-1 -1 -1 -1 2 4 6 8))
(define steps
  #(7 8 9 10 11 12 13 14 16 17 19 21 23 25 28 31 34 37 41 45 50 55 60 66 73 80 88 97 107 118 130
    143 157 173 190 209 230 253 279 307 337 371 408 449 494 544 598 658 724 796 876 963 1060
    1166 1282 1411 1552 1707 1878 2066 2272 2499 2749 3024 3327 3660 4026 4428 4871 5358 5894
    6484 7132 7845 8630 9493 10442 11487 12635 13899 15289 16818 18500 20350 22385 24623 27086
    29794 32767))

;; How many samples are 5: all are counted, in a vector of the run.
(define (count-fives in from to)
  (let ((counts (make-vector 16 0)))
    (let next ((in (packed-signal in from to 4)))
      (if (signal-end? in)
          (vector-ref counts 5)
          (let ((x (signal-get in)))
            (vector-set! counts x (+ (vector-ref counts x) 1))
            (next (signal-next in)))))))
