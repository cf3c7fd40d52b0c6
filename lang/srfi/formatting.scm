;;; Formatted output: what SRFI 28 and SRFI 48 are made of.

(define-library (srfi formatting)
  (export %format)
  (begin

    ;; Writes the text with its directives to the port.  `directive` is called with the name of the
    ;; caller, the port, the text, the index after the tilde and the arguments; it gives a pair of
    ;; the index after the directive and the arguments that are left.
    (define (%format name port text arguments directive)
      (let ((size (string-length text)))
        (let loop ((start 0) (i 0) (arguments arguments))
          (cond ((= i size)
                 (%write-part port text start i)
                 (if (pair? arguments)
                     (error (string-append name ": there are too many arguments:") arguments)))
                ((not (char=? (string-ref text i) #\~)) (loop start (+ i 1) arguments))
                ((= (+ i 1) size)
                 (error (string-append name ": the text ends within a directive:") text))
                (else
                 (%write-part port text start i)
                 (let ((rest (directive name port text (+ i 1) arguments)))
                   (loop (car rest) (car rest) (cdr rest))))))))

    (define (%write-part port text start end)
      (if (< start end) (write-string (substring text start end) port)))))
