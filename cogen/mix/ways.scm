;;; The use of several compilers of one interpreter, each made with more care than those before
;;; (growth.scm): the first that ends is taken, as `first_that_ends` of system.py does.

;; What the first of WAYS, procedures of a limit and of what is known, gives that is no label of a
;; memo point: each is tried with an eighth of the limit first.  The first label if none ends.
(define (first-that-ends ways limit statics)
  (let try ((left ways) (bound (quotient limit 8)) (label #f))
    (cond ((pair? left)
           (let ((made ((car left) bound statics)))
             (if (symbol? made)
                 (try (cdr left) bound (or label made))
                 made)))
          ((< bound limit) (try ways limit label))
          (else label))))
