; JavaScript only, in addition to ecmascript.scm.
(function_declaration name: (identifier) @name) @function
(class_declaration name: (identifier) @name) @class
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(field_definition property: [(property_identifier) (private_property_identifier)] @name value: [(arrow_function) (function_expression)]) @function
(class_heritage [(identifier) (member_expression)] @base)
(field_definition property: [(property_identifier) (private_property_identifier)] @target value: [(identifier) (member_expression) (call_expression) (new_expression)] @value)
(field_definition value: (arrow_function body: [(identifier) (member_expression) (call_expression) (new_expression)] @return))
(assignment_pattern left: (identifier) @target right: [(identifier) (member_expression) (call_expression) (new_expression)] @value)
