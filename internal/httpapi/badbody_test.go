package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// unharmed runs bad requests and fails when any of them has changed a row.
func unharmed(t *testing.T, s *apitest.Server, f func()) {
	t.Helper()
	before := s.Rows(t)
	f()
	if after := s.Rows(t); after != before {
		t.Errorf("bad requests changed rows:\n%s", firstDifference(before, after))
	}
}

func firstDifference(before, after string) string {
	was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i, line := range is {
		if i >= len(was) || was[i] != line {
			return line
		}
	}
	return "rows are gone"
}

func withBody() (ops []apitest.Operation) {
	for _, op := range apitest.Operations() {
		if op.Body != nil {
			ops = append(ops, op)
		}
	}
	return ops
}

func TestBodiesThatAreNoJSONObject(t *testing.T) {
	bodies := []string{
		`{`, `{"a":`, `{"a":1,}`, `{'a':1}`, `nonsense`, `{}{}`, `{} x`, `[]`, `[{}]`, `"text"`, `42`, `true`, `null`, "\x00", "{\"a\":\"\xff\"}", "\xef\xbb\xbf{}",
		`{"a":"` + "\n" + `"}`, strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 20_000), `{"limit":1e999}`,
	}
	apitest.Each(t, apitest.Options{SignupOpen: true}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		unharmed(t, s, func() {
			for _, op := range withBody() {
				for _, body := range bodies {
					if r := ada.Do(op.Method, op.Path, []byte(body)); r.Status != 400 || r.Code() != "invalid_json" {
						t.Errorf("%s with %.40q: %d %s", op.ID, body, r.Status, r.Body)
					}
				}
			}
		})
	})
}

func TestContentTypes(t *testing.T) {
	apitest.Each(t, apitest.Options{SignupOpen: true}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		unharmed(t, s, func() {
			for _, op := range withBody() {
				for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=latin1", "application/xml", "json", ";;"} {
					ada.With("Content-Type", kind).Do(op.Method, op.Path, mustJSON(input(op))).Want(t, 415, "unsupported_content_type")
				}
			}
		})
		for _, kind := range []string{"application/json", "application/json; charset=UTF-8", "Application/JSON", "application/merge-patch+json"} {
			ada.With("Content-Type", kind).Do("POST", "/api/preferences/mode", []byte(`{"mode":"inline_execution"}`)).OK(t)
		}
	})
}

// misfits are values that a schema does not take, by what is wrong with them.
func misfits(schema m) map[string]any {
	out := map[string]any{}
	kind, _ := schema["type"].(string)
	if kind == "" {
		return out // several kinds, or any
	}
	for name, v := range map[string]any{"string": "some text", "integer": 7, "number": 1.5, "boolean": true, "array": []any{"x"}, "object": m{"x": 1}} {
		if name != kind {
			out["a "+name] = v
		}
	}
	if kind != "string" || schema["enum"] != nil {
		out["an empty text"] = ""
	}
	switch kind {
	case "string":
		out["a NUL"] = "a\x00b"
		if limit, ok := schema["maxLength"].(int); ok {
			out["too long"] = strings.Repeat("é", limit+1)
		}
		if schema["pattern"] != nil {
			out["a line feed"], out["a DEL"], out["an escape"] = "a\nb", "a\x7fb", "a\x1b[2Jb"
		}
		if schema["enum"] != nil {
			out["an unknown word"] = "no-such-word"
		}
	case "integer":
		bounds(schema, out)
		delete(out, "an integer")
	case "number":
		bounds(schema, out)
		delete(out, "a integer")
	case "array":
		if items, ok := schema["items"].(m); ok && (items["type"] == "integer" || items["type"] == "number") {
			out["a list of texts"] = []any{"one"}
		} else {
			out["a list of numbers"] = []any{1}
		}
		out["a list with NUL"], out["a long list"] = []any{"a\x00"}, make([]any, 300)
	}
	return out
}

// bounds adds what lies just outside of what a schema of numbers takes.
func bounds(schema m, out map[string]any) {
	if least, ok := schema["minimum"].(int); ok {
		out["too small"] = least - 1
	}
	if most, ok := schema["maximum"].(int); ok {
		out["too large"] = most + 1
	}
}

// namesField tells whether an answer names a field or a part of it.
func namesField(r *apitest.Reply, field string) bool {
	return slices.ContainsFunc(r.All("error.details", "field"), func(f string) bool {
		return f == field || strings.HasPrefix(f, field+"[") || strings.HasPrefix(f, field+".")
	})
}

