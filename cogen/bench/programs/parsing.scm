; A text of arithmetic expressions, made as a string, is split into tokens, parsed and evaluated.

(define (random seed) (modulo (+ (* seed 3581) 12751) 131072))

(define (expression-text depth seed)
  (if (= depth 0)
      (number->string (+ 1 (modulo seed 997)))
      (let* ((left (random seed)) (right (random left)))
        (string-append "(" (expression-text (- depth 1) left)
                       (case (modulo right 3) ((0) " + ") ((1) " - ") (else "*"))
                       (expression-text (- depth 1) right) ")"))))

(define (digits text i value)
  (if (and (< i (string-length text)) (char-numeric? (string-ref text i)))
      (digits text (+ i 1)
              (+ (* 10 value) (- (char->integer (string-ref text i)) (char->integer #\0))))
      (cons value i)))

(define (tokens text)
  (let loop ((i 0) (made '()))
    (if (= i (string-length text))
        (reverse made)
        (let ((c (string-ref text i)))
          (cond ((char-whitespace? c) (loop (+ i 1) made))
                ((char-numeric? c)
                 (let ((found (digits text i 0)))
                   (loop (cdr found) (cons (car found) made))))
                (else (loop (+ i 1) (cons (string->symbol (string c)) made))))))))

; factor ::= number | open expression close;  each parser gives a value and the tokens left

(define open (string->symbol "("))
(define close (string->symbol ")"))

(define (factor tokens)
  (if (eq? (car tokens) open)
      (let ((inner (expression (cdr tokens))))
        (if (eq? (cadr inner) close)
            (cons (car inner) (cddr inner))
            (error "a parenthesis is missing")))
      tokens))

(define (term tokens)
  (let loop ((left (factor tokens)))
    (if (and (pair? (cdr left)) (eq? (cadr left) '*))
        (let ((right (factor (cddr left))))
          (loop (cons (modulo (* (car left) (car right)) 1000003) (cdr right))))
        left)))

(define (expression tokens)
  (let loop ((left (term tokens)))
    (if (and (pair? (cdr left)) (memq (cadr left) '(+ -)))
        (let* ((add? (eq? (cadr left) '+)) (right (term (cddr left))))
          (loop (cons (if add? (+ (car left) (car right)) (- (car left) (car right)))
                      (cdr right))))
        left)))

(define (repeat n seed result)
  (if (= n 0)
      result
      (let ((text (expression-text 9 seed)))
        (repeat (- n 1) (random seed)
                (modulo (+ (* 31 result) (string-length text) (car (expression (tokens text))))
                        1000003)))))

(display (repeat 1000 11 0))
(newline)
