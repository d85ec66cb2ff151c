(package_clause (package_identifier) @package)

; Definitions
(function_declaration name: (identifier) @name) @function
(function_declaration name: (identifier) @name result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns) @function
(function_declaration name: (identifier) @name result: (parameter_list . (parameter_declaration type: (_) @returns))) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @receiver)) name: (field_identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @receiver)) name: (field_identifier) @name result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @receiver)) name: (field_identifier) @name result: (parameter_list . (parameter_declaration type: (_) @returns))) @function
(method_elem name: (field_identifier) @name) @function
(method_elem name: (field_identifier) @name result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns) @function
(method_elem name: (field_identifier) @name result: (parameter_list . (parameter_declaration type: (_) @returns))) @function
(type_spec name: (type_identifier) @name type: (struct_type)) @class
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(source_file (const_declaration (const_spec (identifier) @name) @variable))
(source_file (var_declaration [(var_spec name: (identifier) @name) @variable (var_spec_list (var_spec name: (identifier) @name) @variable)]))
(source_file (var_declaration [(var_spec name: (identifier) @name value: (expression_list . (func_literal) .)) @function (var_spec_list (var_spec name: (identifier) @name value: (expression_list . (func_literal) .)) @function)]))

; Imports
(import_spec name: [(package_identifier) (blank_identifier)]? @alias path: (_) @module)
(import_spec name: (dot) @star path: (_) @module)

; References
(call_expression function: [(identifier) (selector_expression) (call_expression)] @call)
(type_conversion_expression type: (generic_type type: (_) @call))
(composite_literal type: [(type_identifier) @new (qualified_type) @new (generic_type type: (_) @new)])
(field_declaration !name type: [(type_identifier) @base (qualified_type) @base (generic_type type: (_) @base)])
(interface_type (type_elem . [(type_identifier) (qualified_type)] @base .))
[(type_identifier) (qualified_type)] @typed
(type_parameter_declaration name: (identifier) @generic)
(method_declaration receiver: (parameter_list (parameter_declaration type: [(generic_type type_arguments: (type_arguments (type_elem (type_identifier) @generic))) (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @generic))))])))

; Name bindings
(parameter_declaration name: (identifier) @target type: (_) @of)
(field_declaration name: (field_identifier) @target type: (_) @of)
(var_spec name: (identifier) @target type: (_) @of)
(var_spec . name: (identifier) @target value: (expression_list . [(identifier) (selector_expression) (call_expression)] @value))
(var_spec . name: (identifier) @target value: (expression_list . [(composite_literal type: (_) @of) (unary_expression operand: (composite_literal type: (_) @of))]))
(short_var_declaration left: (expression_list . (identifier) @target) right: (expression_list . [(identifier) (selector_expression) (call_expression)] @value))
(short_var_declaration left: (expression_list . (identifier) @target) right: (expression_list . [(composite_literal type: (_) @of) (unary_expression operand: (composite_literal type: (_) @of)) (type_assertion_expression type: (_) @of) (call_expression arguments: (argument_list . [(type_identifier) (qualified_type)] @of))]))
(assignment_statement left: (expression_list . (identifier) @target) right: (expression_list . [(identifier) (selector_expression) (call_expression)] @value))
(assignment_statement left: (expression_list . (identifier) @target) right: (expression_list . [(composite_literal type: (_) @of) (unary_expression operand: (composite_literal type: (_) @of))]))
(type_parameter_declaration name: (identifier) @target type: (type_constraint [(type_identifier) (qualified_type)] @value))
