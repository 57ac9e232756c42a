package notes

import "testing"

func TestReadBoxHead(t *testing.T) {
	for line, want := range map[string]BoxHead{
		`!!! Note "Two words"`:             {Name: "note", Title: "Two words"},
		`??? tip`:                          {Name: "tip", Folded: true},
		`???+ tip inline end`:              {Name: "tip"},
		`!!! danger highlight "A"`:         {Name: "danger", Title: "A"},
		`:::note`:                          {Name: "note", Colons: 3},
		`:::: Note[Two Words]`:             {Name: "note", Title: "Two Words", Colons: 4},
		`:::{prf:Theorem} Lagrange`:        {Name: "theorem", Title: "Lagrange", Colons: 3},
		`::: {.theorem title="Two words"}`: {Name: "theorem", Title: "Two words", Colons: 3},
		`:::`:                              {},
		`!!! what a day`:                   {},
		`!!!`:                              {},
		`!!! 3`:                            {},
		`Wow!!! note`:                      {},
	} {
		got, ok := ReadBoxHead(line)
		if got != want || ok != (want.Name != "") {
			t.Errorf("%s: %+v, %v", line, got, ok)
		}
	}
}
