;;; A decoder for binary messages by a schema; what it reads is an association list.
;;;
;;;     schema ::= ((name type) ...)
;;;     type   ::= u8 | u16 | u32 | varint | (bytes n) | (struct schema) | (array name type)
;;;              | (switch name (number type) ... )          `name`: an earlier field
;;;              | (bits (name width) ...)                   parts of a byte, the high ones first

(define (run schema buffer)
  (decode-fields schema buffer 0 (lambda (fields at) fields)))

(define (decode-fields schema buffer at k)
  (let loop ((schema schema) (at at) (fields '()))
    (if (null? schema)
        (k (reverse fields) at)
        (decode (cadar schema) buffer at fields
                (lambda (value at)
                  (loop (cdr schema) at (cons (cons (caar schema) value) fields)))))))

(define (decode type buffer at fields k)
  (cond ((symbol? type)
         (case type
           ((u8) (k (byte buffer at) (+ at 1)))
           ((u16) (k (number buffer at 2) (+ at 2)))
           ((u32) (k (number buffer at 4) (+ at 4)))
           ((varint) (decode-varint buffer at k))
           (else (error "unknown type" type))))
        ((eq? (car type) 'bytes)
         (k (copy buffer at (cadr type)) (+ at (cadr type))))
        ((eq? (car type) 'struct) (decode-fields (cadr type) buffer at k))
        ((eq? (car type) 'array)
         (decode-array (cdr (assq (cadr type) fields)) (caddr type) buffer at fields '() k))
        ((eq? (car type) 'switch)
         (let ((tag (cdr (assq (cadr type) fields))))
           (let find ((arms (cddr type)))
             (cond ((null? arms) (error "no type for" tag))
                   ((= tag (caar arms)) (decode (cadar arms) buffer at fields k))
                   (else (find (cdr arms)))))))
        ((eq? (car type) 'bits)
         (k (split (byte buffer at) 8 (cdr type)) (+ at 1)))
        (else (error "unknown type" type))))

(define (byte buffer at) (bytevector-u8-ref buffer at))

;; An unsigned integer of n bytes, the high one first.
(define (number buffer at n)
  (if (= n 0)
      0
      (+ (* 256 (number buffer at (- n 1)))
         (byte buffer (+ at n -1)))))

(define (decode-varint buffer at k)
  (let loop ((at at) (value 0) (weight 1))
    (let* ((b (byte buffer at))
           (value (+ value (* weight (remainder b 128)))))
      (if (< b 128)
          (k value (+ at 1))
          (loop (+ at 1) value (* weight 128))))))

(define (decode-array n type buffer at fields found k)
  (if (= n 0)
      (k (reverse found) at)
      (decode type buffer at fields
              (lambda (value at)
                (decode-array (- n 1) type buffer at fields (cons value found) k)))))

(define (copy buffer at n)
  (if (= n 0)
      '()
      (cons (byte buffer at) (copy buffer (+ at 1) (- n 1)))))

(define (split b left parts)
  (if (null? parts)
      '()
      (let ((left (- left (cadar parts))))
        (cons (cons (caar parts)
                    (remainder (quotient b (expt 2 left)) (expt 2 (cadar parts))))
              (split b left (cdr parts))))))
