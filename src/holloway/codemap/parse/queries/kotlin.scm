(package_header (qualified_identifier) @package)

; Definitions
(function_declaration name: (identifier) @name) @function
(class_declaration "class" name: (identifier) @name) @class
(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration (modifiers (class_modifier) @_enum) name: (identifier) @name
  (#eq? @_enum "enum")) @enum
(object_literal (delegation_specifiers . (delegation_specifier . (_) @anonymous))) @class
(object_declaration name: (identifier) @name) @class
(type_alias type: (identifier) @name) @type
(source_file (property_declaration (variable_declaration (identifier) @name)) @variable)

; Imports
(import (qualified_identifier (identifier) @symbol .) @module .)
(import (qualified_identifier (identifier) @symbol .) @module (identifier) @alias)
(import (qualified_identifier) @module "*" @star)

; References
(delegation_specifier [(user_type) @base (constructor_invocation (user_type) @base) (explicit_delegation (user_type) @base)])
