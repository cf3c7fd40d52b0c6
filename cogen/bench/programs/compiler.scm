; A compiler of expressions to instructions of a register machine: passes over lists, sets of
; registers, labels, jumps that lead to jumps, and the text of it all.
; smaller: (run 1 2) gives 1843

(import (scheme base) (scheme cxr) (scheme write))

(define counter 0)
(define (label) (set! counter (+ counter 1)) counter)

; Free variables, as sets in lists.
(define (union a b)
  (cond ((null? a) b) ((memq (car a) b) (union (cdr a) b)) (else (cons (car a) (union (cdr a) b)))))
(define (without a b)
  (cond ((null? a) '())
        ((memq (car a) b) (without (cdr a) b))
        (else (cons (car a) (without (cdr a) b)))))

(define (free e)
  (cond ((symbol? e) (list e))
        ((not (pair? e)) '())
        ((eq? 'lambda (car e)) (without (free (caddr e)) (cadr e)))
        ((eq? 'if (car e)) (union (free (cadr e)) (union (free (caddr e)) (free (cadddr e)))))
        ((eq? 'let (car e))
         (union (free (cadr (caadr e))) (without (free (caddr e)) (list (caaadr e)))))
        (else
         (let loop ((l (cdr e))) (if (null? l) '() (union (free (car l)) (loop (cdr l))))))))

(define (caaadr e) (car (caadr e)))

(define code '())
(define (emit! . instruction) (set! code (cons instruction code)))

(define later '())

; Put the value of an expression into a register; `env` says which have variables.
(define (compile! e to env)
  (cond ((number? e) (emit! 'load to e))
        ((symbol? e) (emit! 'move to (cdr (or (assq e env) (error "unbound" e)))))
        ((eq? 'if (car e))
         (let ((other (label)) (end (label)))
           (compile! (cadr e) to env)
           (emit! 'jump-if-false to other)
           (compile! (caddr e) to env)
           (emit! 'jump end)
           (emit! 'label other)
           (compile! (cadddr e) to env)
           (emit! 'label end)))
        ((eq? 'let (car e))
         (let ((b (caadr e)))
           (compile! (cadr b) to env)
           (compile! (caddr e) (+ to 1) (cons (cons (car b) to) env))
           (emit! 'move to (+ to 1))))
        ((eq? 'lambda (car e))
         (let ((entry (label)) (captured (free e)))
           (set! later (cons (list entry e captured) later))
           (emit! 'closure to entry (map (lambda (x) (cdr (assq x env))) captured))))
        (else
         (let loop ((l (cdr e)) (at to))
           (if (pair? l)
               (begin (compile! (car l) at env) (loop (cdr l) (+ at 1)))
               (emit! (car e) to (length (cdr e))))))))

(define (numbered names)
  (let loop ((l names) (i 0)) (if (null? l) '() (cons (cons (car l) i) (loop (cdr l) (+ i 1))))))

(define (compile-all! e)
  (compile! e 0 '())
  (emit! 'return 0)
  (let loop ()
    (if (pair? later)
        (let ((f (car later)))
          (set! later (cdr later))
          (emit! 'label (car f))
          (let ((env (numbered (append (caddr f) (cadr (cadr f))))))
            (compile! (caddr (cadr f)) (length env) env)
            (emit! 'return (length env)))
          (loop)))))

; What is not needed: moves to the same place, and jumps to the next instruction.
(define (peephole l)
  (cond ((null? l) '())
        ((and (eq? 'move (caar l)) (= (cadar l) (car (cddar l)))) (peephole (cdr l)))
        ((and (eq? 'jump (caar l)) (pair? (cdr l)) (eq? 'label (caadr l)) (= (cadar l) (cadadr l)))
         (peephole (cdr l)))
        (else (cons (car l) (peephole (cdr l))))))

(define (assemble l out)
  (for-each
   (lambda (i)
     (if (eq? 'label (car i))
         (begin (write-string "L" out) (display (cadr i) out) (write-string ":" out))
         (begin
           (write-string "\t" out)
           (display (car i) out)
           (for-each (lambda (x) (write-char #\space out) (write x out)) (cdr i))))
     (newline out))
   l))

(define (source n)
  (if (= n 0)
      '(lambda (x y) (if (less x y) (plus x 1) (times y 2)))
      `(let ((f ,(source (- n 1))))
         (let ((g (lambda (a) (call f a (if a (plus a ,n) (call f ,n a))))))
           (if (call g ,n)
               (call f (call g 1) 2)
               (let ((h ,(source (- n 1)))) (call h ,n (call g 3))))))))

(define (run times n)
  (let ((e (source n)))
    (let loop ((i 1))
      (set! counter 0)
      (set! code '())
      (compile-all! e)
      (let ((out (open-output-string)))
        (assemble (peephole (reverse code)) out)
        (if (< i times) (loop (+ i 1)) (string-length (get-output-string out)))))))

(write (run 12 9))
