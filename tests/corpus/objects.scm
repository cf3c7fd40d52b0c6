;;; Objects.  A class has a name, a superclass, fields and methods; its method table is an
;;; association list.  An object is a vector of its class and its fields.
;;;
;;;     program    ::= (class ... expression)                   `input` is free in the expression
;;;     class      ::= (name superclass (field ...) (method (parameter ...) expression) ...)

(define (run program input)
  (let ((classes (make-classes program '())))
    (evaluate (last program) (list (cons 'input input)) #f classes)))

(define (last l)
  (if (null? (cdr l)) (car l) (last (cdr l))))

(define-record-type class
  (make-class name super fields methods)
  class?
  (name class-name)
  (super class-super)
  (fields class-fields)
  (methods class-methods))

(define (make-classes program classes)
  (if (null? (cdr program))
      classes
      (let* ((c (car program))
             (super (find-class (cadr c) classes)))
        (make-classes
          (cdr program)
          (cons (make-class (car c)
                            super
                            (append (if super (class-fields super) '()) (caddr c))
                            (cdddr c))
                classes)))))

(define (find-class name classes)
  (cond ((null? classes) #f)
        ((eq? name (class-name (car classes))) (car classes))
        (else (find-class name (cdr classes)))))

(define (find-method name class)
  (if class
      (let ((found (assq name (class-methods class))))
        (or found (find-method name (class-super class))))
      (error "does not understand" name)))

(define (new class)
  (let ((object (make-vector (+ 1 (length (class-fields class))) 0)))
    (vector-set! object 0 class)
    object))

(define (field-index name fields i)
  (cond ((null? fields) #f)
        ((eq? name (car fields)) i)
        (else (field-index name (cdr fields) (+ i 1)))))

(define (field name self)
  (and self (field-index name (class-fields (vector-ref self 0)) 1)))

(define (evaluate e env self classes)
  (cond ((number? e) e)
        ((eq? e 'self) self)
        ((symbol? e)
         (let ((local (assq e env)))
           (if local
               (cdr local)
               (vector-ref self (field e self)))))
        (else
         (case (car e)
           ((set!)
            (vector-set! self
                         (field (cadr e) self)
                         (evaluate (caddr e) env self classes)))
           ((new) (new (find-class (cadr e) classes)))
           ((begin)
            (let loop ((es (cdr e)))
              (let ((value (evaluate (car es) env self classes)))
                (if (null? (cdr es)) value (loop (cdr es))))))
           ((let)
            (evaluate (cadddr e)
                      (cons (cons (cadr e) (evaluate (caddr e) env self classes)) env)
                      self
                      classes))
           ((if)
            (if (evaluate (cadr e) env self classes)
                (evaluate (caddr e) env self classes)
                (evaluate (cadddr e) env self classes)))
           ((+ - * = < quotient remainder)
            (let ((a (evaluate (cadr e) env self classes))
                  (b (evaluate (caddr e) env self classes)))
              (arithmetic (car e) a b)))
           ((send)
            (let* ((object (evaluate (cadr e) env self classes))
                   (args (map (lambda (e) (evaluate e env self classes)) (cdddr e)))
                   (method (find-method (caddr e) (vector-ref object 0))))
              (evaluate (caddr method) (map cons (cadr method) args) object classes)))))))

(define (arithmetic name a b)
  (case name
    ((+) (+ a b))
    ((-) (- a b))
    ((*) (* a b))
    ((=) (= a b))
    ((<) (< a b))
    ((quotient) (quotient a b))
    ((remainder) (remainder a b))))
