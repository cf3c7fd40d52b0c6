; Bytes to strings and back.
; smaller: (run 5 40) gives 0

(import (scheme base) (scheme write))

(define seed 1)

(define (random n)
  (set! seed (remainder (+ (* 701 seed) 743483) 524288))
  (remainder (quotient seed 8) n))

(define (random-bytes most)
  (let* ((n (random most)) (made (make-bytevector n 0)))
    (do ((i 0 (+ i 1))) ((= i n) made)
      (bytevector-u8-set! made i (random 128)))))

(define (wrong? bytes)
  (let* ((s (utf8->string bytes)) (again (string->utf8 s)))
    (not (and (equal? bytes again)
              (string=? s (utf8->string again))
              (= (string-length s) (bytevector-length bytes))))))

(define (run times most)
  (let loop ((i 0) (failed 0))
    (if (= i times)
        failed
        (loop (+ i 1) (if (wrong? (random-bytes most)) (+ failed 1) failed)))))

(write (run 2000 10000))
