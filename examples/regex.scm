;;; A regular-expression matcher; with the expression known, a deterministic automaton.
;;;
;;;     cogen specialize regex.scm --entry match? \
;;;         '(static (seq (star (or #\a #\b)) #\a #\b #\b))' _
;;;
;;;     expression ::= character | (seq expression ...) | (or expression ...) | (star expression)
;;;                  | any
;;;
;;; The matcher takes derivatives (Brzozowski 1964): what is left to match after one character.
;;; It asks for each character that the expression names whether it is the next one of the text:
;;; then the next expression is known although the text is not, and the expressions met are
;;; finitely many, the states of the automaton.

;; Does the expression match the whole of a string?
(define (match? expression text)
  (match expression (characters expression)
         (lambda (i) (char->integer (string-ref text i)))
         (lift 0) (string-length text)))

;; The same for the first `length` bytes of a buffer; for words of 8 bits (--word-size 8).
(define (match-bytes? expression buffer length)
  (match expression (characters expression)
         (lambda (i) (load-word buffer i))
         (lift 0) length))

;; `code-at` gives the code of the character at an index.
(define (match expression alphabet code-at i end)
  (if (= i end)
      (nullable? expression)
      (step expression alphabet alphabet (code-at i) code-at (+ i 1) end)))

;; Find the next character's code `c` among the `candidates`; other characters are all alike.
(define (step expression candidates alphabet c code-at i end)
  (cond ((null? candidates)
         (continue (derive expression 'other) alphabet code-at i end))
        ((= c (char->integer (car candidates)))
         (continue (derive expression (car candidates)) alphabet code-at i end))
        (else (step expression (cdr candidates) alphabet c code-at i end))))

;; Nothing can follow the impossible expression (or): stop early.
(define (continue expression alphabet code-at i end)
  (if (equal? expression impossible)
      #f
      (match expression alphabet code-at i end)))

(define impossible '(or))
(define empty '(seq))

;; Does the expression match the empty text?
(define (nullable? e)
  (cond ((not (pair? e)) #f)
        ((eq? (car e) 'seq) (every? nullable? (cdr e)))
        ((eq? (car e) 'or) (some? nullable? (cdr e)))
        (else #t)))

;; What is left of `e` after the character `c`.
(define (derive e c)
  (cond ((not (pair? e)) (if (or (eq? e 'any) (eqv? e c)) empty impossible))
        ((eq? (car e) 'or) (either (map (lambda (part) (derive part c)) (cdr e))))
        ((eq? (car e) 'star) (both (derive (cadr e) c) e))
        ((null? (cdr e)) impossible)
        (else
         (let* ((rest (sequence (cddr e)))
                (first (both (derive (cadr e) c) rest)))
           (if (nullable? (cadr e))
               (either (list first (derive rest c)))
               first)))))

;; Expressions in a normal form, so that there are finitely many derivatives: no nested
;; sequences and alternatives, no alternative twice, in a fixed order.

(define (sequence parts)
  (if (and (pair? parts) (null? (cdr parts)))
      (car parts)
      (cons 'seq parts)))

(define (both e rest)
  (cond ((equal? e impossible) impossible)
        ((equal? rest impossible) impossible)
        (else (sequence (append (parts-of 'seq e) (parts-of 'seq rest))))))

(define (either expressions)
  (let collect ((rest expressions) (parts '()))
    (if (pair? rest)
        (collect (cdr rest) (union (parts-of 'or (car rest)) parts))
        (if (and (pair? parts) (null? (cdr parts)))
            (car parts)
            (cons 'or parts)))))

(define (parts-of kind e)
  (if (and (pair? e) (eq? (car e) kind)) (cdr e) (list e)))

;; The characters that an expression names, each once.
(define (characters e)
  (cond ((char? e) (list e))
        ((pair? e)
         (let collect ((rest (cdr e)) (found '()))
           (if (pair? rest)
               (collect (cdr rest) (union (characters (car rest)) found))
               found)))
        (else '())))

(define (union new old)
  (cond ((null? new) old)
        ((member (car new) old) (union (cdr new) old))
        (else (union (cdr new) (append old (list (car new)))))))

(define (every? test items)
  (or (null? items)
      (and (test (car items)) (every? test (cdr items)))))

(define (some? test items)
  (and (pair? items)
       (or (test (car items)) (some? test (cdr items)))))
