; An element with a capital letter is a call of a component.
(jsx_self_closing_element name: [(identifier) (member_expression)] @element)
(jsx_opening_element name: [(identifier) (member_expression)] @element)
