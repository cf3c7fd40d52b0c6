;;; Regular expressions by derivatives.  The input is a list of characters.
;;;
;;;     r ::= () | (empty) | character | (seq r r) | (or r r) | (star r)

(define (run r text)
  (accepts? r text (alphabet r '())))

(define (accepts? r text characters)
  (if (null? text)
      (nullable? r)
      (next r characters (car text) (cdr text) characters)))

;; The derivative by the character that the text goes on with, which is among the given ones.
(define (next r candidates c text characters)
  (cond ((null? candidates) #f)
        ((eqv? (car candidates) c)
         (let ((d (derivative r (car candidates))))
           (and d (accepts? d text characters))))
        (else (next r (cdr candidates) c text characters))))

(define (nullable? r)
  (cond ((null? r) #t)
        ((char? r) #f)
        (else
         (case (car r)
           ((seq) (and (nullable? (cadr r)) (nullable? (caddr r))))
           ((or) (or (nullable? (cadr r)) (nullable? (caddr r))))
           (else #t)))))

;; #f is the expression that nothing matches.
(define (derivative r c)
  (cond ((null? r) #f)
        ((char? r) (if (char=? r c) '() #f))
        (else
         (case (car r)
           ((seq)
            (let ((d (sequence (derivative (cadr r) c) (caddr r))))
              (if (nullable? (cadr r))
                  (either d (derivative (caddr r) c))
                  d)))
           ((or) (either (derivative (cadr r) c) (derivative (caddr r) c)))
           (else (sequence (derivative (cadr r) c) r))))))

(define (sequence a b)
  (cond ((not a) #f)
        ((null? a) b)
        (else (list 'seq a b))))

(define (either a b)
  (cond ((not a) b)
        ((not b) a)
        ((equal? a b) a)
        ((among? b a) a)
        (else (list 'or a b))))

(define (among? b a)
  (or (equal? a b)
      (and (pair? a)
           (eq? (car a) 'or)
           (or (among? b (cadr a)) (among? b (caddr a))))))

(define (alphabet r found)
  (cond ((null? r) found)
        ((char? r) (if (memv r found) found (cons r found)))
        ((eq? (car r) 'star) (alphabet (cadr r) found))
        (else (alphabet (caddr r) (alphabet (cadr r) found)))))
