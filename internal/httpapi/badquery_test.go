package httpapi_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

func withQuery() (ops []apitest.Operation) {
	for _, op := range apitest.Operations() {
		if op.Method == http.MethodGet && len(op.Params) > 0 {
			ops = append(ops, op)
		}
	}
	return ops
}

// misspelt are query values that a schema does not take.
func misspelt(schema m) []string {
	out := []string{"a\x00b", "\xff\xfe", "\xc0\xaf"}
	switch schema["type"] {
	case "integer":
		if most, ok := schema["maximum"].(int); ok {
			out = append(out, strconv.Itoa(most+1))
		}
		return append(out, "x", "1.5", "-1", "1e2", "0x10", "99999999999999999999", "-99999999999999999999", "١٢", "1 2")
	case "boolean":
		return append(out, "maybe", "2", "truetrue")
	}
	if limit, ok := schema["maxLength"].(int); ok {
		out = append(out, strings.Repeat("x", limit+1))
	}
	if schema["pattern"] != nil {
		out = append(out, "a\nb", "a\x7fb", "a\x1bb")
	}
	if schema["enum"] != nil {
		out = append(out, "no-such-word", "TEMPLATE_ID")
	}
	return out
}

func TestParametersOfTheWrongKind(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		tried := 0
		unharmed(t, s, func() {
			for _, op := range withQuery() {
				for _, p := range op.Params {
					for _, name := range p.Names() {
						for _, value := range misspelt(p.Schema) {
							tried++
							r := ada.Do(op.Method, op.Target(m{"import_id": "x"})+"?"+url.QueryEscape(name)+"="+url.QueryEscape(value), nil)
							if r.Status != 422 || r.Code() != "invalid_request" || !slices.Contains(r.All("error.details", "field"), p.Name) {
								t.Errorf("%s with %s=%.20q: %d %s", op.ID, name, value, r.Status, r.Body)
							}
						}
					}
				}
			}
		})
		if tried < 400 {
			t.Errorf("only %d values were tried", tried)
		}
	})
}

func TestQueriesThatAreNotURLEncoded(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for _, op := range withQuery() {
			for _, raw := range []string{"%", "%zz", "limit=%1", "a;b", "user_id=ada;limit=1"} {
				ada.Do(op.Method, op.Target(m{"import_id": "x"})+"?"+raw, nil).Want(t, 422, "invalid_request")
			}
		}
	})
}

func TestQueriesThatAreStrangeAndHarmless(t *testing.T) {
	heavy(t)
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		huge := "surplus=" + strings.Repeat("x", 200_000)
		for _, op := range withQuery() {
			values := prepared(t, s, op, "ada")
			target := op.Target(values)
			delete(values, "import_id")
			delete(values, "draft_id")
			in := apitest.Query(pairs(values)...)
			if in == "" {
				in = "?"
			}
			for _, extra := range []string{huge, "surplus=1&surplus=2", "%00=%00", "=", "&&&", strings.Repeat("a&", 5000), "limit=&cursor=&user_id=", "user_id=%20%20"} {
				if r := ada.Do(op.Method, target+in+"&"+extra, nil); r.Status != 200 {
					t.Errorf("%s with %.40s: %d %.200s", op.ID, extra, r.Status, r.Body)
				}
			}
		}
		// Of a repeated parameter the first counts, so that a filter in front cannot be outvoted behind.
		r := ada.Do("GET", "/api/templates?limit=1&limit=3", nil).OK(t)
		if r.Int("data.count") != 1 {
			t.Errorf("limit=1&limit=3 gave %d", r.Int("data.count"))
		}
	})
}

func pairs(values m) (out []string) {
	for name, v := range values {
		out = append(out, name, fmt.Sprint(v))
	}
	return out
}

func TestCursorsThatBelongElsewhere(t *testing.T) {
	lists := []string{
		"/api/templates?limit=2", "/api/templates?limit=2&sort_by=installs", "/api/templates?limit=2&sort_by=newest&sort_order=asc", "/api/templates?limit=2&query=a",
		"/api/profile-pack/catalog?limit=1", "/api/member/installations?limit=1", "/api/member/tasks?limit=1", "/api/notifications?limit=1", "/api/runtime-request-trace?limit=1",
	}
	random := rand.New(rand.NewPCG(1, 2))
	bad := []string{"AAAA", "////", "====", "a", "null", "-1", "0", "00000000-0000-0000-0000-00000000000g", "0190F0C0-0000-7000-8000-00000000ABCD", "urn:uuid:0190f0c0-0000-7000-8000-00000000abcd"}
	for range 12 {
		b := make([]byte, 1+random.IntN(40))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		b[0] |= 0x80 // never a cursor of the catalog, whose first byte is below
		bad = append(bad, base64.RawURLEncoding.EncodeToString(b), base64.StdEncoding.EncodeToString(b))
	}
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		cursors := fill(t, s, ada, lists)
		for i, list := range lists {
			for _, cursor := range bad {
				r := ada.Do("GET", list+"&cursor="+url.QueryEscape(cursor), nil)
				if r.Status != 400 || r.Code() != "invalid_cursor" {
					t.Errorf("%s with cursor %q: %d %.300s", list, cursor, r.Status, r.Body)
				}
			}
			for j, other := range cursors {
				r := ada.Do("GET", list+"&cursor="+url.QueryEscape(other), nil)
				// An id is an id: the lists that are ordered by UUID cannot tell their cursors apart, and need not.
				if fits := i == j || sameFormat(i, j); fits != (r.Status == 200) || !fits && r.Code() != "invalid_cursor" {
					t.Errorf("%s with the cursor of %s: %d %.300s", list, lists[j], r.Status, r.Body)
				}
			}
		}
	})
}

// sameFormat tells which of the lists above share one order and so one kind of cursor.
func sameFormat(i, j int) bool {
	byItemID, byUUID := []int{0, 4}, []int{6, 7, 8}
	return slices.Contains(byItemID, i) && slices.Contains(byItemID, j) || slices.Contains(byUUID, i) && slices.Contains(byUUID, j)
}

// fill gives ada two of everything, so that each list has a next page, and answers the cursors.
func fill(t *testing.T, s *apitest.Server, ada *apitest.Client, lists []string) (cursors []string) {
	t.Helper()
	for _, id := range []string{translator, coach} {
		ada.Post("/api/trial", m{"template_id": id}).OK(t)
		ada.Post("/api/templates/install", m{"template_id": id}).OK(t)
	}
	s.Clock.Advance(trialTTL)
	if err := s.App.SweepOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	*ada = *s.As(t, "ada")
	ada.Get("/api/preferences").OK(t)
	ada.Get("/api/preferences").OK(t)
	for _, list := range lists {
		next := ada.Do("GET", list, nil).OK(t).Str("data.next_cursor")
		if next == "" {
			t.Fatalf("%s has no next page", list)
		}
		cursors = append(cursors, next)
	}
	return cursors
}
