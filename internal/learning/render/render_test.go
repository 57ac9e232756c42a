package render_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/learning/render"
)

type vault struct{}

func (vault) Note(target, alternate string, _ bool) (render.Target, bool) {
	if written[target] != "" {
		return render.Target{DocumentID: target, Title: strings.ToUpper(target)}, true
	}
	for _, name := range []string{target, alternate} {
		if strings.HasPrefix(name, "Ring") {
			return render.Target{DocumentID: "ring", Title: "Ring"}, true
		}
	}
	return render.Target{}, false
}

func (vault) Media(target string) (name, kind string, ok bool) {
	return "vault:" + target, "image/png", strings.HasSuffix(target, ".png")
}

var written = map[string]string{
	"ring": "A ring.\n\n## Ideals\n\nAn *ideal*. [[#Units]] ^def\n\n```\n## no heading\n```\n\n### Prime\n\np\n\n## Units\n\n- one ^first\n- two\n",
	"loop": "again ![[loop]] and ![[pool]]",
	"pool": "![[loop#Head]]",
	"a1":   "![[a2]]", "a2": "![[a3]]", "a3": "![[a4]]", "a4": "![[a5]]", "a5": "the end",
	"huge": strings.Repeat("word ", 60_000),
}

func (v vault) Embed(documentID string) (string, render.Links, bool) {
	text, ok := written[documentID]
	return text, v, ok
}

func tree(t testing.TB, source string, o render.Options) string {
	t.Helper()
	o.Links = vault{}
	body, _ := render.Note(source, o)
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(string(text), ",{}", ""), "["), "]")
}

