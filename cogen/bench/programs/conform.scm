; Which interfaces conform to which: records in a graph that may be cyclic, sets of what is assumed
; while it is shown, and their least common ones.
; smaller: (run 1 8) gives (28 64)

(import (scheme base) (scheme write))

; A type: a name, and methods, each of a name, parameters and a result (types).
(define (make-type name) (vector name '()))
(define (type-name t) (vector-ref t 0))
(define (methods t) (vector-ref t 1))
(define (method! t name parameters result)
  (vector-set! t 1 (cons (list name parameters result) (methods t))))

(define (conforms? a b)
  (let ((assumed '()))
    (define (assumed? a b)
      (let loop ((l assumed))
        (and (pair? l)
             (or (and (eq? (caar l) a) (eq? (cdar l) b)) (loop (cdr l))))))
    (define (below? a b)
      (or (eq? a b)
          (assumed? a b)
          (let ((before assumed))
            (set! assumed (cons (cons a b) assumed))
            (or (every (lambda (m) (has? a m)) (methods b))
                (begin (set! assumed before) #f)))))
    (define (has? a m)
      (let ((own (assq (car m) (methods a))))
        (and own
             (= (length (cadr own)) (length (cadr m)))
             (every-two below? (cadr m) (cadr own))
             (below? (caddr own) (caddr m)))))
    (below? a b)))

(define (every f l) (or (null? l) (and (f (car l)) (every f (cdr l)))))

(define (every-two f a b)
  (or (null? a) (and (f (car a) (car b)) (every-two f (cdr a) (cdr b)))))

(define (caddr l) (car (cddr l)))

; Types in a ring and in chains, with methods that give and take others.
(define (make-types n)
  (let ((types (make-vector n #f)))
    (do ((i 0 (+ i 1))) ((= i n))
      (vector-set! types i (make-type (string->symbol (string-append "t" (number->string i))))))
    (do ((i 0 (+ i 1))) ((= i n) types)
      (let ((t (vector-ref types i))
            (at (lambda (k) (vector-ref types (modulo k n)))))
        (method! t 'next '() (at (+ i 4)))
        (if (even? i) (method! t 'join (list (at (+ i 8))) t))
        (if (= 0 (modulo i 4)) (method! t 'size (list t (at (+ i 4))) (at (* 2 i))))
        (if (= 3 (modulo i 4)) (method! t 'flip (list (at (- i 4))) (at (+ i 8))))))))

(define (count-pairs n)
  (let ((types (make-types n)))
    (let outer ((i 0) (found 0))
      (if (= i n)
          found
          (outer (+ i 1)
                 (let inner ((j 0) (found found))
                   (if (= j n)
                       found
                       (inner (+ j 1)
                              (if (conforms? (vector-ref types i) (vector-ref types j))
                                  (+ found 1)
                                  found)))))))))

(define (run times n)
  (do ((i 1 (+ i 1)) (found 0 (count-pairs n)))
      ((> i times) (list (count-pairs n) (* n n)))))

(write (run 30 48))
