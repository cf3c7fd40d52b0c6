;;; Operations on whole lists as procedures of the small language (subset.py), which the analysis
;;; takes instead of the operation where a list is known but not all of its items: then what the
;;; operation does to the list is done early.  ((op list-argument procedure ...) ...): the first
;;; procedure stands for the operation, the list is its argument of that number.  Operations that
;;; take any number of arguments are procedures of the list of arguments as well.

(define (searching op same?)
  `(,op 1
    (,op (x l)
      (if (prim pair? (var l))
          (if (prim ,same? (var x) (prim car (var l)))
              (var l)
              (call ,op (var x) (prim cdr (var l))))
          ,(or-no-list op)))))

(define (associating op same?)
  `(,op 1
    (,op (x l)
      (if (prim pair? (var l))
          (let item (prim car (var l))
            (if (prim ,same? (var x) (prim car (var item)))
                (var item)
                (call ,op (var x) (prim cdr (var l)))))
          ,(or-no-list op)))))

(define (or-no-list op)
  `(if (prim null? (var l))
       (quote #f)
       (prim error (quote ,(string-append (symbol->string op) ": expected a list")))))

(define list-procedures
  `((length 0
     (length (l)
       (if (prim pair? (var l))
           (prim + (quote 1) (call length (prim cdr (var l))))
           (if (prim null? (var l))
               (quote 0)
               (prim error (quote "length: expected a list"))))))
    (list? 0
     (list? (l)
       (if (prim pair? (var l)) (call list? (prim cdr (var l))) (prim null? (var l)))))
    (append 0
     (append (a b)
       (if (prim pair? (var a))
           (let first (prim car (var a))
             (prim cons (var first) (call append (prim cdr (var a)) (var b))))
           (if (prim null? (var a))
               (var b)
               (prim error (quote "append: expected a list"))))))
    (reverse 0
     (reverse (l) (call onto (var l) (quote ())))
     (onto (l made)
       (if (prim pair? (var l))
           (call onto (prim cdr (var l)) (prim cons (prim car (var l)) (var made)))
           (if (prim null? (var l))
               (var made)
               (prim error (quote "reverse: expected a list"))))))
    (list-tail 0
     (list-tail (l n)
       (if (prim = (var n) (quote 0))
           (var l)
           (if (prim pair? (var l))
               (call list-tail (prim cdr (var l)) (prim - (var n) (quote 1)))
               (prim error (quote "list-tail: the list is too short"))))))
    (list-ref 0
     (list-ref (l n)
       (if (prim pair? (var l))
           (if (prim = (var n) (quote 0))
               (prim car (var l))
               (call list-ref (prim cdr (var l)) (prim - (var n) (quote 1))))
           (prim error (quote "list-ref: the list is too short")))))
    ,@(map (lambda (names) (searching (car names) (cadr names)))
           '((memq eq?) (memv eqv?) (member equal?)))
    ,@(map (lambda (names) (associating (car names) (cadr names)))
           '((assq eq?) (assv eqv?) (assoc equal?)))))

;; (+ a b c) and the like; IDENTITY is for no arguments, (op unit a) for one.
(define (folding op identity unit)
  `((,op (l)
      (if (prim pair? (var l))
          (let first (prim car (var l))
            (let rest (prim cdr (var l))
              (if (prim pair? (var rest))
                  (call fold (var first) (var rest))
                  ,(if unit
                       `(prim ,op (quote ,unit) (var first))
                       `(prim ,op (var first) (var first))))))
          ,(if identity `(quote ,identity) (too-few op))))
    (fold (made l)
      (if (prim pair? (var l))
          (call fold (prim ,op (var made) (prim car (var l))) (prim cdr (var l)))
          (var made)))))

;; (< a b c) and the like.
(define (chaining op)
  `((,op (l)
      (if (if (prim pair? (var l)) (prim pair? (prim cdr (var l))) (quote #f))
          (call chain (prim car (var l)) (prim cdr (var l)))
          ,(too-few op)))
    (chain (a l)
      (if (prim pair? (var l))
          (let b (prim car (var l))
            (if (prim ,op (var a) (var b)) (call chain (var b) (prim cdr (var l))) (quote #f)))
          (quote #t)))))

(define (too-few op)
  `(prim error (quote ,(string-append (symbol->string op) ": too few arguments"))))
