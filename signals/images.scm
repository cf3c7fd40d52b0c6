;;; Images: rows of samples.  What works along a row and across rows.
;;;
;;; An image has a signal as its current row, a pitch (bits from one row to the next, never less
;;; than a row needs) and an end (the address at which a row after the last would begin).  With a
;;; pitch that is known and a multiple of the word size, one loop body serves for all rows.

(define-library (signals images)
  (export make-image image-row image-pitch image-next image-end? image-height image-rows
          for-each-row check-same-size
          image-box! image-dither! image-diffuse! bayer-matrix)
  (import (scheme base) (signals signal) (signals layouts) (signals loops) (signals filters)
          (signals pointwise))
  (begin

    (define-record-type image
      (make-rows row pitch end)
      image?
      (row shared-row)
      (pitch image-pitch)
      (end image-end))

    ;; The image of `height` rows, of which `row` is the first.
    (define (make-image row pitch height)
      (make-rows (signal-loose-end row) pitch
                 (+ (signal-begin row) (set-base (* pitch height) pitch))))

    ;; Each `n`-th row, from row `k` on: channels of rows.  Rows left over are left out.
    (define (image-rows image k n)
      (make-image (moved-row image k) (* n (image-pitch image))
                  (floor-quotient (image-height image) n)))

    ;; The current row.  It is a signal of its own, so that a loop along it does not also move
    ;; what the image holds: the specializer would see a first round that differs from the others.
    (define (image-row image)
      (moved-row image 0))

    ;; Whether an image has no more rows.
    (define (image-end? image)
      (= (signal-begin (shared-row image)) (image-end image)))

    ;; The image without its first row.
    (define (image-next image)
      (make-rows (moved-row image 1) (image-pitch image) (image-end image)))

    ;; The row `k` after the current one.
    (define (moved-row image k)
      (signal-moved (shared-row image) (* k (image-pitch image))))

    ;; How many rows an image has.
    (define (image-height image)
      (floor-quotient (- (image-end image) (signal-begin (shared-row image))) (image-pitch image)))

    ;; Refuse images of different numbers of rows, or of samples in a row.
    (define (check-same-size who a b)
      (check-same-length who (image-row a) (image-row b))
      (check who (= (image-height a) (image-height b))
             "the images have different numbers of rows"))

    ;; (f state out in ...) for the images of the rows from each on that `out` has, top down; the
    ;; result is the next state.  The value is the last state; none if that is known to be #f, as
    ;; where nothing is carried.
    (define (for-each-row f state out . ins)
      (let next ((out out) (ins ins) (state state))
        (if (image-end? out)
            (if (or (not (known? state)) state)
                state)
            (let ((state (apply f state out ins)))
              (next (image-next out) (map image-next ins) state)))))

    ;; Put the mean of the samples at most `radius` rows and columns away, rounded to the nearest:
    ;; `out` has 2 radius rows and columns less than `in`.  The radius is known.
    (define (image-box! in out radius)
      (check "image-box!" (>= radius 0) "the radius must not be negative")
      (let ((k (+ (* 2 radius) 1)))
        (check "image-box!"
               (and (= (image-height in) (+ (image-height out) (- k 1)))
                    (= (signal-length (image-row in)) (+ (signal-length (image-row out)) (- k 1))))
               "the output must have twice the radius rows and columns less than the input")
        (let ((average (averager (* k k) (image-row in))))
          (for-each-row (lambda (state out in)
                          (slide! "image-box!" (rows-of in k) (image-row out) k 1
                                  (lambda rows (apply average (apply append (windows rows k)))))
                          state)
                        #f out in)
          (if #f #f))))

    ;; The current row and those after it, k in all.
    (define (rows-of image k)
      (let gather ((i 0))
        (if (< i k) (cons (moved-row image i) (gather (+ i 1))) '())))

    ;; The k samples from the current one on of each row.
    (define (windows rows k)
      (map (lambda (row) (window row k)) rows))

    ;; Put 1 bit for each integer sample: 1 where it is greater than a threshold that depends on
    ;; the place.  `matrix` is known: a vector of vectors of all the numbers from 0 to their number
    ;; less one.  It is laid over the image again and again.
    (define (image-dither! in out matrix)
      (check-integers "image-dither!" (image-row in))
      (check-same-size "image-dither!" in out)
      (let ((rows (vector-length matrix))
            (tests (threshold-tests matrix (image-row in))))
        (for-each-row (lambda (y out in)
                        (dither-row! (image-row in) (image-row out) (vector-ref tests y))
                        (remainder (+ y 1) rows))
                      0 out in)
        (if #f #f)))

    (define (dither-row! in out tests)
      (let ((columns (vector-length tests)))
        (scan-signals! "image-dither!"
                       (lambda (x sample)
                         (values ((vector-ref tests x) sample)
                                 (remainder (+ x 1) columns)))
                       0 out (list in))))

    ;; What tells whether a sample becomes 1, for each place of the matrix.
    (define (threshold-tests matrix s)
      (let ((places (* (vector-length matrix) (vector-length (vector-ref matrix 0))))
            (least (signal-least s))
            (range (+ (- (signal-greatest s) (signal-least s)) 1)))
        (vector-map (lambda (row)
                      (vector-map (lambda (rank)
                                    (thresholder
                                     s
                                     (+ least (quotient (* range (+ (* 2 rank) 1)) (* 2 places)))))
                                  row))
                    matrix)))

    ;; Bayer's matrix of 2^n rows and columns: neighbouring numbers are far apart in it.
    (define (bayer-matrix n)
      (let ((size (arithmetic-shift 1 n)))
        (tabulate size (lambda (y) (tabulate size (lambda (x) (bayer-rank n x y)))))))

    (define (bayer-rank n x y)
      (if (= n 0)
          0
          (let* ((half (arithmetic-shift 1 (- n 1)))
                 (right (quotient x half))
                 (low (quotient y half)))
            (+ (* 4 (bayer-rank (- n 1) (remainder x half) (remainder y half)))
               (- (+ (* 2 right) (* 3 low)) (* 4 right low))))))

    (define (tabulate n f)
      (let fill ((i (- n 1)) (found '()))
        (if (< i 0)
            (list->vector found)
            (fill (- i 1) (cons (f i) found)))))

    ;; Put 1 bit for each unsigned integer sample, after Floyd and Steinberg: what is too much or
    ;; too little at one place is made good by its neighbours, 7/16 by the next one in the row,
    ;; 3/16, 5/16 and 1/16 by the three below.  Rows go from left to right.  `errors` is a signal of
    ;; signed samples in memory of its own: one more than a row has, each of at least 4 bits more
    ;; than one of the image.  It is used while this runs.
    (define (image-diffuse! in out errors)
      (check-integers "image-diffuse!" (image-row in))
      (check-same-size "image-diffuse!" in out)
      (check "image-diffuse!"
             (and (eq? (signal-kind errors) 'signed)
                  (>= (signal-size errors) (+ (signal-size (image-row in)) 4)))
             "the errors must be signed and have 4 bits more than the samples of the image")
      (check "image-diffuse!"
             (= (signal-length errors) (+ (signal-length (image-row in)) 1))
             "there must be one error more than there are samples in a row")
      (signal-fill! (signal-loose errors) 0)
      (for-each-row (lambda (state out in)
                      (diffuse-row! (image-row in) (image-row out) (signal-loose errors))
                      state)
                    #f out in)
      (if #f #f))

    ;; Column c of the errors, in sixteenths, is sample c + 1: when column c of the row is done,
    ;; the error of column c - 1 of the next one is complete.
    (define (diffuse-row! in out errors)
      (let* ((white (signal-greatest in))
             (black (quotient white 2)))
        (let next ((in in) (out out) (errors errors) (right (lift 0)) (last (lift 0))
                   (before (lift 0)))
          (if (and (signal-end? out) (signal-may-end? in))
              (signal-put! errors (+ (* 5 last) before))
              (let* ((above (signal-get (signal-next errors)))
                     (x (+ (signal-get in) (arithmetic-shift (+ right above) -4)))
                     (all-ones-if-white (arithmetic-shift (- black x) -63))
                     (e (- x (bitwise-and all-ones-if-white white))))
                (signal-put! out all-ones-if-white)
                (signal-put! errors (+ (* 3 e) (* 5 last) before))
                (next (signal-next in) (signal-next out) (signal-next errors)
                      (* 7 e) e last))))))))
