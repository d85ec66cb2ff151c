; CommonJS imports.
(call_expression function: (identifier) @_require arguments: (arguments . (string) @module .)
  (#eq? @_require "require"))
(variable_declarator name: (identifier) @alias value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .))
  (#eq? @_require "require"))
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @symbol (pair_pattern key: (property_identifier) @symbol value: (identifier) @alias)]) value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .))
  (#eq? @_require "require"))
(variable_declarator name: (identifier) @alias value: (member_expression object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .)) property: (property_identifier) @symbol)
  (#eq? @_require "require"))
