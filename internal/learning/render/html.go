package render

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Elements of HTML that have a place in the tree, under the names they have there. Their attributes are left out.
var (
	inLine = map[string]string{
		"b": "strong", "strong": "strong", "i": "em", "em": "em", "u": "u", "s": "del", "del": "del", "strike": "del", "mark": "mark", "sub": "sub", "sup": "sup",
		"kbd": "kbd", "code": "code", "small": "small",
	}
	inBlock = map[string]string{
		"p": "p", "ul": "ul", "ol": "ol", "li": "li", "blockquote": "blockquote", "table": "table", "tr": "tr", "td": "td", "th": "th", "h1": "h2", "h2": "h2",
		"h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6", "details": "details", "summary": "summary", "dl": "ul", "dt": "li", "dd": "li", "center": "p", "div": "div", "section": "div", "figure": "div", "figcaption": "p",
	}
	// unread are those of which not even the words are shown.
	unread = map[string]bool{
		"script": true, "style": true, "iframe": true, "object": true, "embed": true, "template": true, "noscript": true, "svg": true, "math": true, "head": true,
		"title": true, "textarea": true, "select": true, "noembed": true, "noframes": true, "xmp": true, "plaintext": true, "link": true, "meta": true, "base": true,
	}
)

// longestHTML bounds a block of HTML that is read as such; a longer one is shown as the text that it is.
const longestHTML = 64 << 10

// html gives what a block of HTML shows.
func (w *writer) html(source string) []Node {
	if len(source) > longestHTML {
		return []Node{element("pre", source)}
	}
	list, err := html.ParseFragment(strings.NewReader(source), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return []Node{element("pre", source)}
	}
	var out []Node
	for _, n := range list {
		out = append(out, w.htmlNode(n, 0)...)
	}
	return out
}

func (w *writer) htmlNode(n *html.Node, depth int) []Node {
	if w.left--; w.left < 0 || depth > maxDepth {
		return nil
	}
	switch n.Type {
	case html.TextNode:
		if w.card {
			return scanner{w: w}.scan(n.Data)
		}
		return []Node{n.Data}
	case html.ElementNode:
	default:
		return nil
	}
	if unread[n.Data] || n.Namespace != "" {
		return nil
	}
	switch n.Data {
	case "br", "hr":
		return []Node{element(n.Data)}
	case "img", "audio", "video":
		return []Node{w.htmlPicture(n.Attr)}
	}
	var children []Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		children = append(children, w.htmlNode(c, depth+1)...)
	}
	if w.card && n.Data == "pre" {
		return []Node{element("pre", plain(children))}
	}
	if n.Data == "a" {
		return []Node{w.link(attribute(n.Attr, "href"), children)}
	}
	if tag := inLine[n.Data]; tag != "" {
		return []Node{&Element{Tag: tag, Children: children}}
	}
	if tag := inBlock[n.Data]; tag != "" {
		return []Node{&Element{Tag: tag, Children: children}}
	}
	return children
}

func (w *writer) htmlPicture(list []html.Attribute) Node {
	_, size := sized(attribute(list, "width"))
	return w.picture(attribute(list, "src"), attribute(list, "alt"), size)
}

func attribute(list []html.Attribute, name string) string {
	for _, a := range list {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// longestWords bounds words that further words are added to.
const longestWords = 4096

// openTags puts HTML tags that stand in a line, and what stands between them, together.
type openTags struct {
	list []Node
	open []*Element
	from []string // the tags of open
}

func (t *openTags) add(nodes ...Node) {
	into := &t.list
	if n := len(t.open); n > 0 {
		into = &t.open[n-1].Children
	}
	for _, n := range nodes {
		words, ok := n.(string)
		if !ok {
			*into = append(*into, n)
			continue
		}
		if words == "" {
			continue
		}
		// Words that the parser parted are put together; a line's end stays alone.
		if last := len(*into) - 1; last >= 0 && words != "\n" {
			if before, ok := (*into)[last].(string); ok && before != "\n" && len(before) < longestWords {
				(*into)[last] = before + words
				continue
			}
		}
		*into = append(*into, words)
	}
}

// read takes a tag. Those that are not known are dropped; an end without a beginning as well.
func (t *openTags) read(source string, links Links) {
	z := html.NewTokenizer(strings.NewReader(source))
	kind := z.Next()
	token := z.Token()
	switch {
	case kind == html.ErrorToken:
	case token.Data == "br" && kind != html.EndTagToken:
		t.add(element("br"))
	case token.Data == "img" && kind != html.EndTagToken:
		w := writer{o: Options{Links: links}}
		t.add(w.htmlPicture(token.Attr))
	case inLine[token.Data] == "":
	case kind == html.StartTagToken && len(t.open) < maxDepth/2:
		e := element(inLine[token.Data])
		t.add(e)
		t.open, t.from = append(t.open, e), append(t.from, token.Data)
	case kind == html.EndTagToken:
		for i := len(t.from) - 1; i >= 0; i-- {
			if t.from[i] == token.Data {
				t.open, t.from = t.open[:i], t.from[:i]
				break
			}
		}
	}
}

func (t *openTags) all() []Node { return t.list }
