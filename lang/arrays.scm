;;; Programs on whole arrays: the part of the prelude that `(import (array))` stands for.
;;;
;;; An array is a vector whose rows are arrays of one size; a tuple is a list.  Both are values:
;;; nothing changes them.  See docs/arrays-in-scheme.md.
;;;
;;; Each operation is carried out where it is known how many elements its arrays have, which in a
;;; run is always so; otherwise the specializer leaves the call as it is (`rcall`), its functions
;;; specialised.  What is left reads as the program did, and becomes L0 (`cogen.array.scheme`).

;; Is a new array of n elements to be made here, one by one?  A run makes all of them, the
;; specializer those of known, small sizes.
(define (%made-here? n)
  (and (known? n) (or (known? (lift 0)) (<= n 64))))

(define (%known-sizes? arrays)
  (or (null? arrays)
      (and (known-size? (car arrays)) (%known-sizes? (cdr arrays)))))

(define (%array-size name a)
  (if (vector? a)
      (vector-length a)
      (error (string-append name ": expected an array, got") a)))

(define (%array-index name i size)
  (cond ((not (exact-integer? i)) (error (string-append name ": expected an integer, got") i))
        ((and (<= 0 i) (< i size)) i)
        ((= size 0)
         (error (string-append name ": index " (number->string i) " in an empty array")))
        (else
         (error (string-append name ": index " (number->string i) " is not in 0 to "
                               (number->string (- size 1)))))))

(define (%array-count name n)
  (cond ((not (exact-integer? n)) (error (string-append name ": expected an integer, got") n))
        ((< n 0) (error (string-append name ": expected a size that is not negative, got") n))
        (else n)))

;; The array of (f i) for all i below n.
(define (%array-make name n f)
  (%array-made name (%vector-make n f)))

(define (%vector-make n f)
  (let ((made (make-vector n 0)))
    (let loop ((i 0))
      (if (< i n)
          (begin
            (vector-set! made i (f i))
            (loop (+ i 1)))
          made))))

;; A new array, once its rows are seen to be of one size.
(define (%array-made name a)
  (let ((n (vector-length a)))
    (if (and (< 1 n) (known? (vector-ref a 0)))
        (let ((first (vector-ref a 0)))
          (if (or (vector? first) (pair? first))
              (let loop ((i 1))
                (if (< i n)
                    (if (or (not (known? (vector-ref a i)))
                            (%same-shape? first (vector-ref a i)))
                        (loop (+ i 1))
                        (error (string-append name ": the rows of an array must have one size,"
                                              " but these differ:")
                               first (vector-ref a i)))))))))
  (%constant-vector a))

(define (%same-shape? a b)
  (cond ((vector? a)
         (and (vector? b)
              (= (vector-length a) (vector-length b))
              (or (= (vector-length a) 0)
                  (%same-shape? (vector-ref a 0) (vector-ref b 0)))))
        ((pair? a)
         (and (pair? b) (%same-shape? (car a) (car b)) (%same-shape? (cdr a) (cdr b))))
        (else (not (or (vector? b) (pair? b))))))

(define (%one-size name a others)
  (let ((n (%array-size name a)))
    (let loop ((rest others))
      (cond ((null? rest) n)
            ((= (%array-size name (car rest)) n) (loop (cdr rest)))
            (else (error (string-append name ": the arrays must have one size, but have")
                         n (vector-length (car rest))))))))

;; Arrays from nothing

;; An array of the arguments.
(define (array . items)
  (let ((n (length items)) (made (list->vector items)))
    (%array-made "array" made)))

;; The array of 0 up to before n.
(define (array-iota n)
  (if (%made-here? n)
      (%array-make "array-iota" (%array-count "array-iota" n) (lambda (i) i))
      (rcall array-iota n)))

;; An array of n times x.
(define (array-replicate n x)
  (if (%made-here? n)
      (%array-make "array-replicate" (%array-count "array-replicate" n) (lambda (i) x))
      (rcall array-replicate n x)))

