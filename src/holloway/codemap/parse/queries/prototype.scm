; Methods as JavaScript added them to a class before it had a word for classes.
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @receiver property: (property_identifier) @_prototype) property: (property_identifier) @name) right: [(arrow_function) (function_expression)]
  (#eq? @_prototype "prototype")) @function
