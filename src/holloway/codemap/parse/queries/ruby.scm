; Definitions
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(class name: (_) @name) @class
(module name: (_) @name) @class
(program (assignment left: (constant) @name) @variable)
(body_statement (assignment left: (constant) @name) @variable)
(assignment left: (constant) @name right: (call method: (identifier) @_new block: (_))
  (#eq? @_new "new")) @class
(call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name) block: (_)
  (#eq? @_define "define_method")) @function

; Imports
(call method: (identifier) @_require arguments: (argument_list . (string (string_content) @module))
  (#any-of? @_require "require" "require_relative" "load"))
(call method: (identifier) @_autoload arguments: (argument_list . (simple_symbol) (string (string_content) @module))
  (#eq? @_autoload "autoload"))

; References
(superclass [(constant) (scope_resolution)] @base)
(call !receiver method: (identifier) @_include arguments: (argument_list [(constant) (scope_resolution)] @implements)
  (#any-of? @_include "include" "extend" "prepend"))
