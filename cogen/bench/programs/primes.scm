; The primes below a bound by the sieve of Eratosthenes, as lists.

(define (interval from to)
  (if (> from to)
      '()
      (cons from (interval (+ from 1) to))))

(define (without-multiples n numbers)
  (cond ((null? numbers) '())
        ((= (remainder (car numbers) n) 0) (without-multiples n (cdr numbers)))
        (else (cons (car numbers) (without-multiples n (cdr numbers))))))

(define (sieve numbers)
  (if (null? numbers)
      '()
      (cons (car numbers) (sieve (without-multiples (car numbers) (cdr numbers))))))

(define (repeat n result)
  (if (= n 0)
      result
      (repeat (- n 1) (length (sieve (interval 2 10000))))))

(display (repeat 50 0))
(newline)
