package notes

import "testing"

func TestTitleOfAFile(t *testing.T) {
	for _, c := range []struct{ path, content, title, name string }{
		{"10 - TCP.md", "# introduzione\ntext\n# header\ntext", "TCP", "10 - TCP"},
		{"SQL.md", "# DBMS\ntext", "SQL", "DBMS"},
		{"10, 11 - password, buffer overflow.md", "# password\na\n# buffer\nb", "password, buffer overflow", "10, 11 - password, buffer overflow"},
		{"chapter/attention-cues.md", "# Attention Cues\n:label:`sec`\ntext", "Attention Cues", "attention-cues"},
		{"chapter/index.md", "# Attention\ntext", "Attention", "index"},
		{"202301011200.md", "# Groups act\ntext", "Groups act", "202301011200"},
		{"202301011200 Groups act.md", "text", "Groups act", "202301011200 Groups act"},
		{"3D rendering.md", "text", "3D rendering", ""},
		{"2-SAT.md", "text", "2-SAT", ""},
		{"01 Sets.md", "text", "Sets", "01 Sets"},
		{"Group.md", "# Group (mathematics)\ntext", "Group (mathematics)", "Group"},
		{"Rings.md", "# Rings\ntext\n# More\ntext", "Rings", ""},
		{"Chapter4.md", "# Elasticity\ntext", "Elasticity", "Chapter4"},
		{"Notes 2.md", "# Elasticity\ntext", "Elasticity", "Notes 2"},
		{"Some_Definitions.md", "# Complex numbers as matrices\ntext", "Complex numbers as matrices", "Some_Definitions"},
		{"Session 3.md", "# Elasticity\ntext", "Elasticity", "Session 3"},
		{"Weekdays.md", "# Elasticity\ntext", "Weekdays", "Elasticity"},
		{"光合作用.md", "# 简介\n正文", "光合作用", ""},
	} {
		d := Parse(Source{Path: c.path, Content: c.content})
		if d.Title != c.title {
			t.Errorf("%s: title %q, want %q", c.path, d.Title, c.title)
		}
		found := c.name == ""
		for _, n := range d.Names {
			found = found || n == c.name
		}
		if !found {
			t.Errorf("%s: names %q lack %q", c.path, d.Names, c.name)
		}
	}
	d := Parse(Source{Path: "10 - TCP.md", Content: "# introduzione\ntext\n# header\nmore"})
	if len(d.Atoms) != 3 || d.Atoms[1].Title != "introduzione" || d.Atoms[1].Content != "text" {
		t.Errorf("the first of several sections of the first level is a section: %+v", d.Atoms)
	}
}

// Marks around the whole of a heading are no part of its title, nor are stray ones at its ends; those of a part of it stay in pairs.
func TestTitlesKeepTheirMarksInPairs(t *testing.T) {
	for heading, want := range map[string]string{
		"`go build` and caches":                    "`go build` and caches",
		"[Law](https://example.org/law_(x)) of it": "Law of it",
		"Nerves <br>":                              "Nerves",
		"Nerves<br/>and <b>H</b>2":                 "Nerves and H2",
		"A Vector<int> in <a id=x></a>Go":          "A Vector<int> in Go",
		"Caches of `go build`":                     "Caches of `go build`",
		"`go build` and `go test`":                 "`go build` and `go test`",
		"`go build`":                               "go build",
		"**Caches of `go build`**":                 "Caches of `go build`",
		"**`go build`**":                           "go build",
		"*Caches*":                                 "Caches",
		"**Caches** of the compiler":               "**Caches** of the compiler",
		"Caches**":                                 "Caches",
		"`Caches":                                  "Caches",
		"_private_name":                            "_private_name",
		"`.splice()` 接收参数与返回值":                     "`.splice()` 接收参数与返回值",
		"** **":                                    "",
	} {
		d := Parse(Source{Path: "Go.md", Content: "text\n\n## " + heading + "\nmore"})
		if len(d.Atoms) != 2 || d.Atoms[1].Title != want {
			t.Errorf("%q: %q, want %q", heading, d.Atoms[len(d.Atoms)-1].Title, want)
		}
	}
}
