; What R7RS has and Chez Scheme 9.5 has not, for the programs beside.

(define-syntax srfi-9-record
  (syntax-rules ()
    ((_ type constructor predicate field ...)
     (srfi-9-fields type constructor predicate (field ...) () ()))))
(define-syntax srfi-9-fields
  (syntax-rules ()
    ((_ type (maker argument ...) predicate () specs (name ...))
     (define-record-type (type maker predicate)
       (fields . specs)
       (protocol (lambda (new) (let ((name #f) ...) (lambda (argument ...) (new name ...)))))))
    ((_ type constructor predicate ((f get) . rest) (spec ...) (name ...))
     (srfi-9-fields type constructor predicate rest (spec ... (immutable f get)) (name ... f)))
    ((_ type constructor predicate ((f get set) . rest) (spec ...) (name ...))
     (srfi-9-fields type constructor predicate rest (spec ... (mutable f get set)) (name ... f)))))
(define (write-string s . port) (apply display s port))
(define (read-line in) (get-line in))

