;;; SRFI 128, comparators.

(define-library (srfi 128)
  (export
   make-comparator make-pair-comparator make-list-comparator make-vector-comparator
   make-eq-comparator make-eqv-comparator make-equal-comparator
   make-default-comparator default-hash comparator-register-default!
   boolean-hash char-hash char-ci-hash string-hash string-ci-hash symbol-hash number-hash
   comparator? comparator-ordered? comparator-hashable?
   comparator-type-test-predicate comparator-equality-predicate comparator-ordering-predicate
   comparator-hash-function
   comparator-test-type comparator-check-type comparator-hash hash-bound hash-salt
   =? <? >? <=? >=? comparator-if<=>)
  (import (srfi hashing))
  (begin

    ;; What is #f is not there: an equality can be made of an order.
    (define (make-comparator test same? less? hash)
      (%comparator (if (eq? test #t) (lambda (x) #t) test)
                   (if (eq? same? #t)
                       (lambda (a b) (and (not (less? a b)) (not (less? b a))))
                       same?)
                   (or less?
                       (lambda (a b) (error "the comparator has no order, to compare" a b)))
                   (or hash (lambda (x) (error "the comparator has no hash function, for" x)))
                   (if less? #t #f)
                   (if hash #t #f)))

    ;; A comparator by `eq?`, without an order.
    (define (make-eq-comparator) (make-comparator #t eq? #f hash-by-identity))

    ;; A comparator by `eqv?`, without an order.
    (define (make-eqv-comparator) (make-comparator #t eqv? #f hash-by-identity))

    ;; A comparator by `equal?`, without an order.
    (define (make-equal-comparator) (make-comparator #t equal? #f default-hash))

    ;; Hashes lie below this number.
    (define-syntax hash-bound (syntax-rules () ((_) 33554432)))

    ;; A number that hash functions may begin with.
    (define-syntax hash-salt (syntax-rules () ((_) 16064047)))

    ;; Whether x is something that the comparator compares.
    (define (comparator-test-type c x) ((comparator-type-test-predicate c) x))

    ;; #t; an error unless x is something that the comparator compares.
    (define (comparator-check-type c x)
      (if (comparator-test-type c x)
          #t
          (error "comparator-check-type: not of the comparator's type:" x)))

    ;; The hash of x.
    (define (comparator-hash c x) ((comparator-hash-function c) x))

    (define (%mixed a b) (equal-hash (list a b)))

    ;; Of the parts' comparators

    ;; A comparator of pairs: by their cars, then by their cdrs.
    (define (make-pair-comparator of-car of-cdr)
      (make-comparator
       (lambda (x)
         (and (pair? x)
              (comparator-test-type of-car (car x))
              (comparator-test-type of-cdr (cdr x))))
       (lambda (a b) (and (=? of-car (car a) (car b)) (=? of-cdr (cdr a) (cdr b))))
       (and (comparator-ordered? of-car) (comparator-ordered? of-cdr)
            (lambda (a b)
              (if (=? of-car (car a) (car b))
                  (<? of-cdr (cdr a) (cdr b))
                  (<? of-car (car a) (car b)))))
       (and (comparator-hashable? of-car) (comparator-hashable? of-cdr)
            (lambda (x)
              (%mixed (comparator-hash of-car (car x)) (comparator-hash of-cdr (cdr x)))))))

    ;; Shorter ones come first only if they are the beginning of the others.
    (define (make-list-comparator of-item . test+empty+head+tail)
      (let* ((parts test+empty+head+tail)
             (given (= (length parts) 4))
             (test (if given (car parts) (lambda (x) (or (null? x) (pair? x)))))
             (empty? (if given (cadr parts) null?))
             (head (if given (caddr parts) car))
             (tail (if given (cadddr parts) cdr)))
        (make-comparator
         (lambda (x)
           (and (test x)
                (let loop ((x x))
                  (or (empty? x) (and (comparator-test-type of-item (head x)) (loop (tail x)))))))
         (lambda (a b)
           (let loop ((a a) (b b))
             (cond ((empty? a) (empty? b))
                   ((empty? b) #f)
                   ((=? of-item (head a) (head b)) (loop (tail a) (tail b)))
                   (else #f))))
         (and (comparator-ordered? of-item)
              (lambda (a b)
                (let loop ((a a) (b b))
                  (cond ((empty? a) (not (empty? b)))
                        ((empty? b) #f)
                        ((=? of-item (head a) (head b)) (loop (tail a) (tail b)))
                        (else (<? of-item (head a) (head b)))))))
         (and (comparator-hashable? of-item)
              (lambda (x)
                (let loop ((x x) (made 0))
                  (if (empty? x)
                      made
                      (loop (tail x) (%mixed made (comparator-hash of-item (head x)))))))))))

    ;; Shorter ones come first.
    (define (make-vector-comparator of-item . test+length+ref)
      (let* ((parts test+length+ref)
             (given (= (length parts) 3))
             (test (if given (car parts) vector?))
             (size (if given (cadr parts) vector-length))
             (ref (if given (caddr parts) vector-ref)))
        (make-comparator
         (lambda (x)
           (and (test x)
                (let loop ((i 0))
                  (or (= i (size x))
                      (and (comparator-test-type of-item (ref x i)) (loop (+ i 1)))))))
         (lambda (a b)
           (and (= (size a) (size b))
                (let loop ((i 0))
                  (or (= i (size a)) (and (=? of-item (ref a i) (ref b i)) (loop (+ i 1)))))))
         (and (comparator-ordered? of-item)
              (lambda (a b)
                (if (= (size a) (size b))
                    (let loop ((i 0))
                      (cond ((= i (size a)) #f)
                            ((=? of-item (ref a i) (ref b i)) (loop (+ i 1)))
                            (else (<? of-item (ref a i) (ref b i)))))
                    (< (size a) (size b)))))
         (and (comparator-hashable? of-item)
              (lambda (x)
                (let loop ((i 0) (made 0))
                  (if (= i (size x))
                      made
                      (loop (+ i 1) (%mixed made (comparator-hash of-item (ref x i)))))))))))

    ;; The comparator of everything: by kind, then as the kind is compared

    ;; A comparator of all data, by `equal?`, with an order.
    (define (make-default-comparator)
      (make-comparator #t %default=? %default<? %default-hash))

    ;; The comparators that were registered, the first of all first.
    (define %registered '())

    ;; Let the default comparator compare what this one does.
    (define (comparator-register-default! c)
      (set! %registered (append %registered (list c))))

    (define (%registered-for x)
      (let loop ((rest %registered) (n 0))
        (cond ((null? rest) #f)
              ((comparator-test-type (car rest) x) (cons n (car rest)))
              (else (loop (cdr rest) (+ n 1))))))

    (define (%kind x)
      (cond ((null? x) 0)
            ((pair? x) 1)
            ((boolean? x) 2)
            ((char? x) 3)
            ((string? x) 4)
            ((symbol? x) 5)
            ((number? x) 6)
            ((vector? x) 7)
            ((bytevector? x) 8)
            (else (let ((found (%registered-for x))) (if found (+ 10 (car found)) 9)))))

    (define (%boolean<? a b) (and (not a) b))

    (define (%symbol<? a b) (string<? (symbol->string a) (symbol->string b)))

    (define (%bytes<? a b)
      (let ((size (bytevector-length a)))
        (if (= size (bytevector-length b))
            (let loop ((i 0))
              (cond ((= i size) #f)
                    ((= (bytevector-u8-ref a i) (bytevector-u8-ref b i)) (loop (+ i 1)))
                    (else (< (bytevector-u8-ref a i) (bytevector-u8-ref b i)))))
            (< size (bytevector-length b)))))

    (define (%default=? a b)
      (let ((kind (%kind a)))
        (and (= kind (%kind b))
             (cond ((= kind 1)
                    (and (%default=? (car a) (car b)) (%default=? (cdr a) (cdr b))))
                   ((= kind 6) (= a b))
                   ((= kind 7) (%all-default=? a b))
                   ((>= kind 10) (=? (cdr (%registered-for a)) a b))
                   (else (equal? a b))))))

    (define (%all-default=? a b)
      (let ((size (vector-length a)))
        (and (= size (vector-length b))
             (let loop ((i 0))
               (or (= i size)
                   (and (%default=? (vector-ref a i) (vector-ref b i)) (loop (+ i 1))))))))

    (define (%default<? a b)
      (let ((kind (%kind a)) (other (%kind b)))
        (cond ((< kind other) #t)
              ((> kind other) #f)
              ((= kind 0) #f)
              ((= kind 1)
               (if (%default=? (car a) (car b))
                   (%default<? (cdr a) (cdr b))
                   (%default<? (car a) (car b))))
              ((= kind 2) (%boolean<? a b))
              ((= kind 3) (char<? a b))
              ((= kind 4) (string<? a b))
              ((= kind 5) (%symbol<? a b))
              ((= kind 6) (< a b))
              ((= kind 7) (%vector<? a b))
              ((= kind 8) (%bytes<? a b))
              ((= kind 9) (error "the default comparator has no order, to compare" a b))
              (else (<? (cdr (%registered-for a)) a b)))))

    (define (%vector<? a b)
      (let ((size (vector-length a)))
        (if (= size (vector-length b))
            (let loop ((i 0))
              (cond ((= i size) #f)
                    ((%default=? (vector-ref a i) (vector-ref b i)) (loop (+ i 1)))
                    (else (%default<? (vector-ref a i) (vector-ref b i)))))
            (< size (vector-length b)))))

    (define (%default-hash x)
      (let ((kind (%kind x)))
        (cond ((= kind 1) (%mixed (%default-hash (car x)) (%default-hash (cdr x))))
              ((= kind 6) (%number-hash x))
              ((= kind 7)
               (let loop ((i 0) (made 0))
                 (if (= i (vector-length x))
                     made
                     (loop (+ i 1) (%mixed made (%default-hash (vector-ref x i)))))))
              ((>= kind 10) (comparator-hash (cdr (%registered-for x)) x))
              (else (equal-hash x)))))

    ;; Comparisons of two and more

    (define (%chain good? a b more)
      (and (good? a b) (or (null? more) (%chain good? b (car more) (cdr more)))))

    ;; Whether all are equal by the comparator.
    (define (=? c a b . more) (%chain (comparator-equality-predicate c) a b more))

    ;; Whether each is less than the next one by the comparator.
    (define (<? c a b . more) (%chain (comparator-ordering-predicate c) a b more))

    ;; Whether each is greater than the next one by the comparator.
    (define (>? c a b . more)
      (%chain (lambda (a b) ((comparator-ordering-predicate c) b a)) a b more))

    ;; Whether each is at most the next one by the comparator.
    (define (<=? c a b . more)
      (%chain (lambda (a b) (not ((comparator-ordering-predicate c) b a))) a b more))

    ;; Whether each is at least the next one by the comparator.
    (define (>=? c a b . more)
      (%chain (lambda (a b) (not ((comparator-ordering-predicate c) a b))) a b more))

    ;; (comparator-if<=> c a b less same greater): one of the three expressions, as a and b compare.
    (define-syntax comparator-if<=>
      (syntax-rules ()
        ((_ a b less same greater)
         (comparator-if<=> (make-default-comparator) a b less same greater))
        ((_ comparator a b less same greater)
         (let ((c comparator) (x a) (y b))
           (cond ((<? c x y) less)
                 ((=? c x y) same)
                 (else greater))))))))
