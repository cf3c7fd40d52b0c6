; Program text to TeX, character by character: string ports, strings that are changed, tables.
; smaller: (run 1 1) gives 179

(import (scheme base) (scheme char) (scheme write))

(define keywords '("define" "lambda" "if" "cond" "let" "quote" "set!"))

(define (tex c)
  (case c
    ((#\$ #\& #\% #\# #\_) (string #\\ c))
    ((#\{ #\}) (string #\$ #\\ c #\$))
    ((#\+ #\= #\< #\>) (string #\$ c #\$))
    ((#\\) "$\\backslash$")
    ((#\^) "\\^{}")
    ((#\~) "\\~{}")
    (else (string c))))

(define (delimiter? c)
  (or (eof-object? c) (char-whitespace? c) (memv c '(#\( #\) #\" #\;))))

(define buffer (make-string 200 #\space))

(define (read-token in)
  (let loop ((n 0))
    (if (delimiter? (peek-char in))
        (substring buffer 0 n)
        (begin
          (string-set! buffer n (read-char in))
          (loop (+ n 1))))))

(define (put-tex s out)
  (let ((n (string-length s)))
    (do ((i 0 (+ i 1))) ((= i n)) (display (tex (string-ref s i)) out))))

(define (put-token token out)
  (display (cond ((member (list->string (map char-downcase (string->list token))) keywords) "\\sy{")
                 ((string->number token) "\\cn{")
                 (else "\\va{"))
           out)
  (put-tex token out)
  (write-char #\} out))

(define (typeset in out)
  (let loop ((column 0))
    (let ((c (peek-char in)))
      (cond ((eof-object? c) column)
            ((char=? c #\newline)
             (read-char in)
             (display "\\\\" out)
             (newline out)
             (loop 0))
            ((char=? c #\;)
             (display "{\\it " out)
             (let comment ((c (read-char in)))
               (if (and (not (eof-object? c)) (not (eof-object? (peek-char in)))
                        (not (char=? #\newline (peek-char in))))
                   (begin (display (tex c) out) (comment (read-char in)))
                   (if (not (eof-object? c)) (display (tex c) out))))
             (write-char #\} out)
             (loop column))
            ((char=? c #\")
             (write-char (read-char in) out)
             (let inside ((c (read-char in)))
               (cond ((eof-object? c) column)
                     ((char=? c #\") (write-char c out) (loop (+ column 1)))
                     (else (display (tex c) out) (inside (read-char in))))))
            ((char-whitespace? c)
             (read-char in)
             (display "\\ " out)
             (loop (+ column 1)))
            ((memv c '(#\( #\)))
             (write-char (read-char in) out)
             (loop (+ column 1)))
            (else
             (let ((token (read-token in)))
               (put-token token out)
               (loop (+ column (string-length token)))))))))

(define text
  (string-append "; halves_of a list\n"
                 "(Define (halves l) (if (null? l) '() (cons (/ (car l) 2) \"a\\b\")))\n"))

(define (run times copies)
  (let ((source (let more ((i copies) (s ""))
                  (if (= i 0) s (more (- i 1) (string-append s text))))))
    (let loop ((i 1))
      (let ((out (open-output-string)))
        (typeset (open-input-string source) out)
        (if (< i times) (loop (+ i 1)) (string-length (get-output-string out)))))))

(write (run 200 50))
