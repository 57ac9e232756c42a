package routes

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"stoa/internal/platform/errs"
)

// maxBody bounds a request body unless the contract's x-max-body-mib says otherwise, and maxSchoolBody that of the learning half.
const (
	MaxBody       = 1 << 20
	maxSchoolBody = 512 << 10
)

// Input reads what a request says into a map by the contract's names, checked.
func (r *Route) Input(w http.ResponseWriter, req *http.Request) (map[string]any, error) {
	if req.Method == http.MethodGet || req.Method == http.MethodHead || r.Body == nil {
		return r.Query(req)
	}
	return r.json(w, req)
}

// Query reads the parameters of the query and of the path.
func (r *Route) Query(req *http.Request) (map[string]any, error) {
	values, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil {
		return nil, errs.New(errs.InvalidRequest, "The query string cannot be read: it is not URL-encoded.")
	}
	for _, p := range r.Params {
		if p.InPath {
			values[p.Name] = []string{req.PathValue(p.Name)}
		}
	}
	out := map[string]any{}
	var problems []errs.Detail
	for _, p := range r.Params {
		text, there := first(values, p.Name, p.aliases)
		if !there {
			continue
		}
		if !utf8.ValidString(text) {
			problems = append(problems, errs.Detail{Field: p.Name, Problem: "must be valid UTF-8"})
			continue
		}
		value, ok := typed(p.shape.schema.Type, strings.TrimSpace(text))
		if !ok {
			problems = append(problems, errs.Detail{Field: p.Name, Problem: wanted(p.shape.schema)})
			continue
		}
		out[p.Name] = value
		problems = append(problems, p.shape.check(value, p.Name)...)
	}
	return out, invalid(problems)
}

// ownerNamed refuses a body about a baseline whose owner is blank: absent it means the caller, and a blank one is a mistake.
func (r *Route) ownerNamed(object map[string]any) error {
	if !strings.HasPrefix(r.Path, "/api/knowledge/quality/baseline") {
		return nil
	}
	for _, name := range []string{"user_id", "userId", "learnerId"} {
		if text, ok := object[name].(string); ok && strings.TrimSpace(text) == "" {
			return errs.New(errs.BaselineUserRequired, "The user id is blank. Leave it out to mean yourself.")
		}
	}
	return nil
}

// first gives the first non-blank value of a parameter under any of its names; blank means absent.
func first(values url.Values, name string, aliases []string) (string, bool) {
	if v := values.Get(name); strings.TrimSpace(v) != "" {
		return v, true
	}
	for _, alias := range aliases {
		if v := values.Get(alias); strings.TrimSpace(v) != "" {
			return v, true
		}
	}
	return "", false
}

func typed(kind, text string) (any, bool) {
	switch kind {
	case "integer":
		n, err := strconv.Atoi(text)
		return float64(n), err == nil
	case "boolean":
		switch strings.ToLower(text) {
		case "1", "true", "yes", "on":
			return true, true
		case "0", "false", "no", "off":
			return false, true
		}
		return nil, false
	}
	return text, true
}

func (r *Route) json(w http.ResponseWriter, req *http.Request) (map[string]any, error) {
	if err := JSONContent(req.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, r.maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, errs.Newf(errs.RequestBodyTooLarge, "The request is larger than %d KiB.", r.maxBody>>10).With("max_size_bytes", r.maxBody)
	}
	if err != nil {
		return nil, errs.New(errs.InvalidJSON, "The request ended before its body did.")
	}
	return r.Object(body)
}

// Object reads a body that has come in whole.
func (r *Route) Object(body []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	if !utf8.Valid(body) {
		return nil, errs.New(errs.InvalidJSON, "The body is not valid UTF-8.")
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return nil, errs.New(errs.InvalidJSON, "The body is not valid JSON.")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errs.New(errs.InvalidJSON, "The body must be a JSON object.")
	}
	trim(object)
	if err := r.ownerNamed(object); err != nil {
		return nil, err
	}
	if r.Body.properties == nil {
		return map[string]any{}, nil
	}
	return object, invalid(r.Body.check(object, ""))
}

// trim takes blanks off the ends of texts, but not of a password.
func trim(object map[string]any) {
	for k, v := range object {
		switch v := v.(type) {
		case string:
			if k != "password" {
				object[k] = strings.TrimSpace(v)
			}
		case map[string]any:
			trim(v)
		}
	}
}

// JSONContent refuses a content type that is no JSON in UTF-8.
func JSONContent(header string) error {
	if header == "" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(header)
	if err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json")) {
		if charset := params["charset"]; charset == "" || strings.EqualFold(charset, "utf-8") {
			return nil
		}
	}
	return errs.New(errs.UnsupportedContentType, "Send application/json in UTF-8.")
}

func invalid(problems []errs.Detail) error {
	if len(problems) == 0 {
		return nil
	}
	e := errs.Newf(errs.InvalidRequest, "%s %s.", problems[0].Field, problems[0].Problem)
	if len(problems) > 1 {
		e.Message = "Several fields do not fit; see details."
	}
	e.Details = problems
	return e
}

// Into fills a struct from the checked map, by its json tags.
func Into[In any](values map[string]any) (In, error) {
	var in In
	if fill(reflect.ValueOf(&in).Elem(), values) {
		return in, nil
	}
	in = *new(In)
	text, err := json.Marshal(values)
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err != nil {
		return in, errs.Wrap(errs.InvalidRequest, "A field has the wrong type.", err)
	}
	return in, nil
}
