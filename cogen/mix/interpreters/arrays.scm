;;; An imperative language with arrays; variables stand in a vector, their places are found in an
;;; association list first, expressions are trees.

(define (run program input)
  (let* ((places (number (car program) 0))
         (store (make-vector (length (car program)) 0)))
    (vector-set! store 0 input)
    (do-block (cdr program) places store)
    (vector-ref store 0)))

(define (number names n)
  (if (null? names)
      '()
      (cons (cons (car names) n) (number (cdr names) (+ n 1)))))

(define (do-block statements places store)
  (cond ((not (null? statements))
         (do-statement (car statements) places store)
         (do-block (cdr statements) places store))))

(define (do-statement s places store)
  (case (car s)
    ((let) (vector-set! store (place (cadr s) places) (value (caddr s) places store)))
    ((repeat)
     (let loop ((n (value (cadr s) places store)))
       (cond ((> n 0)
              (do-block (cddr s) places store)
              (loop (- n 1))))))
    ((while)
     (let loop ()
       (cond ((value (cadr s) places store)
              (do-block (cddr s) places store)
              (loop)))))
    ((when)
     (cond ((value (cadr s) places store)
            (do-block (cddr s) places store))))
    ((array)
     (vector-set! store
                  (place (cadr s) places)
                  (make-vector (value (caddr s) places store) 0)))
    ((put)
     (vector-set! (vector-ref store (place (cadr s) places))
                  (value (caddr s) places store)
                  (value (cadddr s) places store)))))

(define (place name places)
  (cdr (assq name places)))

(define (value e places store)
  (cond ((number? e) e)
        ((symbol? e) (vector-ref store (place e places)))
        ((eq? (car e) 'at)
         (vector-ref (vector-ref store (place (cadr e) places)) (value (caddr e) places store)))
        (else
         (let ((f (cdr (assq (car e) functions))))
           (f (value (cadr e) places store) (value (caddr e) places store))))))

(define functions
  `((+ . ,+) (- . ,-) (* . ,*) (/ . ,quotient) (mod . ,remainder) (= . ,=) (< . ,<) (> . ,>)))

;; The sieve of Eratosthenes.
(define program
  '((n marks i j count)
    (array marks (+ n 1))
    (let i 2)
    (while (< i (+ n 1))
      (when (= 0 (at marks i))
        (let count (+ count 1))
        (let j (* i i))
        (while (< j (+ n 1))
          (put marks j 1)
          (let j (+ j i))))
      (let i (+ i 1)))
    (let n count)))

(define data '(60))
