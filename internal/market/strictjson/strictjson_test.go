package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, text string
		problem    Problem
		path       string
		line, col  int
	}{
		{"empty", "", BadSyntax, "", 1, 1},
		{"blank", " \n ", BadSyntax, "", 2, 2},
		{"duplicate", "{\"a\":1,\n \"a\":2}", DuplicateName, "a", 2, 2},
		{"duplicate by escape", `{"a":1,"\u0061":2}`, DuplicateName, "a", 1, 8},
		{"duplicate below", `{"x":[0,{"é":{"k":1,"k":1}}]}`, DuplicateName, "x[1].é.k", 1, 21},
		{"trailing", "{} x", TrailingData, "", 1, 4},
		{"trailing comma", "{},", TrailingData, "", 1, 3},
		{"two values", "1 2", TrailingData, "", 1, 3},
		{"second mark", "\xef\xbb\xbf\xef\xbb\xbf{}", BadSyntax, "", 1, 1},
		{"utf-8", "{\"a\":\n\"\xff\"}", BadEncoding, "", 2, 2},
		{"utf-16", "{\x00\"\x00", BadSyntax, "", 1, 2},
		{"half a pair", `["\ud800"]`, BadEncoding, "[0]", 1, 3},
		{"nul", `{"a":{"b\u0000":1}}`, BadName, "a.b", 1, 7},
		{"no string name", `{1:2}`, BadSyntax, "", 1, 2},
		{"single quotes", `{'a':2}`, BadSyntax, "", 1, 2},
		{"cut", `{"a":[1,`, BadSyntax, "a[1]", 1, 9},
		{"comment", "{// x\n}", BadSyntax, "", 1, 2},
		{"number", `[01]`, BadSyntax, "[1]", 1, 3},
		{"nan", `[NaN]`, BadSyntax, "[0]", 1, 2},
		{"deep", strings.Repeat("[", 65) + strings.Repeat("]", 65), TooDeep, strings.Repeat("[0]", 64), 1, 65},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.text), 0)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%v", err)
			}
			got := fmt.Sprint(e.Problem, " ", e.Path, " ", e.Line, ":", e.Column)
			if want := fmt.Sprint(c.problem, " ", c.path, " ", c.line, ":", c.col); got != want {
				t.Fatalf("%s, want %s (%v)", got, want, err)
			}
		})
	}
}

func TestTooManyValues(t *testing.T) {
	_, err := Parse([]byte("["+strings.Repeat("0,", MaxValues)+"0]"), 0)
	var e *Error
	if !errors.As(err, &e) || e.Problem != TooMany {
		t.Fatalf("%v", err)
	}
}

func TestPathIsFitToShow(t *testing.T) {
	_, err := Parse([]byte(`{"`+strings.Repeat("界\u202e\\n", 500)+`":[1,x]}`), 0)
	var e *Error
	if !errors.As(err, &e) || len(e.Path) > pathBytes || strings.ContainsAny(e.Path, "\n\u202e") || !strings.HasPrefix(e.Path, "界界") {
		t.Fatalf("%v", err)
	}
}

