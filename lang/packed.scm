;;; Packed arrays: what `array-typed` reads and `array-store` writes in a run.
;;;
;;; A layout is written as for the Python package `signals` (signals/formats.py): a name, a record
;;; like u12s4, or options like size=12,stride=16.  Here it is a vector
;;;
;;;     step offset order scale tuple? fields         field ::= (kind (address size) ...)
;;;
;;; kind is unsigned, signed or float; the piece with the high bits comes first; scale is #f where
;;; there is none.  Elements of a layout that is a tuple have a part for each field; the fields of
;;; another hold its elements in turn.

(define (%packed-type? type)
  (and (pair? type) (eq? (car type) 'array)
       (pair? (cdr type)) (null? (cddr type))
       (pair? (cadr type)) (eq? (car (cadr type)) 'packed)
       (pair? (cdr (cadr type))) (null? (cddr (cadr type)))
       (string? (cadr (cadr type)))))

;; The array that a bytevector holds: all elements that lie wholly inside.
(define (%packed-read text bytes)
  (let* ((layout (%packed-layout text))
         (n (%packed-count layout (* 8 (bytevector-length bytes)))))
    (%constant-vector (%vector-make n (lambda (i) (%packed-element layout bytes i))))))

;; The elements of an array in a new bytevector; fit is check, wrap or saturate.
(define (array-store text a . fit)
  (let ((fit (if (null? fit) 'check (car fit))))
    (if (%known-elements? a)
        (%packed-write text (%packed-layout text) a fit)
        (if (eq? fit 'check) (rcall array-store text a) (rcall array-store text a fit)))))

(define (%packed-write text layout a fit)
  (let* ((n (%array-size "array-store" a))
         (fields (vector-ref layout 5))
         (together (if (vector-ref layout 4) 1 (length fields)))
         (bytes (make-bytevector (%packed-bytes layout (quotient n together)) 0)))
    (if (not (memq fit '(check wrap saturate)))
        (error "array-store: expected check, wrap or saturate, got" fit))
    (if (not (= 0 (remainder n together)))
        (error (string-append "array-store: " (number->string n)
                              " samples make no whole groups of " (number->string together))))
    (let loop ((i 0))
      (if (< i n)
          (begin
            (%packed-put! layout bytes i (vector-ref a i) fit)
            (loop (+ i 1)))
          bytes))))

;; Numbers of elements, addresses

(define (%packed-low layout)
  (%packed-extreme min (vector-ref layout 5) (lambda (address size) address)))

(define (%packed-high layout)
  (%packed-extreme max (vector-ref layout 5) +))

(define (%packed-extreme choose fields f)
  (let ((all (apply append (map cdr fields))))
    (let loop ((rest (cdr all)) (found (apply f (car all))))
      (if (null? rest) found (loop (cdr rest) (choose found (apply f (car rest))))))))

(define (%packed-count layout bits)
  (let ((step (vector-ref layout 0)) (offset (vector-ref layout 1))
        (low (%packed-low layout)) (high (%packed-high layout))
        (together (if (vector-ref layout 4) 1 (length (vector-ref layout 5)))))
    (cond ((or (< bits (+ offset high)) (< (+ offset low) 0)) 0)
          ((< 0 step) (* together (+ 1 (quotient (- bits offset high) step))))
          (else (* together (+ 1 (quotient (+ offset low) (- step))))))))

;; How many bytes so many groups need.
(define (%packed-bytes layout groups)
  (let* ((step (vector-ref layout 0)) (offset (vector-ref layout 1))
         (last (+ offset (* (- groups 1) step))))
    (cond ((= groups 0) 0)
          ((< (+ last (%packed-low layout)) 0)
           (error "array-store: the layout has no room for so many groups:" groups))
          (else (quotient (+ (max offset last) (%packed-high layout) 7) 8)))))

;; Where element i is: `tuple` is called with the place of its group and all fields, or `number`
;; with the place and the field.
(define (%packed-place layout i tuple number)
  (let* ((fields (vector-ref layout 5))
         (count (length fields))
         (tuple? (vector-ref layout 4))
         (group (if tuple? i (quotient i count)))
         (at (+ (vector-ref layout 1) (* group (vector-ref layout 0)))))
    (if tuple?
        (tuple at fields)
        (number at (list-ref fields (remainder i count))))))

(define (%packed-element layout bytes i)
  (%packed-place layout i
    (lambda (at fields) (map (lambda (field) (%packed-value layout bytes at field)) fields))
    (lambda (at field) (%packed-value layout bytes at field))))

(define (%packed-put! layout bytes i x fit)
  (%packed-place layout i
    (lambda (at fields)
      (let loop ((fields fields) (parts x))
        (cond ((and (null? fields) (null? parts)) #t)
              ((and (pair? fields) (pair? parts))
               (%packed-store! layout bytes at (car fields) (car parts) i fit)
               (loop (cdr fields) (cdr parts)))
              (else (error "array-store: expected a tuple with a part for each field, got" x)))))
    (lambda (at field) (%packed-store! layout bytes at field x i fit))))

;; Values

(define (%packed-size field)
  (apply + (map cadr (cdr field))))

(define (%packed-value layout bytes at field)
  (let* ((order (vector-ref layout 2)) (scale (vector-ref layout 3))
         (size (%packed-size field))
         (bits (%packed-pieces bytes order at (cdr field) 0))
         (x (case (car field)
              ((signed) (arithmetic-shift (word-shift-left bits (- 64 size)) (- size 64)))
              ((float) (cond ((= size 64) (bits->float64 bits))
                             ((= size 32) (bits->float32 bits))
                             (else (%half-value bits))))
              (else bits))))
    (cond ((not scale) x)
          ((and (eq? (car field) 'unsigned) (< x 0)) (* (+ 18446744073709551616.0 x) scale))
          (else (* (inexact x) scale)))))

(define (%packed-pieces bytes order at pieces found)
  (if (null? pieces)
      found
      (let ((size (cadar pieces)))
        (%packed-pieces bytes order at (cdr pieces)
          (bitwise-ior (if (= size 64) 0 (word-shift-left found size))
                       (%packed-piece bytes order (+ at (caar pieces)) size 0 0))))))

;; So many bits from an address on; got of them are found already.
(define (%packed-piece bytes order at left found got)
  (if (= left 0)
      found
      (let* ((bit (remainder at 8))
             (here (min left (- 8 bit)))
             (byte (bytevector-u8-ref bytes (quotient at 8)))
             (shift (if (eq? order 'big) (- 8 bit here) bit))
             (part (bitwise-and (arithmetic-shift byte (- shift)) (- (arithmetic-shift 1 here) 1))))
        (%packed-piece bytes order (+ at here) (- left here)
          (if (eq? order 'big)
              (bitwise-ior (word-shift-left found here) part)
              (bitwise-ior found (word-shift-left part got)))
          (+ got here)))))

(define (%half-value bits)
  (let* ((exponent (bitwise-and (arithmetic-shift bits -10) 31))
         (digits (bitwise-and bits 1023))
         (size (cond ((= exponent 0) (* digits (expt 2.0 -24)))
                     ((< exponent 31) (* (+ 1024 digits) (expt 2.0 (- exponent 25))))
                     (else (bits->float64 (bitwise-ior (word-shift-left 2047 52)
                                                       (word-shift-left digits 42)))))))
    (cond ((< bits 32768) (inexact size))
          ((= exponent 31)
           (bits->float64 (bitwise-ior (float64->bits size) (word-shift-left 1 63))))
          (else (- (inexact size))))))

(define (%packed-misfit field i)
  (error (string-append "array-store: the value at index " (number->string i)
                        " does not fit in " (number->string (%packed-size field)) " bits ("
                        (symbol->string (car field)) ")")))

(define (%packed-store! layout bytes at field x i fit)
  (let* ((scale (vector-ref layout 3))
         (size (%packed-size field))
         (x (if (boolean? x) (if x 1 0) x))
         (bits (cond ((not (number? x)) (error "array-store: expected a number, got" x))
                     ((eq? (car field) 'float)
                      (%packed-float field size (if scale (/ (inexact x) scale) (inexact x)) i fit))
                     (scale (%packed-scaled field size (round (/ (inexact x) scale)) i fit))
                     ((exact-integer? x) (%packed-int field size x i fit))
                     (else (error "array-store: floats cannot be stored as integers:" x)))))
    (let loop ((pieces (cdr field)) (left size))
      (if (pair? pieces)
          (let ((left (- left (cadar pieces))))
            (%packed-set! bytes (vector-ref layout 2) (+ at (caar pieces)) (cadar pieces)
                          (word-shift-right bits left))
            (loop (cdr pieces) left))))))

;; 2^n; of 2^63 and more the greatest integer.
(define (%packed-limit n)
  (if (< n 63) (- (arithmetic-shift 1 n) 1) 9223372036854775807))

(define (%packed-int field size x i fit)
  (let* ((signed? (eq? (car field) 'signed))
         (high (%packed-limit (if signed? (- size 1) size)))
         (low (if signed? (- -1 high) 0)))
    (cond ((eq? fit 'wrap) x)
          ((<= low x high) x)
          ((eq? fit 'check) (%packed-misfit field i))
          (else (if (< x low) low high)))))

(define (%packed-scaled field size x i fit)
  (let* ((signed? (eq? (car field) 'signed))
         (whole (expt 2.0 size))
         (limit (if signed? (/ whole 2.0) whole))
         (low (if signed? (- limit) 0.0)))
    (cond ((not (= x x)) (%packed-misfit field i))
          ((and (<= low x) (< x limit)) (%packed-bits x))
          ((eq? fit 'saturate)
           (if (< x low) (%packed-bits low) (%packed-bits (%packed-top limit))))
          ((or (eq? fit 'check) (= (* x 0.5) x)) (%packed-misfit field i))
          (else
           (let ((rest (- x (* whole (truncate (/ x whole))))))  ; exact, as powers of 2 are
             (if (< rest 0.0)
                 (word-sub 0 (%packed-bits (- rest)))
                 (%packed-bits rest)))))))

;; The greatest integral float below a power of two.
(define (%packed-top limit)
  (if (< limit 9007199254740993.0) (- limit 1.0) (* limit (- 1.0 (expt 2.0 -53)))))

;; An integral float as the bits of an integer modulo 2^64.
(define (%packed-bits x)
  (if (< x 9223372036854775808.0) (exact x) (exact (- x 18446744073709551616.0))))

(define (%packed-float field size x i fit)
  (if (= size 64)
      (float64->bits x)
      (let* ((greatest (if (= size 32) 3.4028234663852886e38 65504.0))
             (beyond (if (= size 32) 3.4028235677973366e38 65520.0))
             (finite? (and (= x x) (not (and (= (* x 0.5) x) (not (= x 0.0))))))
             (lost? (and finite? (<= beyond (abs x))))
             (near (cond ((not lost?) x)
                         ((eq? fit 'check) (%packed-misfit field i))
                         ((eq? fit 'saturate) (if (< x 0.0) (- greatest) greatest))
                         (else (if (< x 0.0) (/ -1.0 0.0) (/ 1.0 0.0))))))
        (if (= size 32) (float32->bits near) (%half-bits near)))))

(define (%half-bits x)
  (let* ((sign (if (< (float64->bits x) 0) 32768 0))
         (size (abs x)))
    (cond ((not (= x x))
           (+ sign 31744 (max 1 (bitwise-and (word-shift-right (float64->bits x) 42) 1023))))
          ((<= 65520.0 size) (+ sign 31744))
          ((< size (expt 2.0 -14)) (+ sign (exact (round (* size (expt 2.0 24))))))
          (else
           (let loop ((exponent -14))
             (if (< size (expt 2.0 (+ exponent 1)))
                 (+ sign (* 1024 (+ exponent 14))
                    (exact (round (* size (expt 2.0 (- 10 exponent))))))
                 (loop (+ exponent 1))))))))

;; Put the low bits of x at an address, over zeros.
(define (%packed-set! bytes order at size x)
  (if (< 0 size)
      (let* ((bit (remainder at 8))
             (here (min size (- 8 bit)))
             (ones (- (arithmetic-shift 1 here) 1))
             (big? (eq? order 'big))
             (part (bitwise-and (if big? (word-shift-right x (- size here)) x) ones))
             (k (quotient at 8)))
        (bytevector-u8-set! bytes k
          (bitwise-ior (bytevector-u8-ref bytes k)
                       (arithmetic-shift part (if big? (- 8 bit here) bit))))
        (%packed-set! bytes order (+ at here) (- size here)
                      (if (or big? (= here size)) x (word-shift-right x here))))))

;; Layouts from texts

(define (%packed-layout text)
  (let* ((parts (map %trimmed (%divided (string-downcase text) #\,)))
         (bare? (%has-char? (car parts) #\=))
         (head (if bare? "" (car parts)))
         (options (map %packed-option (if bare? parts (cdr parts)))))
    (if (string=? head "")
        (%packed-plain options '() text)
        (let ((found (or (%packed-named head) (%packed-record head text))))
          (cond ((or (null? found) (pair? found)) (%packed-plain options found text))
                ((null? options) found)
                ((and (eq? (caar options) 'offset) (null? (cdr options)))
                 (let ((layout (vector-copy found)))
                   (vector-set! layout 1 (cdar options))
                   layout))
                (else (error "the layout cannot be given these options:" text)))))))

;; The layout of samples with these options, and those of a base where there are none.
(define (%packed-plain options base text)
  (let* ((all (append options base))
         (get (lambda (name default)
                (let ((found (assq name all))) (if found (cdr found) default))))
         (size (get 'size 0))
         (own (or (assq 'stride options) (assq 'size options) (assq 'stride base)))
         (step (if own (cdr own) size))
         (channels (get 'channels 1))
         (kind (cond ((get 'float #f) 'float) ((get 'signed #f) 'signed) (else 'unsigned)))
         (order (get 'order 'little)))
    (if (not (and (<= 1 size 64) (not (= step 0)) (<= 1 channels 64) (<= 0 (get 'offset 0))
                  (memq order '(little big))
                  (or (not (eq? kind 'float)) (memv size '(16 32 64)))))
        (error "this is no layout:" text))
    (vector (* channels step) (get 'offset 0) order (get 'scale #f) (< 1 channels)
            (let loop ((k (- channels 1)) (fields '()))
              (if (< k 0)
                  fields
                  (loop (- k 1) (cons (list kind (list (* k step) size)) fields)))))))

(define (%packed-option text)
  (let* ((parts (map %trimmed (%divided text #\=)))
         (name (string->symbol (car parts)))
         (value (if (null? (cdr parts)) #t (cadr parts))))
    (case name
      ((size stride offset channels) (cons name (%packed-integer value)))
      ((order) (cons name (if (string? value) (string->symbol value) value)))
      ((scale) (cons name (inexact (%packed-number value))))
      ((signed float) (cons name (or (eq? value #t) (pair? (member value '("true" "yes" "1"))))))
      (else (error "a layout has no option of this name:" text)))))

(define (%packed-number text)
  (or (and (string? text) (string->number text))
      (error "expected a number in a layout, got" text)))

(define (%packed-integer text)
  (if (and (string? text) (< 2 (string-length text)) (string=? (substring text 0 2) "0x"))
      (or (string->number (substring text 2 (string-length text)) 16)
          (error "expected an integer in a layout, got" text))
      (%packed-number text)))

(define (%without items gone)
  (cond ((null? items) '())
        ((memv (car items) gone) (%without (cdr items) gone))
        (else (cons (car items) (%without (cdr items) gone)))))

;; The layout of a name, #f if there is none.
(define (%packed-named head)
  (case (string->symbol
          (list->string (map (lambda (c) (if (char=? c #\_) #\- c)) (string->list head))))
    ((pcm8) '((size . 8)))
    ((pcm16le) '((size . 16) (signed . #t)))
    ((pcm16be) '((size . 16) (signed . #t) (order . big)))
    ((pcm24le) '((size . 24) (signed . #t)))
    ((pcm24be) '((size . 24) (signed . #t) (order . big)))
    ((pcm32le) '((size . 32) (signed . #t)))
    ((pcm32be) '((size . 32) (signed . #t) (order . big)))
    ((raw6) '((size . 6)))
    ((raw7) '((size . 7)))
    ((raw8) '((size . 8)))
    ((raw16) '((size . 16) (order . big)))
    ((raw20)
     (vector 40 0 'little #f #f
             '((unsigned (0 8) (32 2) (8 8) (34 2)) (unsigned (16 8) (36 2) (24 8) (38 2)))))
    ((raw24) (vector 24 0 'little #f #f '((unsigned (0 8) (16 4) (8 8) (20 4)))))
    ((raw10) (%packed-raw 4 2))
    ((raw12) (%packed-raw 2 4))
    ((raw14) (%packed-raw 4 6))
    ((cs4) '((size . 4) (signed . #t) (channels . 2)))
    ((cs4be) '((size . 4) (signed . #t) (channels . 2) (order . big)))
    ((cs8) '((size . 8) (signed . #t) (channels . 2)))
    ((cu8) '((size . 8) (channels . 2)))
    ((cs12) '((size . 12) (signed . #t) (channels . 2)))
    ((cs12be) '((size . 12) (signed . #t) (channels . 2) (order . big)))
    ((cu12) '((size . 12) (channels . 2)))
    ((cu12be) '((size . 12) (channels . 2) (order . big)))
    ((cs16) '((size . 16) (signed . #t) (channels . 2)))
    ((cs16be) '((size . 16) (signed . #t) (channels . 2) (order . big)))
    ((cu16) '((size . 16) (channels . 2)))
    ((cf32) '((size . 32) (float . #t) (channels . 2)))
    ((rgb565) (%packed-colour 16 '(11 5) '(5 6) '(0 5)))
    ((rgb24) (%packed-colour 24 '(0 8) '(8 8) '(16 8)))
    ((bgr24) (%packed-colour 24 '(16 8) '(8 8) '(0 8)))
    ((v210) (vector 32 0 'little #f #f '((unsigned (0 10)) (unsigned (10 10)) (unsigned (20 10)))))
    ((mono10p) '((size . 10)))
    ((mono12p) '((size . 12)))
    ((mono14p) '((size . 14)))
    ((mono10packed) (vector 24 0 'little #f #f '((unsigned (0 8) (8 2)) (unsigned (16 8) (12 2)))))
    ((mono12packed) (vector 24 0 'little #f #f '((unsigned (0 8) (8 4)) (unsigned (16 8) (12 4)))))
    ((mask-lsb masklsb) '((size . 1)))
    ((mask-msb maskmsb) '((size . 1) (order . big)))
    (else #f)))

;; MIPI raw pixels: the high bytes of a few, then the low bits of all.
(define (%packed-raw pixels low)
  (vector (* pixels (+ 8 low)) 0 'little #f #f
          (let loop ((i (- pixels 1)) (fields '()))
            (if (< i 0)
                fields
                (loop (- i 1)
                      (cons (list 'unsigned (list (* 8 i) 8) (list (+ (* 8 pixels) (* low i)) low))
                            fields))))))

(define (%packed-colour total . pieces)
  (vector total 0 'little #f #t (map (lambda (piece) (list 'unsigned piece)) pieces)))

;; Items like u12, s4, f32, p3, with > or < before any and < at the end.
(define (%packed-record head text)
  (let* ((chars (%without (string->list head) '(#\space)))
         (low-first? (and (pair? chars) (char=? (car (reverse chars)) #\<))))
    (let loop ((chars chars) (high-first? #t) (at 0) (fields '()))
      (cond ((or (null? chars) (and (null? (cdr chars)) (memv (car chars) '(#\< #\>))))
             (%packed-fields (reverse fields) at text))
            ((char=? (car chars) #\>) (loop (cdr chars) #t at fields))
            ((char=? (car chars) #\<) (loop (cdr chars) #f at fields))
            (else
             (let* ((digits (%leading-digits (cdr chars)))
                    (size (%digits-value digits 0))
                    (rest (list-tail (cdr chars) (length digits)))
                    (kind (assv (car chars) '((#\u . unsigned) (#\s . signed) (#\f . float)
                                              (#\p . #f)))))
               (if (not (and kind (<= 1 size) (or (not (cdr kind)) (<= size 64))))
                   (error "there is no layout" text))
               (loop rest high-first? (+ at size)
                     (if (cdr kind)
                         (let* ((bits (%packed-bit-order size high-first?))
                                (bits (if low-first? (%low-byte-first bits at 0) bits)))
                           (cons (cons (cdr kind) (%packed-runs bits at)) fields))
                         fields))))))))

;; The number that digits write; 0 if there are none.
(define (%digits-value digits found)
  (if (null? digits)
      found
      (%digits-value (cdr digits) (+ (* 10 found) (- (char->integer (car digits)) 48)))))

(define (%leading-digits chars)
  (if (and (pair? chars) (char<=? #\0 (car chars) #\9))
      (cons (car chars) (%leading-digits (cdr chars)))
      '()))

(define (%packed-fields fields size text)
  (cond ((null? fields) (error "there is no layout" text))
        ((pair? (cdr fields)) (vector size 0 'big #f #t fields))
        ((pair? (cddar fields)) (vector size 0 'big #f #f fields))
        (else
         (let ((kind (caar fields)) (piece (cadar fields)))
           (list (cons 'size (cadr piece)) (cons 'stride size) (cons 'offset (car piece))
                 (cons 'order 'big) (cons 'signed (eq? kind 'signed))
                 (cons 'float (eq? kind 'float)))))))

;; The numbers of the bits of a value, in the order in which they come.
(define (%packed-bit-order size high-first?)
  (let loop ((i 0) (found '()))
    (if (= i size)
        (if high-first? found (reverse found))
        (loop (+ i 1) (cons i found)))))

;; The bits of a value from an address on in the other order of bytes.
(define (%low-byte-first bits at got)
  (if (null? bits)
      '()
      (let* ((n (length bits))
             (room (min n (- 8 (remainder (+ at got) 8)))))
        (append (list-tail bits (- n room))
                (%low-byte-first (%first-items bits (- n room)) at (+ got room))))))

(define (%first-items items n)
  (if (= n 0) '() (cons (car items) (%first-items (cdr items) (- n 1)))))

;; The pieces of a value whose bits lie from an address on; the piece with the high bits first.
(define (%packed-runs bits at)
  (let loop ((bits (cdr bits)) (last (car bits)) (top (car bits)) (start at) (n 1) (runs '()))
    (cond ((null? bits)
           (map cdr (%by-bit (cons (list top start n) runs))))
          ((= (car bits) (- last 1))
           (loop (cdr bits) (car bits) top start (+ n 1) runs))
          (else
           (loop (cdr bits) (car bits) (car bits) (+ start n) 1 (cons (list top start n) runs))))))

;; Runs, that of the highest bits first.
(define (%by-bit runs)
  (if (null? runs)
      '()
      (let insert ((run (car runs)) (sorted (%by-bit (cdr runs))))
        (if (or (null? sorted) (< (caar sorted) (car run)))
            (cons run sorted)
            (cons (car sorted) (insert run (cdr sorted)))))))

;; Texts

(define (%has-char? text char)
  (memv char (string->list text)))

;; The parts of a text between the characters.
(define (%divided text char)
  (let loop ((chars (reverse (string->list text))) (part '()) (parts '()))
    (cond ((null? chars) (cons (list->string part) parts))
          ((char=? (car chars) char) (loop (cdr chars) '() (cons (list->string part) parts)))
          (else (loop (cdr chars) (cons (car chars) part) parts)))))

(define (%trimmed text)
  (let ((drop (lambda (chars)
                (let loop ((chars chars))
                  (if (and (pair? chars) (char=? (car chars) #\space)) (loop (cdr chars)) chars)))))
    (list->string (reverse (drop (reverse (drop (string->list text))))))))