;; Elements, sizes

;; The element at an index, from 0; with more indices, of the rows.
(define (array-ref a i . more)
  (if (and (known-size? a) (known? i))
      (let ((row (vector-ref a (%array-index "array-ref" i (%array-size "array-ref" a)))))
        (if (null? more) row (apply array-ref row more)))
      (apply rcall array-ref a i more)))

;; The array with another element at an index, or at several: the last argument.
(define (array-with a i . more)
  (if (and (known-size? a) (known? i))
      (let* ((n (%array-size "array-with" a))
             (i (%array-index "array-with" i n))
             (x (cond ((null? more) (error "array-with: expected a new value"))
                      ((null? (cdr more)) (car more))
                      (else (apply array-with (vector-ref a i) more)))))
        (%array-make "array-with" n (lambda (j) (if (= i j) x (vector-ref a j)))))
      (apply rcall array-with a i more)))

;; How many elements an array has; with a number, the size of that dimension.
(define (array-size a . dimension)
  (if (known-size? a)
      (let ((n (%array-size "array-size" a)))
        (cond ((or (null? dimension) (= (car dimension) 0)) n)
              ((= n 0) 0)
              (else (array-size (vector-ref a 0) (- (car dimension) 1)))))
      (apply rcall array-size a dimension)))

;; Functions on all elements

;; The array of what f gives for the elements of an array, or for those of several of one size.
(define (array-map f a . more)
  (if (and (known-size? a) (%known-sizes? more))
      (let ((n (%one-size "array-map" a more)))
        (if (null? more)
            (%array-make "array-map" n (lambda (i) (f (vector-ref a i))))
            (%array-make "array-map" n
              (lambda (i)
                (apply f (vector-ref a i) (map (lambda (b) (vector-ref b i)) more))))))
      (apply rcall array-map f a more)))

;; All elements put together by f, which is associative, from e on.
(define (array-reduce f e a)
  (if (known-size? a)
      (%array-fold f e a (%array-size "array-reduce" a))
      (rcall array-reduce f e a)))

;; The elements put together by g from e on; f puts such results together.
(define (array-redomap f g e a)
  (if (known-size? a)
      (%array-fold g e a (%array-size "array-redomap" a))
      (rcall array-redomap f g e a)))

(define (%array-fold f e a n)
  (let loop ((i 0) (result e))
    (if (< i n)
        (loop (+ i 1) (f result (vector-ref a i)))
        result)))

;; What a reduction by f from e on has after each element.
(define (array-scan f e a)
  (if (known-size? a)
      (let* ((n (%array-size "array-scan" a)) (made (make-vector n 0)))
        (let loop ((i 0) (result e))
          (if (< i n)
              (let ((result (f result (vector-ref a i))))
                (vector-set! made i result)
                (loop (+ i 1) result))
              (%array-made "array-scan" made))))
      (rcall array-scan f e a)))

