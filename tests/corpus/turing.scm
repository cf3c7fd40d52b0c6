;;; A Turing machine.  The tape is what is left of the head, from there outwards, and what is
;;; right of it, the head's square included; it is blank further out.
;;;
;;;     program ::= ((state (read write move next) ...) ...)          move: left, right or stay
;;;     a state that is not there is the end

(define (run machine tape)
  (go (caar machine) '() tape machine))

(define (go state left right machine)
  (let ((rules (assq state machine)))
    (if rules
        (if (null? right)
            (choose (cdr rules) 'blank left '() machine)
            (choose (cdr rules) (car right) left (cdr right) machine))
        (cons state (append (reverse left) right)))))

(define (choose rules read left right machine)
  (cond ((null? rules) (list 'stuck read))
        ((eqv? (caar rules) read) (act (cdar rules) left right machine))
        (else (choose (cdr rules) read left right machine))))

(define (act rule left right machine)
  (let ((right (cons (car rule) right)) (next (caddr rule)))
    (case (cadr rule)
      ((right) (go next (cons (car right) left) (cdr right) machine))
      ((left)
       (if (null? left)
           (go next '() (cons 'blank right) machine)
           (go next (cdr left) (cons (car left) right) machine)))
      (else (go next left right machine)))))
