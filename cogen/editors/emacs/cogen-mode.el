;;; cogen-mode.el --- Modes for cogen's languages  -*- lexical-binding: t -*-

;; Version: @VERSION@
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; `cogen-mode' is for programs in the Scheme-like language, `l0-mode' for programs on whole arrays.
;; With eglot (in Emacs since version 29), M-x eglot asks the language server `cogen lsp'.
;;
;;   (add-to-list 'load-path "FOLDER")
;;   (require 'cogen-mode)
;;   (add-to-list 'auto-mode-alist '("\\.scm\\'" . cogen-mode))   ; if all your Scheme is cogen's
;;
;; C-c C-s specializes a procedure, C-c C-z starts a conversation.

;;; Code:

(require 'scheme)
(require 'url-util)
(require 'url-vars)

(declare-function eglot-current-server "eglot")
(declare-function jsonrpc-request "jsonrpc")
(defvar eglot-server-programs)

(defgroup cogen nil
  "Programs for cogen, a partial evaluator."
  :group 'languages)

(defcustom cogen-command '("cogen")
  "The command `cogen' and options for all uses of it."
  :type '(repeat string))

(defconst cogen--syntax
  '(@COGEN-SYNTAX@)
  "Words of the language's syntax.")

(defconst cogen--builtin
  '(@COGEN-BUILTIN@)
  "Procedures that every program has.")

(defun cogen--words (words)
  "An expression for WORDS, each as a whole symbol."
  (concat "\\_<" (regexp-opt words t) "\\_>"))

(defconst cogen--keywords
  `((";+[ \t]*cogen:.*" . (0 font-lock-preprocessor-face t))
    ("(\\(define[^ \t\n()]*\\)\\_>[ \t]+(*\\(\\(?:\\sw\\|\\s_\\)+\\)"
     (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    (,(cogen--words cogen--syntax) . font-lock-keyword-face)
    (,(cogen--words cogen--builtin) . font-lock-builtin-face)
    ("#\\(?:true\\|false\\|t\\|f\\)\\_>" . font-lock-constant-face))
  "What is coloured in `cogen-mode'.")

(defvar cogen-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-s") #'cogen-specialize)
    (define-key map (kbd "C-c C-z") #'cogen-repl)
    map)
  "Keys of `cogen-mode'.")

;;;###autoload
(define-derived-mode cogen-mode scheme-mode "cogen"
  "For programs in cogen's Scheme-like language."
  (setq-local font-lock-defaults
              '(cogen--keywords nil nil (("+-*/.<>=!?$%_&:" . "w")) beginning-of-defun)))

(dolist (form '((define-array . 1) (let-tuple . 2) (array-loop . 2) (when . 1) (unless . 1)
                (case-lambda . 0) (define-library . 1) (parameterize . 1) (guard . 1)))
  (put (car form) 'scheme-indent-function (cdr form)))

(defun cogen-repl ()
  "Start a conversation, in which this file is loaded."
  (interactive)
  (let ((file (and buffer-file-name (list (expand-file-name buffer-file-name)))))
    (pop-to-buffer
     (apply #'make-comint "cogen repl" (car cogen-command) nil
            (append (cdr cogen-command) '("repl") file)))))

(defun cogen-specialize (call form)
  "Show what becomes of CALL, a call with binding times, as FORM.
The language server must have been started: \\[eglot]."
  (interactive
   (list (read-string "Call with binding times: "
                      (let ((name (thing-at-point 'symbol t))) (if name (format "(%s _)" name) "")))
         (completing-read "As what: " '("scheme" "c" "python" "array" "il") nil t nil nil "scheme")))
  (let* ((server (or (and (fboundp 'eglot-current-server) (eglot-current-server))
                     (user-error "The language server is not running: M-x eglot")))
         (uri (concat "file://" (url-hexify-string (expand-file-name buffer-file-name)
                                                   url-path-allowed-chars)))
         (answer (jsonrpc-request server :workspace/executeCommand
                                  (list :command "cogen.specialize"
                                        :arguments (vector uri call form)))))
    (with-current-buffer (get-buffer-create "*cogen residual*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (or (plist-get answer :error) (plist-get answer :text) ""))
        (goto-char (point-min))
        (if (equal form "scheme") (cogen-mode) (special-mode)))
      (display-buffer (current-buffer)))))

(defconst l0--syntax
  '(@L0-SYNTAX@)
  "Words of L0.")

(defconst l0--builtin
  '(@L0-BUILTIN@)
  "Functions and operations that every program in L0 has.")

(defvar l0-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?' "." table)
    table)
  "The characters of L0.")

;;;###autoload
(define-derived-mode l0-mode prog-mode "L0"
  "For programs on whole arrays."
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "//+[ \t]*")
  (setq-local font-lock-defaults
              `(((,(cogen--words l0--syntax) . font-lock-keyword-face)
                 (,(cogen--words l0--builtin) . font-lock-builtin-face)
                 ("\\_<fun\\_>[^(]*\\_<\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t]*("
                  (1 font-lock-function-name-face))))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.l0\\'" . l0-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `((cogen-mode l0-mode) . (,@cogen-command "lsp"))))

(provide 'cogen-mode)
;;; cogen-mode.el ends here