func TestWhatNotesAreWrittenIn(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"emphasis":              {"a *b* **c** ~~d~~ ==e== `f<`", `["p","a ",["em","b"]," ",["strong","c"]," ",["del","d"]," ",["mark","e"]," ",["code","f\u003c"]]`},
		"a formula":             {"mass $E=mc^2$, 5 $ and 6 $ or $5", `["p","mass ",["math","E=mc^2"],", 5 $ and 6 $ or $5"]`},
		"a formula alone":       {"$$\na_1 * b_2 * c\n- d\n\n= e\n$$\nafter", `["math",{"display":"1"},"a_1 * b_2 * c\n- d\n\n= e"],["p","after"]`},
		"in a line":             {"so $$x^2$$ holds", `["p","so ",["math",{"display":"1"},"x^2"]," holds"]`},
		"prices":                {"It costs $5 and then $10.", `["p","It costs $5 and then $10."]`},
		"a wiki link":           {"[[Ring]] [[Ring#Ideals|ideals]] [[Nowhere]] [[#Here]]", `["p",["a",{"note":"ring"},"Ring"]," ",["a",{"goto":"at-ideals","note":"ring"},"ideals"]," ",["a",{"missing":"Nowhere"},"Nowhere"]," ",["a",{"goto":"at-here"},"Here"]]`},
		"a block":               {"The end. ^last-1\n\n[[Ring#^last-1]]", `["p",{"id":"at-^last-1"},"The end."],["p",["a",{"goto":"at-^last-1","note":"ring"},"Ring › last-1"]]`},
		"an embed":              {"![[pic.png|300]] ![[Ring]] ![[gone.pdf]]", `["p",["media",{"kind":"image/png","name":"vault:pic.png","width":"300"}]," ",["embed",{"note":"ring","title":"Ring"},["p","A ring."],["h2","Ideals"],["p","An ",["em","ideal"],". ",["a",{"goto":"at-units","note":"ring"},"Units"],""],["pre","## no heading\n"],["h3","Prime"],["p","p"],["h2","Units"],["ul",["li","one"],["li","two"]]]," ",["absent",{"missing":"gone.pdf"},"gone.pdf"]]`},
		"a picture":             {"![two words|40](sub%20dir/a.png)", `["p",["media",{"alt":"two words","kind":"image/png","name":"vault:sub dir/a.png","width":"40"}]]`},
		"of elsewhere":          {"![x](https://a.example/p.png)", `["p",["a",{"href":"https://a.example/p.png"},"x"]]`},
		"a callout":             {"> [!Warning]- Take *care*\n> of $x$\n>\n> - it", `["callout",{"fold":"-","type":"warning"},["title","Take ",["em","care"]],["p","of ",["math","x"]],["ul",["li","it"]]]`},
		"a box of MkDocs":       {"!!! Note \"Sets, $x$\"\n\n    One.\n\n    - two\n\nAfter.", `["callout",{"type":"note"},["title","Sets, $x$"],["p","One."],["ul",["li","two"]]],["p","After."]`},
		"a folded box":          {"Before\n??? tip\n\tOne.\n\nAfter.", `["p","Before"],["callout",{"fold":"-","type":"tip"},["title"],["p","One."]],["p","After."]`},
		"no box":                {"!!! what a day\n\n!!! note\n\nx", `["p","!!! what a day"],["p","!!! note"],["p","x"]`},
		"a box in a box":        {":::theorem Lagrange\nOne.\n::: {.note}\nTwo.\n:::\nThree.\n:::\nAfter.", `["callout",{"type":"theorem"},["title","Lagrange"],["p","One."],["callout",{"type":"note"},["title"],["p","Two."]],["p","Three."]],["p","After."]`},
		"macros":                {"$$\n\\newcommand{\\R}{\\mathbb{R}}\n\\def\\set#1{\\{#1\\}}\n$$\n$\\R$ and\n\n$$\\set{\\R}$$", `["p",["math","\\mathbb{R}"]," and"],["math",{"display":"1"},"\\{\\mathbb{R}\\}"]`},
		"a fenced box":          {"```ad-Definition\ntitle: Ring.\ncollapse: closed\n\nA **ring** $R$ is\n* one\n```\nAfter.", `["callout",{"fold":"-","type":"definition"},["title","Ring."],["p","A ",["strong","ring"]," ",["math","R"]," is"],["ul",["li","one"]]],["p","After."]`},
		"a fenced box unfolded": {"```ad-note\ncollapse: none\nOne.\n```", `["callout",{"type":"note"},["title"],["p","One."]]`},
		"a box of MyST":         {"~~~{prf:theorem} Lagrange\n:label: x\nOne.\n```go\nx\n```\n~~~", `["callout",{"type":"theorem"},["title","Lagrange"],["p","One."],["pre",{"language":"go"},"x\n"]]`},
		"code is no box":        {"```{python}\nx\n```", `["pre",{"language":"python"},"x\n"]`},
		"a box that is open":    {"::::note[Sets]\nOne.", `["callout",{"type":"note"},["title","Sets"],["p","One."]]`},
		"a quotation":           {"> [link] only", `["blockquote",["p","[link] only"]]`},
		"tasks":                 {"- [x] done\n- [ ] open", `["ul",["li",["task",{"checked":"1"}],"done"],["li",["task"],"open"]]`},
		"a table":               {"| a | b |\n|---|--:|\n| [[Ring\\|r]] | $x$ |", `["table",["tr",["th","a"],["th",{"align":"right"},"b"]],["tr",["td",["a",{"note":"ring"},"r"]],["td",{"align":"right"},["math","x"]]]]`},
		"a footnote":            {"a[^1]\n\n[^1]: why", `["p","a",["sup",["a",{"goto":"fn-1"},"1"]]],["footnotes",["li",{"id":"fn-1"},["p","why"]]]`},
		"code":                  {"```Go\nif a < b {}\n```\n", `["pre",{"language":"go"},"if a \u003c b {}\n"]`},
		"comments":              {"a %%b%% c\n\n%%\nd\n\ne\n%%\nf", `["p","a  c"],["p","f"]`},
		"a heading":             {"## Two *words*\n", `["h2",{"id":"at-two-words"},"Two ",["em","words"]]`},
		"without a blank":       {"one\n##C# *words*\r\ntwo #tag", `["p","one"],["h2",{"id":"at-c--words"},"C# ",["em","words"]],["p","two #tag"]`},
		"a tag":                 {"#tag", `["p","#tag"]`},
		"HTML":                  {"H<sub>2</sub>O<br>x<blink>y</blink>\n\n<details><summary>s</summary><p onclick=x>t</p></details>", `["p","H",["sub","2"],"O",["br"],"xy"],["details",["summary","s"],["p","t"]]`},
		"Chinese":               {"**定义**：若 $x$，见[[Ring|环]]。", `["p",["strong","定义"],"：若 ",["math","x"],"，见",["a",{"note":"ring"},"环"],"。"]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tree(t, c.source, render.Options{}); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestEvidenceIsMarked(t *testing.T) {
	source := "First. A ring is *a set* with $+$. Last."
	start := strings.Index(source, "A ring")
	got := tree(t, source, render.Options{MarkStart: start, MarkEnd: strings.Index(source, " Last")})
	want := `["p","First. ",["evidence","A ring is "],["em",["evidence","a set"]],["evidence"," with "],["math",{"marked":"1"},"+"],["evidence","."]," Last."]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What may be in a tree.
var (
	tags = strings.Fields("p div h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del mark sub sup u kbd small br hr table tr th td a span media absent task math callout title footnotes evidence details summary")
	attr = strings.Fields("id goto href note missing media kind name alt width language display marked type fold checked align start embed")
)

// safe fails on anything in a tree that could run or load something.
func safe(t rapid.TB, list []render.Node, depth int) (count int) {
	if depth > 200 {
		t.Fatal("too deep")
	}
	for _, n := range list {
		count++
		e, ok := n.(*render.Element)
		if !ok {
			continue
		}
		if !slices.Contains(tags, e.Tag) {
			t.Fatalf("an element %q", e.Tag)
		}
		for name, value := range e.Attr {
			if !slices.Contains(attr, name) {
				t.Fatalf("an attribute %q", name)
			}
			if name == "href" && !strings.HasPrefix(value, "https://") && !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "mailto:") {
				t.Fatalf("a link to %q", value)
			}
			if name == "id" && !strings.HasPrefix(value, "at-") && !strings.HasPrefix(value, "fn-") {
				t.Fatalf("an id %q", value)
			}
		}
		count += safe(t, e.Children, depth+1)
	}
	return count
}

// Ways into a page that hostile notes try.
var hostile = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<svg><script>alert(1)</script></svg>", "<iframe src=javascript:alert(1)>",
	"[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](&#106;avascript:alert(1))", "[a](java\tscript:alert(1))", "[a](data:text/html,<script>alert(1)</script>)",
	"[a](vbscript:x)", "![a](javascript:alert(1))", "<javascript:alert(1)>", "[a]: javascript:alert(1)\n\n[a]", "[[javascript:alert(1)]]", "![[javascript:alert(1)]]",
	"<a href=\"javascript:alert(1)\">x</a>", "<div><a href=' javascript:alert(1)'>x</a></div>", "<div style=\"background:url(javascript:alert(1))\">x</div>",
	"<form action=javascript:alert(1)><input type=submit></form>", "<object data=javascript:alert(1)></object>", "<embed src=x>", "<base href=//evil.example>",
	"<meta http-equiv=refresh content='0;url=javascript:alert(1)'>", "<link rel=stylesheet href=//evil.example>", "<style>*{background:url(//evil.example)}</style>",
	"<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
	"<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\"></noscript>", "<template><img src=x onerror=alert(1)></template>", "<details open ontoggle=alert(1)>x</details>",
	"<video><source onerror=alert(1)></video>", "<div id=app></div>", "<a id=document name=body>x</a>", "# <img src=x onerror=alert(1)>", "> [!<script>alert(1)</script>] x",
	"> [!note] <img src=x onerror=alert(1)>", "```\"><script>alert(1)</script>\nx\n```", "$\\href{javascript:alert(1)}{x}$", "$$\\includegraphics{//evil.example/x.png}$$", "[^<script>]\n\n[^<script>]: <script>alert(1)</script>",
	"| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |", "<p onmouseover=alert(1)>x", "<b onclick=alert(1)>x</b>", "a <b onclick=alert(1)>x</b>", "<!--><script>alert(1)</script>-->", "<![CDATA[<script>alert(1)</script>]]>",
	"<?xml-stylesheet href=\"javascript:alert(1)\"?>", "[a](//evil.example/x)", "[a](\\\\evil.example/x)", "[a](file:///etc/passwd)", "![a](//evil.example/x.png)", "http://a.example/\"onmouseover=alert(1)", "[a](http:javascript:alert(1))",
	"[a](https:/evil)", "<http://a.example/`onclick=x>", "a\x00b <scr\x00ipt>alert(1)</script>", "\xff\xfe<script>",
}