func TestParseKeepsSpelling(t *testing.T) {
	v, err := Parse([]byte("\xef\xbb\xbf {\"n\":1.50e+3,\"s\":\"\\u00e9\",\"l\":[true,null,{}]}\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"n": json.Number("1.50e+3"), "s": "é", "l": []any{true, nil, map[string]any{}}}
	if d := cmp.Diff(want, v); d != "" {
		t.Fatal(d)
	}
}

type target struct {
	Name  string          `json:"name"`
	Count int             `json:"count"`
	Any   any             `json:"any"`
	Exact json.Number     `json:"exact"`
	Raw   json.RawMessage `json:"raw"`
	List  []struct {
		On *bool `json:"on"`
	} `json:"list"`
}

func TestDecode(t *testing.T) {
	var got target
	if err := Decode([]byte(`{"name":"n","count":3,"any":{"x":[1.0]},"exact":1.10,"raw":{"b": 1},"list":[{"on":true}]}`), 0, &got, false); err != nil {
		t.Fatal(err)
	}
	on := true
	want := target{
		Name: "n", Count: 3, Any: map[string]any{"x": []any{json.Number("1.0")}}, Exact: "1.10", Raw: json.RawMessage(`{"b": 1}`),
		List: []struct {
			On *bool `json:"on"`
		}{{&on}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	for _, c := range []struct{ name, text, want string }{
		{"unknown", `{"nam":1}`, "unknown_field nam"},
		{"case", `{"Name":"x"}`, "unknown_field Name"},
		{"type", `{"list":[{},{"on":"secret"}]}`, "wrong_type list[1].on"},
		{"range", `{"count":1e99}`, "wrong_type count"},
		{"top", `[]`, "wrong_type "},
		{"duplicate", `{"any":{"a":1,"a":1}}`, "duplicate_name any.a"},
	} {
		var e *Error
		if err := Decode([]byte(c.text), 0, new(target), false); !errors.As(err, &e) || fmt.Sprint(e.Problem, " ", e.Path) != c.want || strings.Contains(e.Error(), "secret") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if err := Decode([]byte(`{"else":1,"name":"x"}`), 0, new(target), true); err != nil {
		t.Error(err)
	}
}

func TestCanonical(t *testing.T) {
	v, err := Parse([]byte(`{"b":[1.0, "<é\u2028/\u0001\n\u007f"], "a":{"z":null,"Z":false}}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Canonical(v)
	if want := "{\"a\":{\"Z\":false,\"z\":null},\"b\":[1.0,\"<é\u2028/\\u0001\\n\u007f\"]}"; err != nil || string(got) != want {
		t.Fatalf("%s %v, want %s", got, err, want)
	}
	if got, err := Canonical(map[string]any{"n": 1, "l": []string{"x"}}); err != nil || string(got) != `{"l":["x"],"n":1}` {
		t.Fatalf("%s %v", got, err)
	}
	for _, bad := range []any{json.Number("x"), json.Number("1 "), json.Number(""), "\xff", map[string]any{"\xff": 1}, make(chan int)} {
		if got, err := Canonical(bad); err == nil {
			t.Errorf("%v gave %s", bad, got)
		}
	}
}

func TestNumbersAreThoseOfJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("0019-+.eE ")), 0, 8, -1).Draw(t, "number")
		if want := json.Valid([]byte(s)) && strings.TrimSpace(s) == s; number(s) != want {
			t.Fatalf("%q: %v", s, !want)
		}
	})
}

// tree draws any value that Parse can give.
func tree(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		top := 7
		if depth == 0 {
			top = 5
		}
		switch rapid.IntRange(0, top).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return json.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number"))
		case 3, 4, 5:
			return rapid.String().Draw(t, "text")
		case 6:
			list := rapid.SliceOfN(tree(depth-1), 0, 4).Draw(t, "list")
			return append([]any{}, list...)
		}
		name := rapid.String().Filter(func(s string) bool { return !strings.Contains(s, "\x00") })
		return rapid.MapOfN(name, tree(depth-1), 0, 4).Draw(t, "object")
	})
}

func TestCanonicalAndParseAreInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := tree(4).Draw(t, "value")
		text, err := Canonical(v)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(text, 0)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(v, back) {
			t.Fatalf("%v became %v", v, back)
		}
		again, err := Canonical(back)
		if err != nil || !bytes.Equal(text, again) {
			t.Fatalf("%s, then %s", text, again)
		}
		if !json.Valid(text) {
			t.Fatalf("%s", text)
		}
	})
}

func TestDuplicatesAtAnyDepthAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-zé界]{1,5}`).Draw(t, "name")
		value, err := Canonical(tree(1).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(`{%q:%s,"-":0,%q:%s}`, name, value, name, value)
		for range rapid.IntRange(0, 40).Draw(t, "depth") {
			if rapid.Bool().Draw(t, "array") {
				text = "[1," + text + "]"
			} else {
				text = `{"k":` + text + `}`
			}
		}
		var e *Error
		if _, err := Parse([]byte(text), 0); !errors.As(err, &e) || e.Problem != DuplicateName {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x",null,true]}`, "\xef\xbb\xbf{}", `{"a":1,"a":2}`, `"\ud83d\ude00"`, `[[[[]]]]`, `{"\u0000":1}`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text, 0)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || len(e.Path) > pathBytes {
				t.Fatalf("%#v", err)
			}
			return
		}
		// What is accepted is JSON for the standard library too, with the same content.
		one, err := Canonical(v)
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
		d.UseNumber()
		var std any
		if err := d.Decode(&std); err != nil {
			t.Fatal(err)
		}
		two, err := Canonical(std)
		if err != nil || !bytes.Equal(one, two) {
			t.Fatalf("%s, the standard library reads %s (%v)", one, two, err)
		}
	})
}
