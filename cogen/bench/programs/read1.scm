; Data that are written to a string and read from it again.
; smaller: (run 1 2) gives #t

(import (scheme base) (scheme read) (scheme write))

(define data
  '(define (f x) "a string \\ with \"quotes\"" #(1 2.5 -3e2 (a . b)) #\x #t () |odd name| 'q
     `(u ,v ,@w)
     ((((deep))) #(1 2 255)) 123456789 -42 lambda))

(define (written copies)
  (let ((out (open-output-string)))
    (do ((i 0 (+ i 1))) ((= i copies) (get-output-string out))
      (write data out)
      (newline out))))

(define (all-of text)
  (let ((in (open-input-string text)))
    (let loop ((x (read in)) (count 0) (same #t))
      (if (eof-object? x)
          (and same count)
          (loop (read in) (+ count 1) (and same (equal? x data)))))))

(define (run times copies)
  (let ((text (written copies)))
    (let loop ((i 1))
      (let ((found (all-of text)))
        (if (< i times) (loop (+ i 1)) (eqv? found copies))))))

(write (run 30 1000))
