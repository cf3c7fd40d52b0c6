;;; SRFI 125, hash tables.  Entries keep the order in which their keys came; all tables can change.

(define-library (srfi 125)
  (export
   make-hash-table hash-table hash-table-unfold alist->hash-table
   hash-table? hash-table-contains? (rename hash-table-contains? hash-table-exists?)
   hash-table-empty? hash-table=? hash-table-mutable?
   hash-table-ref hash-table-ref/default
   hash-table-set! hash-table-delete! hash-table-intern! hash-table-update!
   hash-table-update!/default hash-table-pop! hash-table-clear!
   hash-table-size hash-table-keys hash-table-values hash-table-entries hash-table-find
   hash-table-count
   hash-table-map hash-table-for-each hash-table-walk hash-table-map! hash-table-map->list
   hash-table-fold hash-table-prune!
   hash-table-copy hash-table-empty-copy hash-table->alist
   hash-table-union! (rename hash-table-union! hash-table-merge!) hash-table-intersection!
   hash-table-difference! hash-table-xor!
   hash string-hash string-ci-hash hash-by-identity
   hash-table-equivalence-function hash-table-hash-function)
  (import (srfi hashing) (srfi tables)
          (only (srfi 69) hash-table-equivalence-function hash-table-hash-function))
  (begin

    ;; A new table whose keys are equal by a predicate or a comparator.
    (define (make-hash-table same . hash+options) (%equality same hash+options %new-table))

    ;; Keys and items in turn.
    (define (hash-table same . keys+items)
      (let ((t (make-hash-table same)))
        (apply hash-table-set! t keys+items)
        t))

    ;; The table of the entries (key, item: two values) of seed, (next seed) and so on, until (stop?
    ;; seed).
    (define (hash-table-unfold stop? entry next seed same . options)
      (let ((t (apply make-hash-table same options)))
        (let loop ((seed seed))
          (if (stop? seed)
              t
              (call-with-values (lambda () (entry seed))
                (lambda (key item)
                  (%put! t key item)
                  (loop (next seed))))))))

    ;; The table of the pairs of an association list; the first of equal keys counts.
    (define (alist->hash-table alist same . options)
      (let ((t (apply make-hash-table same options)))
        (for-each (lambda (entry)
                    (if (< (%found t (car entry)) 0) (%put! t (car entry) (cdr entry))))
                  alist)
        t))

    ;; Whether a table has no keys.
    (define (hash-table-empty? t) (= (%size (%checked "hash-table-empty?" t)) 0))

    ;; Whether two tables have the same keys, with items that are the same by `same?`.
    (define (hash-table=? same? a b)
      (%checked "hash-table=?" a)
      (%checked "hash-table=?" b)
      (and (= (%size a) (%size b))
           (%all? a (lambda (key item)
                      (let ((i (%found b key)))
                        (and (>= i 0) (same? item (%item b i))))))))

    ;; Whether a table may be changed.
    (define (hash-table-mutable? t)
      (%checked "hash-table-mutable?" t)
      #t)

    ;; Put items under keys: (hash-table-set! table key item ...).
    (define (hash-table-set! t . keys+items)
      (%checked "hash-table-set!" t)
      (let loop ((rest keys+items))
        (cond ((null? rest) (%unspecified))
              ((null? (cdr rest))
               (error "hash-table-set!: there is no value for the key" (car rest)))
              (else
               (%put! t (car rest) (cadr rest))
               (loop (cddr rest))))))

    ;; How many there were.
    (define (hash-table-delete! t . keys)
      (%checked "hash-table-delete!" t)
      (let loop ((rest keys) (n 0))
        (cond ((null? rest) n)
              ((%delete-entry! t (car rest)) (loop (cdr rest) (+ n 1)))
              (else (loop (cdr rest) n)))))

    ;; What stands under a key; if nothing does, what `make` gives, which is put there.
    (define (hash-table-intern! t key make)
      (let ((i (%found (%checked "hash-table-intern!" t) key)))
        (if (>= i 0)
            (%item t i)
            (let ((item (make)))
              (%put! t key item)
              item))))

    ;; The entry that came first, as two values.
    (define (hash-table-pop! t)
      (let ((keys (hash-table-keys t)))
        (if (null? keys) (error "hash-table-pop!: the table is empty"))
        (let ((item (hash-table-ref t (car keys))))
          (%delete-entry! t (car keys))
          (values (car keys) item))))

    ;; Delete all keys.
    (define (hash-table-clear! t) (%clear! (%checked "hash-table-clear!" t)))

    ;; The keys and the items, as two lists.
    (define (hash-table-entries t) (values (hash-table-keys t) (hash-table-values t)))

    ;; The first true value of f, or what `failure` gives.
    (define (hash-table-find f t failure)
      (%checked "hash-table-find" t)
      (let loop ((rest (hash-table->alist t)))
        (if (null? rest)
            (failure)
            (or (f (caar rest) (cdar rest)) (loop (cdr rest))))))

    (define (%all? t good?)
      (let loop ((rest (hash-table->alist t)))
        (or (null? rest) (and (good? (caar rest) (cdar rest)) (loop (cdr rest))))))

    ;; For how many keys and items a predicate holds.
    (define (hash-table-count good? t)
      (hash-table-fold (lambda (key item n) (if (good? key item) (+ n 1) n)) 0
                       (%checked "hash-table-count" t)))

    ;; The table with (f item) under each key.
    (define (hash-table-map f same t)
      (let ((made (make-hash-table same)))
        (%each (%checked "hash-table-map" t) (lambda (key item) (%put! made key (f item))))
        made))

    ;; (hash-table-for-each f t), and as it was earlier (hash-table-for-each t f).
    (define (hash-table-for-each f t)
      (if (hash-table? f)
          (%each f t)
          (%each (%checked "hash-table-for-each" t) f)))

    ;; Put (f key item) under each key.
    (define (hash-table-map! f t)
      (%each (%checked "hash-table-map!" t)
             (lambda (key item) (%item-set! t (%found t key) (f key item)))))

    ;; The list of what f gives for the keys and items.
    (define (hash-table-map->list f t)
      (reverse (hash-table-fold (lambda (key item made) (cons (f key item) made)) '()
                                (%checked "hash-table-map->list" t))))

    ;; Delete the keys for which (bad? key item) holds.
    (define (hash-table-prune! bad? t)
      (%each (%checked "hash-table-prune!" t)
             (lambda (key item) (if (bad? key item) (%delete-entry! t key)))))

    ;; A table of its own with the same keys and items.
    (define (hash-table-copy t . mutable) (%copy (%checked "hash-table-copy" t)))

    ;; A table of the same kind without keys.
    (define (hash-table-empty-copy t) (%table-like (%checked "hash-table-empty-copy" t)))

    ;; Sets of entries; those of the first table stay as they are

    ;; Add the keys of the other table that are not there.
    (define (hash-table-union! t other)
      (%checked "hash-table-union!" t)
      (%each (%checked "hash-table-union!" other)
             (lambda (key item) (if (< (%found t key) 0) (%put! t key item))))
      t)

    ;; Delete the keys that the other table has not.
    (define (hash-table-intersection! t other)
      (%checked "hash-table-intersection!" other)
      (%each (%checked "hash-table-intersection!" t)
             (lambda (key item) (if (< (%found other key) 0) (%delete-entry! t key))))
      t)

    ;; Delete the keys that the other table has.
    (define (hash-table-difference! t other)
      (%checked "hash-table-difference!" other)
      (%each (%checked "hash-table-difference!" t)
             (lambda (key item) (if (>= (%found other key) 0) (%delete-entry! t key))))
      t)

    ;; Delete the keys that both tables have, add those that only the other one has.
    (define (hash-table-xor! t other)
      (%checked "hash-table-xor!" t)
      (%each (%checked "hash-table-xor!" other)
             (lambda (key item)
               (if (not (%delete-entry! t key)) (%put! t key item))))
      t)))