func TestHostileNotesAddNothing(t *testing.T) {
	for _, source := range hostile {
		for _, around := range []string{"%s", "a %s b", "- %s", "> %s", "| a |\n|-|\n| %s |", "# %s", "**%s**", "<div>\n%s\n</div>"} {
			body, _ := render.Note(fmt.Sprintf(around, source), render.Options{Links: vault{}})
			safe(t, body, 0)
		}
	}
}

func TestAnyTextGivesASafeTree(t *testing.T) {
	pieces := append([]string{"\n", "\n\n", " ", "    ", "> ", "- ", "1. ", "# ", "|", "---", "```", "$", "$$", "%%", "==", "**", "_", "[", "]", "[[", "]]", "![", "(", ")", "<", ">", "</", "<b>", "</b>", "<div>", "</div>", "[!note]", "[^1]", "[^1]:", ":", "^a", "word", "字", "\\", "&lt;", "`"}, hostile...)
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
		start := rapid.IntRange(0, len(source)).Draw(t, "start")
		body, _ := render.Note(source, render.Options{Links: vault{}, MarkStart: start, MarkEnd: start + 20})
		safe(t, body, 0)
		if _, err := json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	})
}

// Notes that are made to take long give a tree within its bounds, in seconds at most. (31 s before signs of emphasis were
// bounded.)
func TestNotesThatAreMadeToTakeLong(t *testing.T) {
	for name, piece := range map[string]string{
		"links": "[[Ring]] ", "web links": "[a](https://a.example) ", "brackets": "[", "closing": "]", "bangs": "![", "wiki": "[[", "stars": "*a ", "both": "**a_", "dollars": "$a ", "pairs": "$$ ",
		"percent": "%%", "ticks": "`a", "quotes": "> ", "items": "- ", "angles": "<a ", "comments": "<!-- ", "cells": "|", "rows": "|a|\n", "feet": "[^1]", "notes": "[^a]: x\n\n", "marks": "==a",
		"tags": "<b>", "divs": "<div>\n\n", "html": "<div><p>", "entities": "&amp;", "escapes": "\\*", "at": "a@b.c ", "www": "www.a.b ", "underline": "a\n=\n", "lines": "a\n", "fences": "```\n", "formulas": "$x$ ", "refs": "[a]: b\n", "http": "http://a", "callouts": "> [!a]\n", "boxes": ":::a\n", "closed boxes": ":::a\n:::\n", "fenced boxes": "```ad-a\n", "closed fenced boxes": "```ad-a\nx\n```\n", "boxes of MkDocs": "!!! a\n    b\n", "empty boxes": "!!! a\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			body, cut := render.Note(strings.Repeat(piece, render.MaxBytes/2/len(piece)), render.Options{Links: vault{}})
			took := time.Since(began)
			if n := safe(t, body, 0); n > 3*render.MaxNodes || n > 2*render.MaxNodes && !cut {
				t.Errorf("%d nodes, cut: %v", n, cut)
			}
			if took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// asJSON writes trees as the tests of notes do.
func asJSON(t testing.TB, body []render.Node) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), ",{}", "")
}

