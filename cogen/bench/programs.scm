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
