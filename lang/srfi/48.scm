;;; SRFI 48, intermediate format strings.

(define-library (srfi 48)
  (export format)
  (import (srfi formatting))
  (begin

    ;; (format text x ...), (format #f text x ...) give a string; (format #t text x ...) and
    ;; (format port text x ...) write.
    (define (format to . rest)
      (cond ((string? to) (%to-string to rest))
            ((or (null? rest) (not (string? (car rest))))
             (error "format: expected a string, got" (if (null? rest) to (car rest))))
            ((eq? to #f) (%to-string (car rest) (cdr rest)))
            ((eq? to #t) (%write-to (current-output-port) (car rest) (cdr rest)))
            (else (%write-to to (car rest) (cdr rest)))))

    ;; A text that is not known is not looked into ahead.
    (define (%write-to port text arguments)
      (if (known? text) (%written port text arguments) (rcall %written port text arguments)))

    (define (%written port text arguments)
      (%format "format" port text arguments %directive))

    (define (%to-string text arguments)
      (let ((port (open-output-string)))
        (%write-to port text arguments)
        (get-output-string port)))

    (define (%directive name port text i arguments)
      (let ((c (char-downcase (string-ref text i))) (next (+ i 1)))
        (define (with-argument write)
          (write (%argument text arguments))
          (cons next (cdr arguments)))
        (define (with-text s)
          (write-string s port)
          (cons next arguments))
        (case c
          ((#\a) (with-argument (lambda (x) (display x port))))
          ((#\s) (with-argument (lambda (x) (write x port))))
          ((#\w) (with-argument (lambda (x) (write-shared x port))))
          ((#\y) (with-argument (lambda (x)
                                  (write x port)
                                  (newline port))))
          ((#\d) (with-argument (lambda (x) (%number x 10 port))))
          ((#\x) (with-argument (lambda (x) (%number x 16 port))))
          ((#\o) (with-argument (lambda (x) (%number x 8 port))))
          ((#\b) (with-argument (lambda (x) (%number x 2 port))))
          ((#\c) (with-argument (lambda (x) (write-char x port))))
          ((#\f) (with-argument (lambda (x) (write-string (%fixed x 0 #f) port))))
          ((#\%) (with-text "\n"))
          ((#\&) (with-text "\n"))
          ((#\t) (with-text "\t"))
          ((#\_) (with-text " "))
          ((#\~) (with-text "~"))
          ((#\!)
           (flush-output-port port)
           (cons next arguments))
          ((#\h) (with-text (%help)))
          ((#\? #\k)
           (let ((inner (%argument text arguments)) (rest (cdr arguments)))
             (%written port inner (%argument text rest))
             (cons next (cdr rest))))
          ((#\newline) (cons (%after-space text next) arguments))
          (else
           (if (char-numeric? c)
               (%with-width port text i arguments)
               (error "format: there is no directive" (string #\~ c)))))))

    (define (%after-space text i)
      (if (and (< i (string-length text)) (char-whitespace? (string-ref text i)))
          (%after-space text (+ i 1))
          i))

    (define (%argument text arguments)
      (if (pair? arguments)
          (car arguments)
          (error "format: there is no argument for a directive of" text)))

    ;; What is no number is written as it is.
    (define (%number x radix port)
      (if (number? x) (write-string (number->string x radix) port) (display x port)))

    ;; ~wF and ~w,dF
    (define (%with-width port text i arguments)
      (%digits text i 0
        (lambda (width i)
          (let ((places (and (< i (string-length text)) (char=? (string-ref text i) #\,))))
            (%digits text (if places (+ i 1) i) 0
              (lambda (count i)
                (if (not (and (< i (string-length text)) (char-ci=? (string-ref text i) #\f)))
                    (error "format: expected ~wF or ~w,dF in" text))
                (write-string (%fixed (%argument text arguments) width (and places count)) port)
                (cons (+ i 1) (cdr arguments))))))))

    (define (%digits text i n f)
      (let ((digit (and (< i (string-length text)) (digit-value (string-ref text i)))))
        (if digit (%digits text (+ i 1) (+ (* 10 n) digit) f) (f n i))))

    ;; A number with so many decimal places, or anything else, at least `width` wide.
    (define (%fixed x width places)
      (let ((s (cond ((string? x) x)
                     ((not (number? x)) (error "format: expected a number or a string, got" x))
                     (places (%places x places))
                     (else (number->string x)))))
        (if (< (string-length s) width)
            (string-append (make-string (- width (string-length s)) #\space) s)
            s)))

    (define (%places x places)
      (let* ((x (inexact x))
             (scaled (round (* (abs x) (expt 10.0 places)))))
        (if (< scaled 9e18)
            (let* ((digits (number->string (exact scaled)))
                   (missing (- (+ places 1) (string-length digits)))
                   (digits (if (> missing 0)
                               (string-append (make-string missing #\0) digits)
                               digits))
                   (point (- (string-length digits) places)))
              (string-append (if (< x 0.0) "-" "") (substring digits 0 point) "."
                             (substring digits point (string-length digits))))
            (number->string x))))

    (define (%help)
      (string-append "(format [port] text argument ...)\n"
                     "~a display  ~s write  ~w write with labels  ~y write and a new line\n"
                     "~d decimal  ~x hexadecimal  ~o octal  ~b binary  ~c character\n"
                     "~wF width w  ~w,dF width w, d places  ~? ~k a text and a list of arguments\n"
                     "~% ~& new line  ~t tab  ~_ space  ~~ tilde  ~newline no space\n"))))