func TestTextsOfQuestions(t *testing.T) {
	o := render.Options{Links: vault{}}
	for name, c := range map[string]struct{ got, want string }{
		"a plain text":       {asJSON(t, render.Text("a * b * c _d_ [x](y) <b>\nso $x_1$ and `y`", o)), `[["p","a * b * c _d_ [x](y) \u003cb\u003e\nso ",["math","x_1"]," and ",["code","y"]]]`},
		"its prices":         {asJSON(t, render.Text("$5 and $10", o)), `[["p","$5 and $10"]]`},
		"its code":           {asJSON(t, render.Text("What?\n```go\nprint(1)\n```", o)), `[["p","What?\n",["pre",{"language":"go"},"print(1)\n"]]]`},
		"all signs":          {asJSON(t, render.Text(`\(a\) \[b\] [$]c[/$] [$$]d[/$$] [latex]e $f$[/latex] [latex]\begin{align*}g\end{align*}[/latex] $$h$$`, o)), `[["p",["math","a"]," ",["math",{"display":"1"},"b"]," ",["math","c"]," ",["math",{"display":"1"},"d"]," ","e ",["math","f"]," ",["math",{"display":"1"},"\\begin{align*}g\\end{align*}"]," ",["math",{"display":"1"},"h"]]]`},
		"its files":          {asJSON(t, render.Text("see ![](<a b.png>)", o)), `[["p","see ",["media",{"kind":"image/png","name":"vault:a b.png"}]]]`},
		"a blank in it":      {asJSON(t, render.Text("$x = ____$ ____", o)), `[["p",["math","x = \\underline{\\hspace{2em}}"]," ____"]]`},
		"Markdown":           {asJSON(t, render.Markdown("**a** ____ and $y^____$ ____", o)), `[["p",["strong","a"]," ____ and ",["math","y^\\underline{\\hspace{2em}}"]," ____"]]`},
		"a blank alone":      {asJSON(t, render.Markdown("____", o)), `[["p","____"]]`},
		"a card":             {asJSON(t, render.Card(`<b>a</b> costs $5<br>\(x &lt; <b>y</b>\) <img src="r.png" onerror="x()"><script>evil()</script> [sound:s.png]`, o)), `[["div",["strong","a"]," costs $5",["br"],["math","x \u003c  y"]," ",["media",{"kind":"image/png","name":"vault:r.png"}]," ",["media",{"kind":"image/png","name":"vault:s.png"}]]]`},
		"code of a card":     {asJSON(t, render.Card("<pre>a\n  <i>b</i></pre>", o)), `[["div",["pre","a\n  b"]]]`},
		"nothing":            {asJSON(t, render.Text("", o)), `[]`},
		"brackets in a note": {tree(t, `\(x^2\) \(see below\) \(a\) \[1\] \[a+b\]`, render.Options{}), `["p",["math","x^2"]," (see below) ",["math","a"]," [1] ",["math",{"display":"1"},"a+b"]]`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, c.got, c.want)
		}
	}
}

