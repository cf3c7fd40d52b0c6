;;; SRFI 28, basic format strings: ~a ~s ~% ~~.

(define-library (srfi 28)
  (export format)
  (import (srfi formatting))
  (begin

    ;; The text with the arguments in it: ~a as `display`, ~s as `write`, ~% a new line, ~~ a tilde.
    (define (format text . arguments)
      (if (known? text) (%formatted text arguments) (rcall %formatted text arguments)))

    (define (%formatted text arguments)
      (if (not (string? text)) (error "format: expected a string, got" text))
      (let ((port (open-output-string)))
        (%format "format" port text arguments %directive)
        (get-output-string port)))

    (define (%directive name port text i arguments)
      (let ((c (char-downcase (string-ref text i))))
        (cond ((char=? c #\a)
               (display (%argument text arguments) port)
               (cons (+ i 1) (cdr arguments)))
              ((char=? c #\s)
               (write (%argument text arguments) port)
               (cons (+ i 1) (cdr arguments)))
              ((char=? c #\%)
               (newline port)
               (cons (+ i 1) arguments))
              ((char=? c #\~)
               (write-char #\~ port)
               (cons (+ i 1) arguments))
              (else (error "format: there is no directive" (string #\~ c))))))

    (define (%argument text arguments)
      (if (pair? arguments)
          (car arguments)
          (error "format: there is no argument for a directive of" text)))))
