(namespace_definition name: (namespace_name) @package)

; Definitions
(function_definition name: (name) @name return_type: (_)? @returns) @function
(method_declaration name: (name) @name return_type: (_)? @returns) @function
(class_declaration name: (name) @name) @class
(trait_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(enum_declaration name: (name) @name) @enum
(program (const_declaration (const_element (name) @name) @variable))
(anonymous_class (base_clause (_) @anonymous)) @class

; Imports
(namespace_use_declaration !body (namespace_use_clause) @use)
(namespace_use_declaration (namespace_name) @prefix body: (namespace_use_group (namespace_use_clause) @use))
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @include

; References
(base_clause [(name) (qualified_name)] @base)
(class_interface_clause [(name) (qualified_name)] @implements)
(use_declaration [(name) (qualified_name)] @base)
