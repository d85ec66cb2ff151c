; CommonJS exports.
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports) right: (_) @default
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports) right: [(function_expression) (arrow_function)] @function
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports) right: (class) @class
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports) right: (object [(shorthand_property_identifier) @export (pair key: (property_identifier) @alias value: (_) @export) (method_definition name: (property_identifier) @export)])
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports) right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .)) @star
  (#eq? @_module "module") (#eq? @_exports "exports") (#eq? @_require "require")) @reexport
(assignment_expression left: (member_expression object: (identifier) @_exports property: (property_identifier) @alias) right: (_) @export
  (#eq? @_exports "exports"))
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports) property: (property_identifier) @alias) right: (_) @export
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression left: (member_expression object: (identifier) @_exports property: (property_identifier) @name) right: [(function_expression) (arrow_function)]
  (#eq? @_exports "exports")) @function
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports) property: (property_identifier) @name) right: [(function_expression) (arrow_function)]
  (#eq? @_module "module") (#eq? @_exports "exports")) @function
