(package_declaration [(scoped_identifier) (identifier)] @package)

; Definitions. A constructor is a method with the name of its class; an anonymous class is named after its base.
(method_declaration type: (_) @returns name: (identifier) @name) @function
(annotation_type_element_declaration name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @function
(compact_constructor_declaration name: (identifier) @name) @function
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @enum
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(object_creation_expression type: (_) @anonymous (class_body)) @class

; Imports
(import_declaration "static"? @static (scoped_identifier scope: (_) @holder name: (identifier) @symbol) @module . ";")
(import_declaration (_) @module (asterisk) @star)

; References
(method_invocation object: (_)? @holder name: (identifier) @invocation)
(method_reference . (_) . (identifier) .) @call
(explicit_constructor_invocation constructor: (super) @call)
(object_creation_expression type: [(type_identifier) @new (scoped_type_identifier) @new (generic_type . (_) @new)])
(object_creation_expression type: [(type_identifier) @base (scoped_type_identifier) @base (generic_type . (_) @base)] (class_body))
(superclass [(type_identifier) @base (scoped_type_identifier) @base (generic_type . (_) @base)])
(extends_interfaces (type_list [(type_identifier) @base (scoped_type_identifier) @base (generic_type . (_) @base)]))
(super_interfaces (type_list [(type_identifier) @implements (scoped_type_identifier) @implements (generic_type . (_) @implements)]))
[(type_identifier) (scoped_type_identifier)] @typed
[(marker_annotation name: (_) @typed) (annotation name: (_) @typed)]
(type_parameter . (type_identifier) @generic)

; Name bindings
(formal_parameter type: (_) @of name: (identifier) @target)
(field_declaration type: (_) @of declarator: (variable_declarator name: (identifier) @target))
(constant_declaration type: (_) @of declarator: (variable_declarator name: (identifier) @target))
(local_variable_declaration type: (_) @of declarator: (variable_declarator name: (identifier) @target))
(local_variable_declaration type: (type_identifier) @_var declarator: (variable_declarator name: (identifier) @target value: [(identifier) (field_access) (method_invocation)] @value)
  (#eq? @_var "var"))
(local_variable_declaration type: (type_identifier) @_var declarator: (variable_declarator name: (identifier) @target value: [(cast_expression type: (_) @of) (object_creation_expression type: (_) @of)])
  (#eq? @_var "var"))
(enhanced_for_statement type: (_) @of name: (identifier) @target)
(resource type: (_) @of name: (identifier) @target)
(catch_formal_parameter (catch_type . (_) @of) name: (identifier) @target)
(instanceof_expression right: (_) @of name: (identifier) @target)
(type_parameter . (type_identifier) @target (type_bound . [(type_identifier) (scoped_type_identifier)] @value))
(enum_declaration name: (identifier) @of body: (enum_body (enum_constant name: (identifier) @target)))
