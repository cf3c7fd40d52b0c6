; Interpreters that are specialized away.
;
; power "(dynamic int)" "(static 5)"
; run "(static ((push 2) (arg) (mul) (jump-if-small 5) (push 100) (arg) (sub)))" "(dynamic int)"
; matches "(static (seq (star a) b))" "(dynamic any)"
; dot "(static (2 0 5))" "(list (dynamic float) _ (dynamic float))"
; states "(static (0 1 0))" "(dynamic memory)"

(define (power x n)
  (cond ((= n 0) 1)
        ((even? n) (square (power x (quotient n 2))))
        (else (* x (power x (- n 1))))))

;; A stack machine.
(define (run code argument)
  (let next ((pc 0) (stack '()))
    (if (>= pc (length code)) (car stack)
        (let* ((instruction (list-ref code pc)) (on (+ pc 1)))
          (case (car instruction)
            ((push) (next on (cons (cadr instruction) stack)))
            ((arg) (next on (cons argument stack)))
            ((mul) (next on (cons (* (cadr stack) (car stack)) (cddr stack))))
            ((sub) (next on (cons (- (cadr stack) (car stack)) (cddr stack))))
            ((jump-if-small) (if (< (car stack) 10) (next (cadr instruction) stack)
                                 (next on stack))))))))

;; A matcher of regular expressions in continuation-passing style.
(define (matches pattern items)
  (let match ((pattern pattern) (items items) (next null?))
    (cond ((symbol? pattern)
           (and (pair? items) (eq? (car items) pattern) (next (cdr items))))
          ((eq? (car pattern) 'seq)
           (match (cadr pattern) items (lambda (rest) (match (caddr pattern) rest next))))
          (else
           (let again ((items items))
             (or (next items)
                 (match (cadr pattern) items again)))))))

(define (dot xs ys)
  (if (null? xs) 0
      (+ (* (car xs) (car ys)) (dot (cdr xs) (cdr ys)))))

;; A pattern in memory: after a mismatch, what was read is not read again.
(define (states pattern memory)
  (let ((end (buffer-words memory)))
    (let next ((i 0) (left pattern))
      (cond ((null? left) i)
            ((= i end) -1)
            ((= (load-word memory i) (car left)) (next (+ i 1) (cdr left)))
            (else (next (+ i 1) pattern))))))
