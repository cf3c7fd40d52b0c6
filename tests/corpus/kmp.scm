;;; Naive string search that remembers what it has seen: the pattern is compared with the known
;;; part of the text before it is compared with the text itself, so no character is read twice.

(define (run pattern text)
  (search pattern pattern '() text 0))

;; REST is what is left of the pattern, SEEN what was found before it, in reverse.
(define (search pattern rest seen text at)
  (if (null? rest)
      (- at (length pattern))
      (if (null? text)
          #f
          (check pattern rest seen (car text) (cdr text) at))))

(define (check pattern rest seen c text at)
  (cond ((eqv? (car rest) c)
         (search pattern (cdr rest) (cons (car rest) seen) text (+ at 1)))
        ((null? seen) (search pattern pattern '() text (+ at 1)))
        (else
         (let ((shorter (fall-back pattern (cdr (reverse seen)))))
           (check pattern (list-tail pattern (length shorter)) (reverse shorter) c text at)))))

;; The longest end of what was seen that is a beginning of the pattern.
(define (fall-back pattern seen)
  (if (prefix? seen pattern)
      seen
      (fall-back pattern (cdr seen))))

(define (prefix? a b)
  (or (null? a)
      (and (eqv? (car a) (car b)) (prefix? (cdr a) (cdr b)))))
