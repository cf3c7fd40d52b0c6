; Continuations, handlers, promises and text: whole programs in C.
;
; find "(dynamic any)" _
; guarded _ _
; wound _
; text _ "(dynamic any)"
; numbers "(dynamic float)" "(dynamic float)" "(dynamic any)"

(define (find wanted items)
  (call/cc
    (lambda (return)
      (for-each (lambda (item) (if (equal? item wanted) (return item))) items)
      #f)))

(define (guarded f x)
  (guard (e ((symbol? e) (list 'symbol e))
            ((error-object? e) (error-object-message e)))
    (if (procedure? f) (f x) (raise 'no-procedure))))

(define (wound thunk)
  (dynamic-wind
    (lambda () (display "in "))
    (lambda () (force (delay (thunk))))
    (lambda () (display "out"))))

(define (text a n)
  (let ((out (string-append a (number->string n) "\n")))
    (write (string->symbol out))
    (display (char-upcase (string-ref out 0)))
    (string->list (substring out 0 (string-length a)))))

;; Floats that are C's own in whole programs too.
(define (numbers x y items)
  (let loop ((z x) (items items))
    (if (null? items) (list z (sqrt y))
        (loop (+ (* z y) (- (car items) 0.5)) (cdr items)))))
