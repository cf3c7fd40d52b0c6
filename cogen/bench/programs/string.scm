; A string that grows by taking itself apart and joining the parts.
; smaller: (run 2 300) gives 502

(import (scheme base) (scheme write))

(define (grow s)
  (let* ((whole (string-append "123" s "456" s "789"))
         (n (string-length whole)))
    (string-append (substring whole (quotient n 2) n)
                   (substring whole 0 (+ 1 (quotient n 2))))))

(define (trial n)
  (let loop ((i 0) (s "abcdef"))
    (if (>= (string-length s) n)
        (string-length s)
        (loop (+ i 1) (grow s)))))

(define (run times n)
  (do ((i 1 (+ i 1)) (found 0 (trial n)))
      ((> i times) found)))

(write (run 60 500000))