// Whatever the text is, the tree of a question is made, and has no more nodes than its bounds allow.
func TestTextsOfQuestionsAreBounded(t *testing.T) {
	o := render.Options{Links: vault{}}
	for name, source := range map[string]string{
		"marks that never end": strings.Repeat("$`\\([$][latex]![](<", 20_000), "formulas": strings.Repeat("$x$ ", 60_000), "tags": strings.Repeat("<b>", 60_000),
	} {
		for _, show := range []func(string, render.Options) []render.Node{render.Text, render.Markdown, render.Card} {
			if size := len(asJSON(t, show(source, o))); size > 1<<20 {
				t.Errorf("%s: %d bytes", name, size)
			}
		}
	}
}

func TestNotesWithinNotes(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"a section":        {"![[ring#Ideals]]", `["embed",{"goto":"at-ideals","note":"ring","title":"RING"},["h2","Ideals"],["p","An ",["em","ideal"],". ",["a",{"goto":"at-units","note":"ring"},"Units"],""],["pre","## no heading\n"],["h3","Prime"],["p","p"]]`},
		"a block":          {"![[ring#^def]]", `["embed",{"goto":"at-^def","note":"ring","title":"RING"},["p","An ",["em","ideal"],". ",["a",{"goto":"at-units","note":"ring"},"Units"],""]]`},
		"an item":          {"![[ring#^first]]", `["embed",{"goto":"at-^first","note":"ring","title":"RING"},["ul",["li","one"]]]`},
		"no such section":  {"![[ring#Fields]]", `["p",["a",{"goto":"at-fields","note":"ring","title":"RING"},"ring › Fields"]]`},
		"itself":           {"![[here]]", `["p",["a",{"missing":"here"},"here"]]`},
		"a circle":         {"![[loop]]", `["embed",{"note":"loop","title":"LOOP"},["p","again ",["embed",{"note":"loop","title":"LOOP","why":"cycle"}]," and ",["embed",{"note":"pool","title":"POOL"},["embed",{"goto":"at-head","note":"loop","title":"LOOP","why":"cycle"}]]]]`},
		"too deep":         {"![[a1]]", `["embed",{"note":"a1","title":"A1"},["embed",{"note":"a2","title":"A2"},["embed",{"note":"a3","title":"A3"},["embed",{"note":"a4","title":"A4"},["embed",{"note":"a5","title":"A5","why":"bounds"}]]]]]`},
		"too long":         {"![[huge]]", `["embed",{"note":"huge","title":"HUGE","why":"bounds"}]`},
		"in its own words": {"see ![[ring#^first]] there", `["p","see ",["embed",{"goto":"at-^first","note":"ring","title":"RING"},["ul",["li","one"]]]," there"]`},
	} {
		if got := tree(t, c.source, render.Options{DocumentID: "me"}); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
	if got := tree(t, "![[a5]]", render.Options{DocumentID: "a5"}); got != `["embed",{"note":"a5","title":"A5","why":"cycle"}]` {
		t.Errorf("a note in itself: %s", got)
	}
}
