; from data.scm:65
(define (exchanged a b c)
  (let-values (((x y . rest) (apply values a b c)))
    (set-car! rest x)
    (vector y rest "constant" #\c 'symbol 1.5 '#(1 2))))
