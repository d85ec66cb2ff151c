; An element with a capital letter is a component that is called.
(jsx_self_closing_element name: [(identifier) (member_expression)] @element)
(jsx_opening_element name: [(identifier) (member_expression)] @element)