;; The elements for which p holds.
(define (array-filter p a)
  (if (and (known-size? a) (known? (lift 0)))
      (let ((n (%array-size "array-filter" a)))
        (let loop ((i (- n 1)) (kept '()))
          (if (< i 0)
              (list->vector kept)
              (loop (- i 1) (if (p (vector-ref a i)) (cons (vector-ref a i) kept) kept)))))
      (rcall array-filter p a)))

;; By key

;; Is each element of an array known now?  In a run it is.
(define (%known-elements? a)
  (and (known-size? a)
       (or (known? (lift 0))
           (not (vector? a))
           (let loop ((i 0))
             (or (= i (vector-length a))
                 (and (%known-value? (vector-ref a i)) (loop (+ i 1))))))))

(define (%known-value? x)
  (if (and (known-size? x) (pair? x))
      (and (%known-value? (car x)) (%known-value? (cdr x)))
      (known? x)))

;; A key, which must be that of one of n buckets.
(define (%array-key name k n)
  (cond ((not (exact-integer? k)) (error (string-append name ": expected an integer, got") k))
        ((and (<= 0 k) (< k n)) k)
        ((= n 0)
         (error (string-append name ": key " (number->string k) ", but there are no buckets")))
        (else
         (error (string-append name ": key " (number->string k) " is not in 0 to "
                               (number->string (- n 1)))))))

;; n buckets that start as e: bucket keys[i] becomes (f bucket a[i]), for each i in order.
(define (array-bucket-reduce f e n keys a)
  (if (and (%made-here? n) (known-size? a) (%known-elements? keys))
      (let* ((size (%one-size "array-bucket-reduce" keys (list a)))
             (made (make-vector (%array-count "array-bucket-reduce" n) e)))
        (let loop ((i 0))
          (if (< i size)
              (let ((k (%array-key "array-bucket-reduce" (vector-ref keys i) n)))
                (vector-set! made k (f (vector-ref made k) (vector-ref a i)))
                (loop (+ i 1)))))
        (%array-made "array-bucket-reduce" made))
      (rcall array-bucket-reduce f e n keys a)))

;; The tuple of offsets and of the elements by key: those of key k are from offsets[k] up to before
;; offsets[k + 1], in their order.
(define (array-bucket-collect n keys a)
  (if (and (%made-here? n) (known-size? a) (%known-elements? keys))
      (let ((size (%one-size "array-bucket-collect" keys (list a)))
            (n (%array-count "array-bucket-collect" n)))
        (%array-collected n
          (%array-make "array-bucket-collect" size
            (lambda (i) (%array-key "array-bucket-collect" (vector-ref keys i) n)))
          a))
      (rcall array-bucket-collect n keys a)))

(define (%array-collected n keys a)
  (let* ((size (vector-length a)) (counts (make-vector (+ n 1) 0)) (next (make-vector (+ n 1) 0))
         (places (make-vector size 0)))
    (let loop ((i 0))
      (if (< i size)
          (let ((k (vector-ref keys i)))
            (vector-set! counts k (+ (vector-ref counts k) 1))
            (loop (+ i 1)))))
    (let loop ((k 0))
      (if (< k n)
          (begin
            (vector-set! next (+ k 1) (+ (vector-ref next k) (vector-ref counts k)))
            (loop (+ k 1)))))
    (let ((offsets (%array-make "array-bucket-collect" (+ n 1) (lambda (k) (vector-ref next k)))))
      (let loop ((i 0))
        (if (< i size)
            (let* ((k (vector-ref keys i)) (place (vector-ref next k)))
              (vector-set! places place i)
              (vector-set! next k (+ place 1))
              (loop (+ i 1)))))
      (list offsets
            (%array-make "array-bucket-collect" size
              (lambda (i) (vector-ref a (vector-ref places i))))))))

;; The tuple of the different keys (f a[i]), as they first occur, and of what array-bucket-collect
;; gives for their numbers.
(define (array-group-by f a)
  (if (%known-elements? a)
      (let ((keys (%array-keys "array-group-by" f a)))
        (if (%known-elements? keys)
            (let ((found (%array-numbered "array-group-by" keys)))
              (cons (car found) (%array-collected (vector-length (car found)) (cadr found) a)))
            (rcall array-group-by f a)))
      (rcall array-group-by f a)))

;; Keys that are not known are left to the operation that stays, which has its own way with them.
(define (%array-keys name f a)
  (let ((keys (%array-make name (%array-size name a) (lambda (i) (f (vector-ref a i))))))
    (if (%known-elements? keys)
        (%array-make name (vector-length keys) (lambda (i) (%as-key (vector-ref keys i))))
        keys)))

;; -0.0 is the key 0.0; all that are no numbers are one key, as equal? has it.
(define (%as-key key)
  (cond ((pair? key) (cons (%as-key (car key)) (%as-key (cdr key))))
        ((and (real? key) (inexact? key)) (+ key 0.0))
        (else key)))

;; The different keys, as they first occur, and the number of each of the keys.
(define (%array-numbered name keys)
  (let* ((n (vector-length keys)) (table (make-vector (+ n 1) '())) (numbers (make-vector n 0)))
    (let loop ((i 0) (count 0) (found '()))
      (if (< i n)
          (let* ((key (vector-ref keys i))
                 (slot (modulo (%key-hash name key) (+ n 1)))
                 (entry (assoc key (vector-ref table slot))))
            (if entry
                (begin
                  (vector-set! numbers i (cdr entry))
                  (loop (+ i 1) count found))
                (begin
                  (vector-set! table slot (cons (cons key count) (vector-ref table slot)))
                  (vector-set! numbers i count)
                  (loop (+ i 1) (+ count 1) (cons key found)))))
          (list (%constant-vector (list->vector (reverse found))) (%constant-vector numbers))))))

(define (%key-hash name key)
  (cond ((exact-integer? key) (modulo key 1000003))
        ((char? key) (char->integer key))
        ((boolean? key) (if key 1 0))
        ((null? key) 0)
        ((and (real? key) (inexact? key)) (modulo (equal-hash key) 1000003))
        ((pair? key)
         (modulo (+ (* 31 (%key-hash name (car key))) (%key-hash name (cdr key))) 1000003))
        (else
         (error (string-append name ": expected a key of numbers, booleans and characters, got")
                key))))

;; Each element once, as they first occur.
(define (array-distinct a)
  (if (%known-elements? a)
      (car (%array-numbered "array-distinct" (%array-keys "array-distinct" (lambda (x) x) a)))
      (rcall array-distinct a)))

;; The fold of a[offsets[k]] up to before a[offsets[k + 1]], for each k.
(define (array-reduce-segments f e offsets a)
  (if (and (known-size? a) (%known-elements? offsets))
      (let ((size (%array-size "array-reduce-segments" a))
            (limits (%array-size "array-reduce-segments" offsets)))
        (if (= limits 0)
            (error "array-reduce-segments: expected at least one offset, got" offsets))
        (%array-make "array-reduce-segments" (- limits 1)
          (lambda (k)
            (let ((low (vector-ref offsets k)) (high (vector-ref offsets (+ k 1))))
              (if (not (and (exact-integer? low) (exact-integer? high) (<= 0 low high size)))
                  (error "array-reduce-segments: these are no limits of a segment:" low high))
              (let loop ((i low) (result e))
                (if (< i high)
                    (loop (+ i 1) (f result (vector-ref a i)))
                    result))))))
      (rcall array-reduce-segments f e offsets a)))

;; The arrays (f x) of all elements, one after the other.
(define (array-flat-map f a)
  (if (%known-elements? a)
      (%array-joined
        (%vector-make (%array-size "array-flat-map" a) (lambda (i) (f (vector-ref a i)))))
      (rcall array-flat-map f a)))

(define (%array-joined parts)
  (let ((n (vector-length parts)))
    (if (let loop ((i 0))
          (or (= i n) (and (known-size? (vector-ref parts i)) (loop (+ i 1)))))
        (let loop ((k (- n 1)) (items '()))
          (if (< k 0)
              (%constant-vector (list->vector items))
              (let* ((part (vector-ref parts k)) (size (%array-size "array-flat-map" part)))
                (loop (- k 1)
                      (let inner ((i (- size 1)) (items items))
                        (if (< i 0)
                            items
                            (inner (- i 1) (cons (vector-ref part i) items))))))))
        (let loop ((k 1) (whole (vector-ref parts 0)))
          (if (< k n)
              (loop (+ k 1) (array-concat whole (vector-ref parts k)))
              whole)))))

;; The array with values[i] at indices[i], for each i in order: the last one wins.
(define (array-scatter a indices values)
  (if (and (known-size? a) (known-size? values) (%known-elements? indices))
      (let* ((size (%array-size "array-scatter" a))
             (n (%one-size "array-scatter" indices (list values)))
             (made (%vector-make size (lambda (i) (vector-ref a i)))))
        (let loop ((i 0))
          (if (< i n)
              (let ((k (%array-index "array-scatter" (vector-ref indices i) size)))
                (vector-set! made k (vector-ref values i))
                (loop (+ i 1)))))
        (%array-made "array-scatter" made))
      (rcall array-scatter a indices values)))

;; Whole arrays

;; An array of its own with the same elements.
(define (array-copy a)
  (if (known-size? a)
      (let ((n (%array-size "array-copy" a)))
        (%array-make "array-copy" n (lambda (i) (vector-ref a i))))
      (rcall array-copy a)))

;; The first n elements, and the others: a tuple of two arrays.
(define (array-split a n)
  (if (and (known-size? a) (known? n))
      (let ((size (%array-size "array-split" a)))
        (if (not (<= 0 (%array-count "array-split" n) size))
            (error "array-split: the array has fewer elements than" n))
        (list (%array-make "array-split" n (lambda (i) (vector-ref a i)))
              (%array-make "array-split" (- size n) (lambda (i) (vector-ref a (+ n i))))))
      (rcall array-split a n)))

;; The elements of one array, then those of the other.
(define (array-concat a b)
  (if (and (known-size? a) (known-size? b))
      (let ((m (%array-size "array-concat" a)) (n (%array-size "array-concat" b)))
        (%array-make "array-concat" (+ m n)
          (lambda (i) (if (< i m) (vector-ref a i) (vector-ref b (- i m))))))
      (rcall array-concat a b)))

;; The array of tuples of the elements of arrays of one size.
(define (array-zip a . more)
  (if (and (known-size? a) (%known-sizes? more))
      (%array-make "array-zip" (%one-size "array-zip" a more)
        (lambda (i) (cons (vector-ref a i) (map (lambda (b) (vector-ref b i)) more))))
      (apply rcall array-zip a more)))

;; The tuple of n arrays that an array of tuples of n parts is.
(define (array-unzip a n)
  (if (known-size? a)
      (let ((size (%array-size "array-unzip" a)))
        (let loop ((k (- n 1)) (parts '()))
          (if (< k 0)
              parts
              (loop (- k 1)
                    (cons (%array-make "array-unzip" size
                            (lambda (i) (tuple-ref (vector-ref a i) k)))
                          parts)))))
      (rcall array-unzip a n)))

;; The same elements in an array of these sizes.
(define (array-reshape a . sizes)
  (if (and (known? a) (%all-known? sizes))
      (let* ((items (list->vector (%array-elements a '())))
             (count (%array-product sizes)))
        (if (= count (vector-length items))
            (%array-shaped items 0 sizes count)
            (error "array-reshape: the array has another number of elements than"
                   count)))
      (apply rcall array-reshape a sizes)))

(define (%all-known? items)
  (or (null? items) (and (known? (car items)) (%all-known? (cdr items)))))

(define (%array-product sizes)
  (if (null? sizes) 1 (* (%array-count "array-reshape" (car sizes)) (%array-product (cdr sizes)))))

(define (%array-elements a rest)
  (if (vector? a)
      (let loop ((i (- (vector-length a) 1)) (rest rest))
        (if (< i 0) rest (loop (- i 1) (%array-elements (vector-ref a i) rest))))
      (cons a rest)))

(define (%array-shaped items from sizes count)
  (if (null? sizes)
      (vector-ref items from)
      (let ((step (if (= (car sizes) 0) 0 (quotient count (car sizes)))))
        (%array-make "array-reshape" (car sizes)
          (lambda (i) (%array-shaped items (+ from (* i step)) (cdr sizes) step))))))

;; Dimension k moves to position k + n; without them the first two change places.
(define (array-transpose a . moved)
  (if (and (known? a) (%all-known? moved))
      (let* ((k (if (null? moved) 0 (car moved)))
             (n (if (null? moved) 1 (cadr moved)))
             (seen (%array-rank a))
             (rank (if (%array-empty? a) (max seen (+ k 1) (+ k n 1)) seen))
             (order (%array-moved k (+ k n) rank)))
        (apply array-rearrange a order))
      (apply rcall array-transpose a moved)))

(define (%array-rank a)
  (cond ((not (vector? a)) 0)
        ((= (vector-length a) 0) 1)
        (else (+ 1 (%array-rank (vector-ref a 0))))))

;; 0 1 ... without k, and k at position j.
(define (%array-moved k j rank)
  (if (not (and (exact-integer? k) (exact-integer? j) (<= 0 k) (<= 0 j)
                (< (max k j) rank)))
      (error "array-transpose: the array has no such dimensions:" k j))
  (let loop ((i 0) (next 0))
    (cond ((= i rank) '())
          ((= i j) (cons k (loop (+ i 1) next)))
          ((= next k) (loop i (+ next 1)))
          (else (cons next (loop (+ i 1) (+ next 1)))))))

;; Dimension i of the result is dimension k_i of the array.  An array without rows has no size of
;; rows, or 0: so has the result.
(define (array-rearrange a . order)
  (if (and (known? a) (%all-known? order))
      (begin
        (if (not (or (= (length order) (%array-rank a)) (%array-empty? a)))
            (error "array-rearrange: expected a number for each dimension, got" order))
        (%array-ordered a order (map (lambda (k) (array-size a k)) order) '()))
      (apply rcall array-rearrange a order)))

(define (%array-empty? a)
  (and (vector? a) (or (= (vector-length a) 0) (%array-empty? (vector-ref a 0)))))

;; `indices` are those of the dimensions so far, the last first.
(define (%array-ordered a order sizes indices)
  (if (null? sizes)
      (apply array-ref a (%array-permuted order (reverse indices) 0))
      (%array-make "array-rearrange" (car sizes)
        (lambda (i) (%array-ordered a order (cdr sizes) (cons i indices))))))

(define (%array-permuted order indices k)
  (if (= k (length order))
      '()
      (cons (%array-index-of k order indices) (%array-permuted order indices (+ k 1)))))

(define (%array-index-of k order indices)
  (cond ((null? order) (error "array-rearrange: the order misses the dimension" k))
        ((= (car order) k) (car indices))
        (else (%array-index-of k (cdr order) (cdr indices)))))

;; Tuples

;; A tuple of the arguments.
(define (tuple . parts) parts)

;; Part k of a tuple, from 0.
(define (tuple-ref t k)
  (if (= k 0) (car t) (tuple-ref (cdr t) (- k 1))))

;; (let-tuple (a (b c)) e body ...): names for the parts of a tuple.
(define-syntax let-tuple
  (syntax-rules ()
    ((_ (part ...) value body ...)
     (let ((parts value)) (%let-parts parts (part ...) body ...)))))

(define-syntax %let-parts
  (syntax-rules ()
    ((_ rest () body ...) (let () body ...))
    ((_ rest ((part ...) more ...) body ...)
     (let-tuple (part ...) (car rest)
       (let ((others (cdr rest))) (%let-parts others (more ...) body ...))))
    ((_ rest (name more ...) body ...)
     (let ((name (car rest)) (others (cdr rest))) (%let-parts others (more ...) body ...)))))

;; (array-loop ((x e) ...) (i n) body): the body gives the next value of x, or a tuple of the next
;; values of several; the last one is the result.
(define-syntax array-loop
  (syntax-rules ()
    ((_ ((x e)) (i n) body ...)
     (let ((end n))
       (let loop ((i (%loop-start end 0)) (x (%loop-start end e)))
         (if (< i end) (loop (+ i 1) (%loop-start end (let () body ...))) x))))
    ((_ ((x e) ...) (i n) body ...)
     (let ((end n))
       (let loop ((i (%loop-start end 0)) (x (%loop-start end e)) ...)
         (if (< i end)
             (let ((next (let () body ...)))
               (let-tuple (x ...) next (loop (+ i 1) (%loop-start end x) ...)))
             (tuple x ...)))))))

;; What a loop starts with and goes on with: where only a run knows how often it goes round, numbers
;; and arrays are not known either, else the specializer would follow them round for ever.
(define (%loop-start end x)
  (cond ((or (known? end) (not (known-size? x))) x)
        ((pair? x) (cons (%loop-start end (car x)) (%loop-start end (cdr x))))
        ((or (symbol? x) (string? x) (null? x)) x)
        (else (lift x))))

;; Types

;; (define-array (f (x type) ...) body ...): a procedure whose arguments have declared types.
(define-syntax define-array
  (syntax-rules ()
    ((_ (name (x type) ...) body ...)
     (define (name x ...) (let ((x (array-typed 'type x)) ...) body ...)))))

;; x, an error unless it is of the type: int, float (or real), bool, char, string, bytevector,
;; (array t), (tuple t ...), (pair t t), (record name t ...), (union (record ...) ...), or
;; (array (packed layout)): then a bytevector is the array that it holds.
(define (array-typed type x)
  (cond ((and (known? x) (bytevector? x) (%packed-type? type))
         (if (known? (lift 0))
             (%packed-read (cadr (cadr type)) x)
             (rcall array-typed type x)))
        ((known? x)
         (cond ((not (%of-type? type x))
                (error "array-typed: expected the type, got the value:" type x))
               ;; An empty array shows no type: what is left of the program must tell it.
               ((and (vector? x) (= (vector-length x) 0) (not (known? (lift 0))))
                (rcall array-typed type x))
               (else x)))
        ((known-size? x) x)
        (else (rcall array-typed type x))))

;; A node of a kind that a module of Python adds: the kind is a list of its name and its type.
(define (array-node kind . operands)
  (if (known? (lift 0))
      (error "array-node: kinds of nodes mean something in array programs only:" (car kind))
      (apply rcall array-node kind operands)))

(define (%of-type? type x)
  (cond ((not (pair? type))
         (case type
           ((int) (exact-integer? x))
           ((float real) (and (number? x) (not (exact-integer? x))))
           ((bool) (boolean? x))
           ((char) (char? x))
           ((string) (string? x))
           ((bytevector) (bytevector? x))
           (else (error "array-typed: this is no type:" type))))
        ((%packed-type? type) #f)
        ((and (eq? (car type) 'array) (pair? (cdr type)))
         (and (vector? x)
              (let loop ((i 0))
                (or (= i (vector-length x))
                    (and (%of-type? (cadr type) (vector-ref x i))
                         (or (= i 0) (%same-shape? (vector-ref x 0) (vector-ref x i)))
                         (loop (+ i 1)))))))
        ((eq? (car type) 'tuple)
         (let loop ((types (cdr type)) (rest x))
           (cond ((null? types) (null? rest))
                 ((pair? rest) (and (%of-type? (car types) (car rest))
                                    (loop (cdr types) (cdr rest))))
                 (else #f))))
        ((and (eq? (car type) 'pair) (pair? (cdr type)) (pair? (cddr type)))
         (and (pair? x) (%of-type? (cadr type) (car x)) (%of-type? (car (cddr type)) (cdr x))))
        ;; Of a record only that it is none of the others: its fields are checked where they
        ;; are read.
        ((and (memq (car type) '(record union)) (pair? (cdr type)))
         (not (or (pair? x) (null? x) (vector? x) (number? x) (boolean? x) (char? x) (string? x)
                  (symbol? x) (procedure? x))))
        (else (error "array-typed: this is no type:" type))))
