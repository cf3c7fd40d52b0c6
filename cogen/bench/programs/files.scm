; A file that is written, copied by characters, counted by words, and turned round by lines
; (cat, wc, tail).
; smaller: (run 1 20) gives (20 118 501 501 "line 1 of some")

(import (scheme base) (scheme char) (scheme file) (scheme write))

(define name "bench-files-1.tmp")
(define other "bench-files-2.tmp")

(define (fresh name) (if (file-exists? name) (delete-file name)))

(define (write-lines n)
  (fresh name)
  (call-with-output-file name
    (lambda (out)
      (do ((i 1 (+ i 1))) ((> i n))
        (display "line " out)
        (write i out)
        (display (if (= i 1) " of some\n" " of all the others\n") out)))))

(define (copy)
  (fresh other)
  (call-with-input-file name
    (lambda (in)
      (call-with-output-file other
        (lambda (out)
          (let loop ((c (read-char in)) (count 0))
            (if (eof-object? c)
                count
                (begin (write-char c out) (loop (read-char in) (+ count 1))))))))))

; Lines, words and characters.
(define (count-words)
  (call-with-input-file other
    (lambda (in)
      (let loop ((lines 0) (words 0) (characters 0) (inside #f))
        (let ((c (read-char in)))
          (cond ((eof-object? c) (list lines words characters))
                ((char=? c #\newline) (loop (+ lines 1) words (+ characters 1) #f))
                ((char-whitespace? c) (loop lines words (+ characters 1) #f))
                (inside (loop lines words (+ characters 1) #t))
                (else (loop lines (+ words 1) (+ characters 1) #t))))))))

(define (last-of-turned)
  (let ((lines (call-with-input-file other
                 (lambda (in)
                   (let loop ((l (read-line in)) (made '()))
                     (if (eof-object? l) made (loop (read-line in) (cons l made))))))))
    (let loop ((l lines)) (if (null? (cdr l)) (car l) (loop (cdr l))))))

(define (trial n)
  (write-lines n)
  (let* ((copied (copy)) (counts (count-words)) (last (last-of-turned)))
    (append counts (list copied last))))

(define (run times n)
  (let ((found (let loop ((i 1)) (let ((x (trial n))) (if (< i times) (loop (+ i 1)) x)))))
    (fresh name)
    (fresh other)
    found))

(write (run 4 20000))
