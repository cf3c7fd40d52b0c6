; Types of a program's expressions by unification: nodes that are joined, and found again by paths
; that get shorter (Henglein).
; smaller: (run 1 2) gives (3 1)

(import (scheme base) (scheme cxr) (scheme write))

; A node: what it is joined to, its rank, and its form: #f, a symbol, or (-> node ...).
(define (make-node form) (vector #f 0 form))
(define (parent n) (vector-ref n 0))
(define (form n) (vector-ref n 2))

(define (root n)
  (let ((p (parent n)))
    (if p
        (let ((r (root p)))
          (if (not (eq? r p)) (vector-set! n 0 r))
          r)
        n)))

(define joined 0)
(define clashes 0)

(define (unify! a b)
  (let ((a (root a)) (b (root b)))
    (if (not (eq? a b))
        (let ((fa (form a)) (fb (form b)))
          (set! joined (+ joined 1))
          (if (< (vector-ref a 1) (vector-ref b 1))
              (join! a b (or fb fa))
              (begin
                (if (= (vector-ref a 1) (vector-ref b 1))
                    (vector-set! a 1 (+ 1 (vector-ref a 1))))
                (join! b a (or fa fb))))
          (cond ((and (pair? fa) (pair? fb))
                 (if (= (length fa) (length fb))
                     (for-each unify! (cdr fa) (cdr fb))
                     (set! clashes (+ clashes 1))))
                ((and fa fb (not (eq? fa fb)))
                 (set! clashes (+ clashes 1))))))))

(define (join! low high form)
  (vector-set! low 0 high)
  (vector-set! high 2 form))

(define (type-of e env)
  (cond ((number? e) (make-node 'number))
        ((boolean? e) (make-node 'boolean))
        ((string? e) (make-node 'string))
        ((symbol? e)
         (let ((found (assq e env)))
           (if found (cdr found) (make-node #f))))
        (else
         (case (car e)
           ((lambda)
            (let* ((nodes (map (lambda (x) (make-node #f)) (cadr e)))
                   (result (type-of (caddr e) (append (map cons (cadr e) nodes) env))))
              (make-node (cons '-> (append nodes (list result))))))
           ((if)
            (let ((test (type-of (cadr e) env))
                  (then (type-of (caddr e) env))
                  (other (type-of (cadddr e) env)))
              (unify! test (make-node 'boolean))
              (unify! then other)
              then))
           ((let)
            (let ((bound (map (lambda (b) (cons (car b) (type-of (cadr b) env))) (cadr e))))
              (type-of (caddr e) (append bound env))))
           (else
            (let* ((f (type-of (car e) env))
                   (arguments (map (lambda (a) (type-of a env)) (cdr e)))
                   (result (make-node #f)))
              (unify! f (make-node (cons '-> (append arguments (list result)))))
              result))))))

(define (binary a b c) (make-node (list '-> (make-node a) (make-node b) (make-node c))))

(define globals
  (list (cons '+ (binary 'number 'number 'number))
        (cons '< (binary 'number 'number 'boolean))
        (cons 'string=? (binary 'string 'string 'boolean))))

; Expressions that nest so deep.
(define (program depth)
  (if (= depth 0)
      '(lambda (x) (if (< x 1) (+ x 1) 2))
      `(let ((f ,(program (- depth 1)))
             (g (lambda (h y) (if (string=? "a" "b") (h y) (h (h ,depth))))))
         (lambda (z) (g f (if (< z ,depth) (f z) (g ,(program (- depth 1)) z)))))))

(define (run times depth)
  (let ((e (program depth)))
    (do ((i 0 (+ i 1))) ((= i times) (list (modulo joined 10) clashes))
      (set! joined 0)
      (set! clashes 0)
      (type-of e globals)
      (type-of (list e "no number") globals))))

(write (run 6 11))
