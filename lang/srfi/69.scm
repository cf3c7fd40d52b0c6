;;; SRFI 69, hash tables.  Entries keep the order in which their keys came.

(define-library (srfi 69)
  (export
   make-hash-table hash-table? alist->hash-table
   hash-table-equivalence-function hash-table-hash-function
   hash-table-ref hash-table-ref/default hash-table-set! hash-table-delete!
   (rename hash-table-contains? hash-table-exists?)
   hash-table-update! hash-table-update!/default
   hash-table-size hash-table-keys hash-table-values hash-table-walk hash-table-fold
   hash-table->alist hash-table-copy hash-table-merge!
   hash string-hash string-ci-hash hash-by-identity)
  (import (srfi hashing) (srfi tables))
  (begin

    ;; A new table, of keys that are equal by `equal?` or the predicate that is given.
    (define (make-hash-table . same+hash)
      (if (null? same+hash)
          (%new-table 'equal equal? equal-hash)
          (%equality (car same+hash) (cdr same+hash) %new-table)))

    ;; The table of the pairs of an association list; the first of equal keys counts.
    (define (alist->hash-table alist . same+hash)
      (let ((t (apply make-hash-table same+hash)))
        (for-each (lambda (entry)
                    (if (< (%found t (car entry)) 0) (%put! t (car entry) (cdr entry))))
                  alist)
        t))

    ;; The predicate by which keys are equal.
    (define (hash-table-equivalence-function t)
      (%hash-table-same (%checked "hash-table-equivalence-function" t)))

    ;; The hash function of the keys.
    (define (hash-table-hash-function t)
      (let ((same? (%hash-table-same (%checked "hash-table-hash-function" t)))
            (function (%hash-table-hash t)))
        (cond ((not (eq? function equal-hash)) function)
              ((or (eq? same? equal?) (eq? same? string=?)) hash)
              (else hash-by-identity))))

    ;; Put an item under a key.
    (define (hash-table-set! t key item) (%put! (%checked "hash-table-set!" t) key item))

    ;; Delete a key.
    (define (hash-table-delete! t key)
      (%delete-entry! (%checked "hash-table-delete!" t) key)
      (%unspecified))

    ;; A table of its own with the same keys and items.
    (define (hash-table-copy t . mutable) (%copy (%checked "hash-table-copy" t)))

    ;; Entries of the second table replace those of the first.
    (define (hash-table-merge! t other)
      (%checked "hash-table-merge!" t)
      (%each (%checked "hash-table-merge!" other) (lambda (key item) (%put! t key item)))
      t)))
