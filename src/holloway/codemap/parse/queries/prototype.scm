; Methods that are assigned to a prototype.
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @receiver property: (property_identifier) @_prototype) property: (property_identifier) @name) right: [(arrow_function) (function_expression)]
  (#eq? @_prototype "prototype")) @function
