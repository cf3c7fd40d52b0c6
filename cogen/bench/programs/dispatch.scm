; Objects as procedures, exceptions that are raised and caught, parameters and winds around them.
; smaller: (run 20) gives (90 10 (out in))

(import (scheme base) (scheme write))

(define (make-account balance)
  (lambda (message . arguments)
    (case message
      ((deposit) (set! balance (+ balance (car arguments))) balance)
      ((withdraw)
       (if (> (car arguments) balance)
           (raise (list 'too-little balance))
           (begin (set! balance (- balance (car arguments))) balance)))
      ((balance) balance)
      (else (error "no such message" message)))))

(define limit (make-parameter 10))

(define trace '())
(define (note! x)
  (if (not (and (pair? trace) (eq? x (car trace))))
      (set! trace (list x (if (pair? trace) (car trace) 'none)))))

(define (attempt account amount)
  (call/cc
   (lambda (k)
     (with-exception-handler
      (lambda (e) (k (if (pair? e) 'refused 'other)))
      (lambda ()
        (dynamic-wind
         (lambda () (note! 'in))
         (lambda () (account 'withdraw (+ amount (limit))))
         (lambda () (note! 'out))))))))

(define (run n)
  (let ((account (make-account 0)))
    (let loop ((i 0) (refused 0))
      (if (= i n)
          (list (account 'balance) refused trace)
          (begin
            (account 'deposit (modulo i 30))
            (loop (+ i 1)
                  (if (eq? 'refused
                           (parameterize ((limit (modulo i 50)))
                             (attempt account (if (even? i) 100 0))))
                      (+ refused 1)
                      refused)))))))

(write (run 400000))
