; Definitions
(function_definition name: (identifier) @name return_type: (type)? @returns) @function
(class_definition name: (identifier) @name) @class
(module (expression_statement (assignment left: (identifier) @name) @variable))
(module (type_alias_statement left: (type (identifier) @name)) @type)

; Imports
(import_statement name: (dotted_name) @module)
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias))
(import_from_statement module_name: (_) @module name: (dotted_name) @symbol)
(import_from_statement module_name: (_) @module name: (aliased_import name: (dotted_name) @symbol alias: (identifier) @alias))
(import_from_statement module_name: (_) @module (wildcard_import) @star)

; References
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @base)))
(call function: [(identifier) (attribute)] @call)
(call function: (call) @call)
(decorator [(identifier) (attribute)] @call)
(type [(identifier) (attribute)] @typed)
(type (generic_type (identifier) @typed))
(type (subscript value: [(identifier) (attribute)] @typed))
(type (binary_operator [(identifier) (attribute)] @typed))

; Name bindings
(assignment left: [(identifier) (attribute)] @target right: [(identifier) (attribute) (call)] @value)
(assignment left: [(identifier) (attribute)] @target type: (type) @of)
(named_expression name: (identifier) @target value: [(identifier) (attribute) (call)] @value)
(typed_parameter (identifier) @target type: (type) @of)
(typed_default_parameter name: (identifier) @target type: (type) @of)
(default_parameter name: (identifier) @target value: [(identifier) (attribute)] @value)
(as_pattern [(identifier) (attribute) (call)] @value alias: (as_pattern_target (identifier) @target))
(return_statement [(identifier) (attribute) (call)] @return)

; Exports
(module (expression_statement (assignment left: (identifier) @_all right: [(list (string (string_content) @export)) (tuple (string (string_content) @export))])
  (#eq? @_all "__all__")))
