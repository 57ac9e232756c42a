package apitest

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Reply is an answer that has been read.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte // unpacked when it came compressed

	method string
	value  any
}

// NewReply reads the answer to a request of the given method.
func NewReply(method string, res *http.Response) (*Reply, error) {
	defer res.Body.Close()
	packed, body := res.Header.Get("Content-Encoding") == "gzip" && res.ContentLength != 0, io.Reader(res.Body)
	if packed && method != http.MethodHead {
		z, err := gzip.NewReader(res.Body)
		if err != nil {
			return nil, err
		}
		body = z
	}
	text, err := io.ReadAll(body)
	r := &Reply{Status: res.StatusCode, Header: res.Header, Body: text, method: method}
	if res.Header.Get("Content-Type") == "application/json" {
		_ = json.Unmarshal(text, &r.value) // what is not JSON fails the schema
	}
	return r, err
}

// At finds a value by a dotted path such as data.templates.0.title; nil when it is not there.
func (r *Reply) At(path string) any {
	value := r.value
	for _, name := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// Str is At for a text; "" when there is none.
func (r *Reply) Str(path string) string {
	s, _ := r.At(path).(string)
	return s
}

// Int is At for a number; -1 when there is none.
func (r *Reply) Int(path string) int {
	f, ok := r.At(path).(float64)
	if !ok {
		return -1
	}
	return int(f)
}

// Len counts a list; -1 when there is none.
func (r *Reply) Len(path string) int {
	l, ok := r.At(path).([]any)
	if !ok {
		return -1
	}
	return len(l)
}

// All collects one member of every element of a list.
func (r *Reply) All(list, member string) []string {
	elements, _ := r.At(list).([]any)
	out := make([]string, 0, len(elements))
	for _, e := range elements {
		s, _ := object(e)[member].(string)
		out = append(out, s)
	}
	return out
}

// Code is error.code, "" for a success.
func (r *Reply) Code() string { return r.Str("error.code") }