func TestPropertiesOfTheWrongKind(t *testing.T) {
	heavy(t)
	apitest.Each(t, apitest.Options{SignupOpen: true}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		tried := 0
		unharmed(t, s, func() {
			for _, op := range withBody() {
				for _, p := range op.Properties() {
					for _, name := range p.Names() {
						tried += misfit(t, ada, op, p, func(v any) m { return m{name: v} })
					}
					nested := apitest.Operation{Body: p.Schema}
					for _, q := range nested.Properties() {
						q.Name, q.Aliases = p.Name+"."+q.Name, nil
						tried += misfit(t, ada, op, q, func(v any) m { return m{p.Name: m{q.Name[len(p.Name)+1:]: v}} })
					}
				}
			}
		})
		if tried < 300 {
			t.Errorf("only %d values were tried", tried)
		}
	})
}

// misfit sends every value that p does not take and expects to be told so, by p's own name.
func misfit(t *testing.T, c *apitest.Client, op apitest.Operation, p apitest.Param, in func(any) m) int {
	t.Helper()
	all := misfits(p.Schema)
	if op.Streamed == p.Name {
		delete(all, "a NUL") // a text of any kind is taken for a file that is not base64: 400, see the uploads
	}
	for what, v := range all {
		values := input(op)
		delete(values, p.Name)
		delete(values, op.Streamed) // with a file on its way the refusal is a failed transfer, see the uploads
		maps.Copy(values, in(v))
		r := c.Do(op.Method, op.Path, mustJSON(values))
		if r.Status != 422 || r.Code() != "invalid_request" || !namesField(r, p.Name) {
			t.Errorf("%s with %s in %s: %d %s", op.ID, what, p.Name, r.Status, r.Body)
		}
	}
	return len(all)
}

// What the contract does not name is ignored, whatever it is; null says nothing.
func TestUnknownFieldsAreIgnored(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for name, v := range (m{"surplus": m{"a": []any{1}}, "LIMIT": -5, "Limit": "x", "CURSOR": "a\x00b", "User_ID": "bob", "\x00": 1, "": 1, "cursor": nil, "user_id": nil, "limit": nil}) {
			r := ada.Post("/api/member/tasks/refresh", m{name: v}).OK(t)
			if r.Str("data.user_id") != "ada" {
				t.Errorf("with %q: acted as %q", name, r.Str("data.user_id"))
			}
		}
		r := ada.Post("/api/templates/install", m{"template_id": translator, "install_options": m{"PREFLIGHT": true, "Source_Preference": "x\x00", "surplus": 1}}).OK(t)
		if r.Str("data.status") != "installed" {
			t.Errorf("status %q: an unknown option was taken for a known one", r.Str("data.status"))
		}
	})
}

func TestBodiesThatAreTooLarge(t *testing.T) {
	body := func(mib int) []byte { return []byte(`{"surplus":"` + strings.Repeat("x", mib<<20) + `"}`) }
	usual := body(3)
	apitest.Each(t, apitest.Options{SignupOpen: true}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		unharmed(t, s, func() {
			for _, op := range withBody() {
				large, most := usual, 1<<20
				if strings.HasPrefix(op.Path, "/api/knowledge/") && op.Streamed == "" {
					most = 512 << 10
				}
				if op.MostMiB > 0 {
					large, most = body(op.MostMiB+1), op.MostMiB<<20
				}
				r := ada.Do(op.Method, op.Path, large).Want(t, 413, "request_body_too_large")
				if r.Int("data.max_size_bytes") != most {
					t.Errorf("%s: data is %v", op.ID, r.At("data"))
				}
			}
			for _, op := range withBody() {
				if op.Role != "public" {
					s.Nobody(t).Do(op.Method, op.Path, usual).Want(t, 401, "unauthorized")
				}
			}
		})
	})
}

// Many clients write their whole request before they read: they too must get to the answer.
func TestAClientThatWritesFirstReadsTheRefusal(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	for _, size := range []int{2 << 20, 10 << 20} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /api/trial HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", ada.Token, size)
		if _, err := conn.Write(bytes.Repeat([]byte(" "), size)); err != nil {
			t.Errorf("%d bytes: the connection was cut while the body was on its way: %v", size, err)
			continue
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || res.StatusCode != 413 {
			t.Errorf("%d bytes: %v %v", size, res, err)
		}
	}
}

// What an operation needs is not there when it is null: null stars were a rating below the least.
func TestNullIsNotGiven(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		tried := 0
		for _, op := range apitest.Operations() {
			required, _ := op.Body["required"].([]any)
			for _, name := range required {
				tried++
				in := input(op)
				in[name.(string)] = nil
				s.As(t, "ada").Do(op.Method, op.Target(m{}), mustJSON(in)).Want(t, 422, "invalid_request")
			}
		}
		if tried < 20 {
			t.Errorf("%d properties were tried", tried)
		}
	})
}
