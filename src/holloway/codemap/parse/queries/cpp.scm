; Definitions. A prototype is left out if the function itself is in the file; `A::b` is a method of A.
(function_definition declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)))
  (reference_declarator (function_declarator declarator: (_) @name))
]) @function
(declaration declarator: [
  (function_declarator declarator: [(identifier) (destructor_name) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @function
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @function
(preproc_function_def name: (identifier) @name) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @enum
(namespace_definition name: (_) @name) @namespace
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))] declarator: (type_identifier) @name) @class
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @enum
(type_definition declarator: [
  (type_identifier) @name @type
  (pointer_declarator declarator: (type_identifier) @name @type)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name @type)))
])
(translation_unit (declaration declarator: (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (array_declarator declarator: (identifier) @name)])) @variable)

; Imports
(preproc_include path: [(string_literal) (system_lib_string)] @module)

; References
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)
