; Definitions
(function_item name: (identifier) @name return_type: (_)? @returns) @function
(function_signature_item name: (identifier) @name return_type: (_)? @returns) @function
(macro_definition name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @class
(union_item name: (type_identifier) @name) @class
(enum_item name: (type_identifier) @name) @enum
(trait_item name: (type_identifier) @name) @interface
(type_item name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @variable
(static_item name: (identifier) @name) @variable
(mod_item name: (identifier) @name body: (declaration_list)) @namespace
(impl_item type: (_) @name) @impl

; Imports
(use_declaration (visibility_modifier)? @reexport argument: (_) @use)
(mod_item (visibility_modifier)? @reexport name: (identifier) @submodule !body)
(extern_crate_declaration name: (identifier) @module alias: (identifier)? @alias)

; References
(call_expression function: [(identifier) (scoped_identifier) (field_expression) (generic_function)] @call)
(token_tree (identifier) @token . (token_tree))
(struct_expression name: [(type_identifier) @new (scoped_type_identifier) @new (generic_type_with_turbofish type: (_) @new)])
(trait_item bounds: (trait_bounds [(type_identifier) @base (scoped_type_identifier) @base (generic_type type: (_) @base)]))
(impl_item trait: [(type_identifier) @implements (scoped_type_identifier) @implements (generic_type type: (_) @implements)])
[(type_identifier) (scoped_type_identifier)] @typed
(type_parameter name: (type_identifier) @generic)
(type_binding name: (type_identifier) @generic)
(associated_type name: (type_identifier) @generic)

; Name bindings
(parameter pattern: (identifier) @target type: (_) @of)
(field_declaration name: (field_identifier) @target type: (_) @of)
(let_declaration pattern: (identifier) @target type: (_) @of)
(let_declaration pattern: (identifier) @target value: [(identifier) (scoped_identifier) (field_expression) (call_expression) (await_expression) (try_expression) (reference_expression) (self)] @value)
(let_declaration pattern: (identifier) @target value: [(struct_expression name: (_) @of) (reference_expression value: (struct_expression name: (_) @of))])
(let_declaration pattern: (tuple_struct_pattern type: (identifier) @_some . (identifier) @target .) value: [(identifier) (scoped_identifier) (field_expression) (call_expression) (await_expression) (try_expression) (reference_expression)] @value
  (#not-eq? @_some "Err"))
(let_condition pattern: (tuple_struct_pattern type: (identifier) @_some . (identifier) @target .) value: [(identifier) (scoped_identifier) (field_expression) (call_expression) (await_expression) (try_expression) (reference_expression)] @value
  (#not-eq? @_some "Err"))
[(const_item name: (identifier) @target type: (_) @of) (static_item name: (identifier) @target type: (_) @of)]
(type_parameter name: (type_identifier) @target bounds: (trait_bounds . [(type_identifier) (scoped_type_identifier)] @value))
(where_predicate left: (type_identifier) @target bounds: (trait_bounds . [(type_identifier) (scoped_type_identifier)] @value))
(enum_item name: (type_identifier) @of body: (enum_variant_list (enum_variant name: (identifier) @target)))
