;;; The use of several compilers of one interpreter, each made with more care than those before
;;; (growth.scm): the first that ends is taken, as `first_that_ends` of system.py does.

;; What the first of WAYS, procedures of a limit and of what is known, gives that is no label of a
;; memo point; the first label if none ends.
(define (first-that-ends ways limit statics)
  (let try ((left ways) (label #f))
    (if (null? left)
        label
        (let ((made ((car left) limit statics)))
          (if (symbol? made)
              (try (cdr left) (or label made))
              made)))))
