;;; The use of several compilers of one interpreter, each made with more care than those before
;;; (growth.scm): the first that ends is taken, as `first_that_ends` of system.py does.

;; What the first of WAYS, procedures of a limit and of what is known, gives that is no label of a
;; memo point, and no error; the first error, or the first label, if none does.
(define (first-that-ends ways limit statics)
  (let try ((left ways) (label #f) (failure #f))
    (if (null? left)
        (if failure (raise failure) label)
        (let ((made (guard (failure ((error-object? failure) failure))
                      ((car left) limit statics))))
          (cond ((error-object? made) (try (cdr left) label (or failure made)))
                ((symbol? made) (try (cdr left) (or label made) failure))
                (else made))))))
