package httpapi_test

import (
	"fmt"
	"testing"

	"stoa/internal/apitest"
)

// parameter is a parameter of a GET operation and what it does: the answer with it says what is wanted, and without it something else.
type parameter struct {
	path        string
	name, value string
	want        m
	rest        []string // other parameters of both requests: name, value, …
}

func moves(t *testing.T, c *apitest.Client, all ...parameter) {
	t.Helper()
	for _, q := range all {
		without := c.Get(q.path, q.rest...).OK(t)
		with := c.Get(q.path, append([]string{q.name, q.value}, q.rest...)...).OK(t)
		differs := false
		for field, value := range q.want {
			if got := fmt.Sprint(with.At(field)); got != fmt.Sprint(value) {
				t.Errorf("%s?%s=%s %v: %s is %s, want %v", q.path, q.name, q.value, q.rest, field, got, value)
			}
			differs = differs || fmt.Sprint(without.At(field)) != fmt.Sprint(value)
		}
		if !differs {
			t.Errorf("%s?%s=%s %v: the answer is that without it: %v", q.path, q.name, q.value, q.rest, q.want)
		}
	}
}

// tells asks with two values of a parameter, which must not read the same.
func tells(t *testing.T, c *apitest.Client, path, name, a, b string, rest ...string) {
	t.Helper()
	one := c.Get(path, append([]string{name, a}, rest...)...).OK(t)
	other := c.Get(path, append([]string{name, b}, rest...)...).OK(t)
	if string(one.Body) == string(other.Body) {
		t.Errorf("%s says the same with %s=%s and %s: %.300s", path, name, a, b, one.Body)
	}
}
