; Shared by JavaScript and TypeScript.

; Definitions
(method_definition name: [(property_identifier) (private_property_identifier) (string)] @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(variable_declarator value: (object (pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression)]) @function))
(assignment_expression right: (object (pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression)]) @function))
(export_statement value: (object (pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression)]) @function))
(export_statement value: [(arrow_function) (function_expression) (generator_function)] @function)
(export_statement value: (class) @class)
(program [(lexical_declaration (variable_declarator name: (identifier) @name) @variable) (variable_declaration (variable_declarator name: (identifier) @name) @variable)])
(program (export_statement declaration: [(lexical_declaration (variable_declarator name: (identifier) @name) @variable) (variable_declaration (variable_declarator name: (identifier) @name) @variable)]))
(program (lexical_declaration (variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @name @variable (pair_pattern value: (identifier) @name @variable)]))))
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @name @variable (pair_pattern value: (identifier) @name @variable)])))))
(assignment_expression left: (member_expression object: [(identifier) (this)] @receiver property: (property_identifier) @name) right: [(arrow_function) (function_expression)]
  (#not-eq? @receiver "module") (#not-eq? @receiver "exports")) @function
[(arrow_function) (function_expression)] @unnamed

; Imports
(import_statement source: (string) @module)
(import_statement (import_clause (identifier) @alias) source: (string) @module) @main
(import_statement (import_clause (named_imports (import_specifier name: _ @symbol alias: (identifier)? @alias))) source: (string) @module)
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @module)
(call_expression function: (import) arguments: (arguments . (string) @module))
(variable_declarator name: (identifier) @alias value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @module))))
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @symbol (pair_pattern key: (property_identifier) @symbol value: (identifier) @alias)]) value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @module))))

; Exports
(export_statement (export_clause (export_specifier name: _ @symbol alias: _? @alias)) source: (string) @module) @reexport
(export_statement "*" @star source: (string) @module) @reexport
(export_statement (namespace_export (_) @alias) source: (string) @module) @reexport
(export_statement !source (export_clause (export_specifier name: _ @export alias: _? @alias)))
(export_statement "default"? @default declaration: (_) @offered)
(export_statement value: (_) @default)

; References
(call_expression function: [(identifier) (member_expression) (call_expression) (super)] @call)
(new_expression constructor: [(identifier) (member_expression)] @new)
(decorator [(identifier) (member_expression)] @call)

; Name bindings
(variable_declarator name: (identifier) @target value: [(identifier) (member_expression) (call_expression) (new_expression) (await_expression) (this)] @value)
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @part (pair_pattern key: (property_identifier) @part value: (identifier) @target)]) value: [(identifier) (member_expression) (call_expression) (await_expression) (this)] @value)
(assignment_expression left: [(identifier) (member_expression)] @target right: [(identifier) (member_expression) (call_expression) (new_expression) (await_expression)] @value)
(return_statement [(identifier) (member_expression) (call_expression) (new_expression) (await_expression) (this)] @return)
(variable_declarator value: (arrow_function body: [(identifier) (member_expression) (call_expression) (new_expression)] @return))
