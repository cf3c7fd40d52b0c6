;;; Hash tables: what SRFI 69 and SRFI 125 have in common.
;;;
;;; A table has its entries in the order in which their keys came, in two vectors (`keys`, `items`),
;;; of which the first `used` are in use.  `buckets` says for each remainder of a hash which entry
;;; came last, `links` for each entry which one came before it: -1 if none.  An entry that was
;;; deleted has the link -2, until the vectors are made anew.
;;;
;;; As long as all keys and operations are known the table is, and nothing is left of it.  What asks
;;; for a key that is unknown compares it with each key of a small table; what changes a table by
;;; such a key is a call that is left (`rcall`), and the table is made where it is needed.

(define-library (srfi tables)
  (export
   %checked %new-table %table-like %equality %found %put! %delete-entry! %each %size
   %hash-table-same %hash-table-hash %item %item-set! %clear! %copy
   hash-table-ref hash-table-ref/default hash-table-update! hash-table-update!/default
   hash-table-contains? hash-table-size hash-table-keys hash-table-values hash-table-walk
   hash-table-fold hash-table->alist hash-table?)
  (import (srfi hashing))
  (begin

    (define-record-type hash-table
      (%hash-table kind same hash buckets links keys items used size)
      ;; Whether something is a hash table.
      hash-table?
      (kind %kind)
      (same %hash-table-same)
      (hash %hash-table-hash)
      (buckets %buckets %buckets-set!)
      (links %links %links-set!)
      (keys %keys %keys-set!)
      (items %items %items-set!)
      (used %used %used-set!)
      (size %size %size-set!))

    (define (%checked name t)
      (if (hash-table? t)
          t
          (error (string-append name ": expected a hash table, got") t)))

    (define (%new-table kind same hash)
      (%hash-table kind same hash (make-vector 8 -1) (make-vector 8 -1)
                   (make-vector 8 #f) (make-vector 8 #f) 0 0))

    (define (%table-like t) (%new-table (%kind t) (%hash-table-same t) (%hash-table-hash t)))

    ;; Calls `use` with the kind of a table, its equality and its hash function.  Where the hash
    ;; function of an equality is not known, all keys have one hash.
    (define (%equality same? hash-functions use)
      (cond ((comparator? same?)
             (if (not (comparator-hashable? same?))
                 (error "make-hash-table: the comparator has no hash function"))
             (%equality (comparator-equality-predicate same?)
                        (list (comparator-hash-function same?)) use))
            ((not (procedure? same?))
             (error "make-hash-table: expected a comparator or an equality, got" same?))
            ((or (eq? same? equal?) (eq? same? string=?)) (use 'equal same? equal-hash))
            ((or (eq? same? eqv?) (eq? same? eq?) (eq? same? symbol=?) (eq? same? char=?)
                 (eq? same? boolean=?))
             (use 'eqv same? equal-hash))
            ((eq? same? =) (use 'other same? number-hash))
            ((eq? same? string-ci=?) (use 'other same? string-ci-hash))
            ((eq? same? char-ci=?) (use 'other same? char-ci-hash))
            ((and (pair? hash-functions) (procedure? (car hash-functions)))
             (use 'other same? (car hash-functions)))
            (else (use 'other same? (lambda (x . bound) 0)))))

    ;; Entries by their number; -1 if there is none

    (define (%hash-of t key)
      (let ((kind (%kind t)))
        (cond ((eq? kind 'equal) (equal-hash key))
              ((eq? kind 'eqv) (%identity-hash key))
              (else ((%hash-table-hash t) key)))))

    (define (%slot buckets hash) (bitwise-and hash (- (vector-length buckets) 1)))

    (define (%look-up t key) (%search t key (%hash-of t key)))

    (define (%search t key hash)
      (let* ((kind (%kind t))
             (keys (%keys t))
             (links (%links t))
             (buckets (%buckets t))
             (first (vector-ref buckets (%slot buckets hash))))
        (cond ((eq? kind 'equal)
               (let loop ((i first))
                 (cond ((< i 0) i)
                       ((equal? key (vector-ref keys i)) i)
                       (else (loop (vector-ref links i))))))
              ((eq? kind 'eqv)
               (let loop ((i first))
                 (cond ((< i 0) i)
                       ((eqv? key (vector-ref keys i)) i)
                       (else (loop (vector-ref links i))))))
              (else
               (let ((same? (%hash-table-same t)))
                 (let loop ((i first))
                   (cond ((< i 0) i)
                         ((same? key (vector-ref keys i)) i)
                         (else (loop (vector-ref links i))))))))))

    (define (%found t key)
      (if (%whole? t)
          (if (known? key)
              (let ((hash (%hash-of t key)))
                (if (known? hash) (%search t key hash) (rcall %search t key hash)))
              (if (<= (%size t) 64) (%compared t key) (rcall %look-up t key)))
          (rcall %look-up t key)))

    ;; The same by comparison with each key.
    (define (%compared t key)
      (let ((same? (%hash-table-same t)) (keys (%keys t)) (links (%links t)) (used (%used t)))
        (let loop ((i 0))
          (cond ((= i used) -1)
                ((and (not (= (vector-ref links i) -2)) (same? key (vector-ref keys i))) i)
                (else (loop (+ i 1)))))))

    (define (%item t i) (vector-ref (%items t) i))

    (define (%item-set! t i item) (vector-set! (%items t) i item))

    ;; Whether an operation can be carried out on the table as far as it is known.
    (define (%early? t key) (and (known? key) (%whole? t)))

    ;; Whether all of the table is known but for what it holds.
    (define (%whole? t)
      (and (known-size? (%keys t)) (known-size? (%buckets t)) (known-size? (%links t))
           (known? (%used t))))

    (define (%put! t key item)
      (if (%early? t key)
          (let ((hash (%hash-of t key)))
            (if (known? hash) (%store! t key item hash) (rcall %store! t key item hash)))
          (rcall %hash-and-store! t key item)))

    (define (%hash-and-store! t key item) (%store! t key item (%hash-of t key)))

    (define (%store! t key item hash)
      (let ((i (%search t key hash)))
        (if (>= i 0)
            (%item-set! t i item)
            (begin
              (if (= (%used t) (vector-length (%keys t))) (%make-room! t))
              (%enter! t key item hash)
              (%size-set! t (+ (%size t) 1))))))

    (define (%enter! t key item hash)
      (let* ((i (%used t))
             (buckets (%buckets t))
             (slot (%slot buckets hash)))
        (vector-set! (%links t) i (vector-ref buckets slot))
        (vector-set! buckets slot i)
        (vector-set! (%keys t) i key)
        (vector-set! (%items t) i item)
        (%used-set! t (+ i 1))))

    ;; New vectors, of twice the length if at least half of the entries are there.
    (define (%make-room! t)
      (let* ((links (%links t))
             (keys (%keys t))
             (items (%items t))
             (used (%used t))
             (length (if (>= (* 2 (%size t)) used) (* 2 used) used)))
        (%empty! t length)
        (let loop ((i (if (known? used) 0 (lift 0))))
          (if (< i used)
              (begin
                (if (not (= (vector-ref links i) -2))
                    (let ((key (vector-ref keys i)))
                      (%enter! t key (vector-ref items i) (%hash-of t key))))
                (loop (+ i 1)))))))

    (define (%empty! t length)
      (%buckets-set! t (make-vector length -1))
      (%links-set! t (make-vector length -1))
      (%keys-set! t (make-vector length #f))
      (%items-set! t (make-vector length #f))
      (%used-set! t 0))

    (define (%clear! t)
      (%empty! t 8)
      (%size-set! t 0))

    (define (%copy t)
      (%hash-table (%kind t) (%hash-table-same t) (%hash-table-hash t) (vector-copy (%buckets t))
                   (vector-copy (%links t)) (vector-copy (%keys t)) (vector-copy (%items t))
                   (%used t) (%size t)))

    ;; Whether there was one.
    (define (%delete-entry! t key)
      (if (%early? t key)
          (let ((hash (%hash-of t key)))
            (if (known? hash) (%take-out! t key hash) (rcall %take-out! t key hash)))
          (rcall %hash-and-take-out! t key)))

    (define (%hash-and-take-out! t key) (%take-out! t key (%hash-of t key)))

    (define (%take-out! t key hash)
      (let ((i (%search t key hash)))
        (and (>= i 0)
             (let* ((links (%links t))
                    (buckets (%buckets t))
                    (slot (%slot buckets hash))
                    (before (vector-ref links i)))
               (let loop ((at (vector-ref buckets slot)))
                 (cond ((= at i) (vector-set! buckets slot before))
                       ((= (vector-ref links at) i) (vector-set! links at before))
                       (else (loop (vector-ref links at)))))
               (vector-set! links i -2)
               (vector-set! (%keys t) i #f)
               (vector-set! (%items t) i #f)
               (if (= i (- (%used t) 1)) (%used-set! t i))
               (%size-set! t (- (%size t) 1))
               #t))))

    ;; Calls f with each key and its item, as they are now.
    (define (%each t f)
      (let ((links (%links t)) (keys (%keys t)) (items (%items t)) (used (%used t)))
        (let loop ((i (if (known? used) 0 (lift 0))))
          (if (< i used)
              (begin
                (if (not (= (vector-ref links i) -2))
                    (f (vector-ref keys i) (vector-ref items i)))
                (loop (+ i 1)))))))

    ;; (f key item (f key item ... end)), the first key outermost.
    (define (%together-from-last t f end)
      (let ((links (%links t)) (keys (%keys t)) (items (%items t)))
        (let loop ((i (- (%used t) 1)) (made end))
          (cond ((< i 0) made)
                ((= (vector-ref links i) -2) (loop (- i 1) made))
                (else (loop (- i 1) (f (vector-ref keys i) (vector-ref items i) made)))))))

    ;; What people call

    ;; What stands under a key, given to `success` if there is one; else what `failure` gives, or an
    ;; error.
    (define (hash-table-ref t key . failure+success)
      (let ((i (%found (%checked "hash-table-ref" t) key)))
        (cond ((< i 0)
               (if (and (pair? failure+success) (car failure+success))
                   ((car failure+success))
                   (error "hash-table-ref: there is no such key:" key)))
              ((and (pair? failure+success) (pair? (cdr failure+success)))
               ((cadr failure+success) (%item t i)))
              (else (%item t i)))))

    ;; What stands under a key, else the default.
    (define (hash-table-ref/default t key default)
      (let ((i (%found (%checked "hash-table-ref/default" t) key)))
        (if (< i 0) default (%item t i))))

    ;; Whether a table has a key.
    (define (hash-table-contains? t key)
      (>= (%found (%checked "hash-table-contains?" t) key) 0))

    ;; f may have changed the table, so its key is looked up again.
    (define (hash-table-update! t key f . failure+success)
      (let ((i (%found (%checked "hash-table-update!" t) key)))
        (cond ((< i 0)
               (if (and (pair? failure+success) (car failure+success))
                   (%put! t key (f ((car failure+success))))
                   (error "hash-table-update!: there is no such key:" key)))
              ((and (pair? failure+success) (pair? (cdr failure+success)))
               (%put! t key (f ((cadr failure+success) (%item t i)))))
              (else (%put! t key (f (%item t i)))))))

    ;; Put (f item) under a key in place of the item, or of the default.
    (define (hash-table-update!/default t key f default)
      (let ((i (%found (%checked "hash-table-update!/default" t) key)))
        (%put! t key (f (if (< i 0) default (%item t i))))))

    ;; How many keys a table has.
    (define (hash-table-size t) (%size (%checked "hash-table-size" t)))

    ;; The list of the keys.
    (define (hash-table-keys t)
      (%together-from-last (%checked "hash-table-keys" t) (lambda (key item made) (cons key made))
                           '()))

    ;; The list of the items.
    (define (hash-table-values t)
      (%together-from-last (%checked "hash-table-values" t)
                           (lambda (key item made) (cons item made)) '()))

    ;; The list of pairs of keys and items.
    (define (hash-table->alist t)
      (%together-from-last (%checked "hash-table->alist" t)
                           (lambda (key item made) (cons (cons key item) made)) '()))

    ;; Calls f with each key and item.
    (define (hash-table-walk t f) (%each (%checked "hash-table-walk" t) f))

    ;; (hash-table-fold f start t), and as SRFI 69 has it (hash-table-fold t f start).
    (define (hash-table-fold a b c)
      (if (hash-table? a)
          (%fold a b c)
          (%fold (%checked "hash-table-fold" c) a b)))

    (define (%fold t f start)
      (let ((links (%links t)) (keys (%keys t)) (items (%items t)) (used (%used t)))
        (let loop ((i (if (known? used) 0 (lift 0))) (made start))
          (cond ((= i used) made)
                ((= (vector-ref links i) -2) (loop (+ i 1) made))
                (else (loop (+ i 1) (f (vector-ref keys i) (vector-ref items i) made)))))))))
