; TypeScript only, in addition to ecmascript.scm.

; Definitions
(function_declaration name: (identifier) @name return_type: (type_annotation)? @returns) @function
(function_signature name: (identifier) @name return_type: (type_annotation)? @returns) @function
(method_definition name: [(property_identifier) (private_property_identifier) (string)] @name return_type: (type_annotation) @returns) @function
[(method_signature name: [(property_identifier) (private_property_identifier) (string)] @name return_type: (type_annotation)? @returns)
 (abstract_method_signature name: [(property_identifier) (private_property_identifier) (string)] @name return_type: (type_annotation)? @returns)] @function
(variable_declarator name: (identifier) @name value: [(arrow_function return_type: (type_annotation)? @returns) (function_expression return_type: (type_annotation)? @returns) (generator_function)]) @function
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name value: [(arrow_function return_type: (type_annotation)? @returns) (function_expression return_type: (type_annotation)? @returns)]) @function
[(class_declaration name: (type_identifier) @name) (abstract_class_declaration name: (type_identifier) @name)] @class
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
[(internal_module name: [(identifier) (nested_identifier) (string)] @name) (module name: [(identifier) (nested_identifier) (string)] @name)] @namespace
(statement_block [(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @variable))])
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @variable))

; Imports and exports
(import_require_clause (identifier) @alias source: (string) @module)
(import_alias . (identifier) @target . (_) @value)
(export_statement "=" (_) @default)

; References
(extends_clause value: [(identifier) (member_expression)] @base)
(extends_type_clause type: [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)])
(implements_clause [(type_identifier) @implements (nested_type_identifier) @implements (generic_type name: (_) @implements)])
[(type_identifier) (nested_type_identifier)] @typed
(type_parameter name: (type_identifier) @generic)

; Name bindings
(variable_declarator name: (identifier) @target type: (type_annotation (_) @of))
(variable_declarator name: (identifier) @target value: [(as_expression (_) . (_) @of) (satisfies_expression (_) . (_) @of)])
(assignment_expression left: [(identifier) (member_expression)] @target right: (as_expression (_) . (_) @of))
[(required_parameter pattern: (identifier) @target type: (type_annotation (_) @of)) (optional_parameter pattern: (identifier) @target type: (type_annotation (_) @of))]
(required_parameter pattern: (identifier) @target value: [(identifier) (member_expression) (call_expression) (new_expression)] @value)
(required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @part (pair_pattern key: (property_identifier) @part value: (identifier) @target)]) type: (type_annotation (_) @of))
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @of))
(required_parameter "readonly" pattern: (identifier) @field type: (type_annotation (_) @of))
(public_field_definition name: [(property_identifier) (private_property_identifier)] @target type: (type_annotation (_) @of))
(public_field_definition name: [(property_identifier) (private_property_identifier)] @target value: [(identifier) (member_expression) (call_expression) (new_expression)] @value)
(public_field_definition value: (arrow_function body: [(identifier) (member_expression) (call_expression) (new_expression)] @return))
(property_signature name: (property_identifier) @target type: (type_annotation (_) @of))
(type_parameter name: (type_identifier) @target constraint: (constraint [(type_identifier) (nested_type_identifier) (generic_type)] @value))
