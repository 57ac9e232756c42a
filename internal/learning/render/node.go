package render

import "encoding/json"

// Node is a string, which is text, or an *Element.
type Node any

// Element is a part of a note. As JSON it is an array: the tag, the attributes as an object, the children.
type Element struct {
	Tag      string
	Attr     map[string]string
	Children []Node
}

// MarshalJSON writes ["p", {}, "text", ["em", {}, "more"]].
func (e *Element) MarshalJSON() ([]byte, error) {
	list := make([]any, 0, 2+len(e.Children))
	attr := e.Attr
	if attr == nil {
		attr = map[string]string{}
	}
	list = append(list, e.Tag, attr)
	for _, c := range e.Children {
		list = append(list, c)
	}
	return json.Marshal(list)
}

func element(tag string, children ...Node) *Element { return &Element{Tag: tag, Children: children} }

// with sets an attribute that says something.
func (e *Element) with(name, value string) *Element {
	if value != "" {
		if e.Attr == nil {
			e.Attr = map[string]string{}
		}
		e.Attr[name] = value
	}
	return e
}
