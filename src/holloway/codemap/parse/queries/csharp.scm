[(file_scoped_namespace_declaration name: (_) @package) (namespace_declaration name: (_) @package)]

; Definitions. A constructor is a method with the name of its class.
(method_declaration returns: (_) @returns name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @function
(local_function_statement name: (identifier) @name) @function
(property_declaration name: (identifier) @name) @function
(class_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(delegate_declaration name: (identifier) @name) @type

; Imports
(using_directive !name [(identifier) (qualified_name)] @module) @star
(using_directive name: (identifier) @alias (_) @module .)

; References
(base_list [(identifier) (qualified_name) (generic_name)] @base)
