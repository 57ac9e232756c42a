package sqldb

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The words for the types of columns in a dump. All others are text.
const (
	typeBool   = "boolean"
	typeBigint = "bigint"
	typeInt    = "integer"
	typeDouble = "double precision"
	typeBytes  = "bytea"
)

// AppendRow writes a row as a JSON array: whole numbers as they are, bytes in base64, text as a string, and text that is
// not UTF-8, which SQLite can hold, as {"base64": …}.
func AppendRow(dst []byte, t Table, values []any) ([]byte, error) {
	dst = append(dst, '[')
	var err error
	for i, c := range t.Columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendValue(dst, c, *values[i].(*any)); err != nil {
			return nil, fmt.Errorf("store: %s.%s: %w", t.Name, c.Name, err)
		}
	}
	return append(dst, ']'), nil
}

func appendValue(dst []byte, c Column, v any) ([]byte, error) {
	if v == nil {
		if c.Type == typeBytes && !c.Nullable {
			return append(dst, `""`...), nil // SQLite's driver gives none for empty bytes
		}
		return append(dst, "null"...), nil
	}
	switch c.Type {
	case typeBool:
		switch v := v.(type) {
		case bool:
			return strconv.AppendBool(dst, v), nil
		case int64:
			return strconv.AppendBool(dst, v != 0), nil
		}
	case typeBigint, typeInt:
		if v, ok := v.(int64); ok {
			return strconv.AppendInt(dst, v, 10), nil
		}
	case typeDouble:
		switch v := v.(type) {
		case int64:
			return strconv.AppendInt(dst, v, 10), nil
		case float64:
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				return strconv.AppendFloat(dst, v, 'g', -1, 64), nil
			}
		}
	case typeBytes:
		switch v := v.(type) {
		case []byte:
			return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v), '"'), nil
		case string:
			return append(base64.StdEncoding.AppendEncode(append(dst, '"'), []byte(v)), '"'), nil
		}
	case "text":
		switch v := v.(type) {
		case string:
			return appendText(dst, v)
		case []byte: // SQLite keeps bytes as they come, also in a column of text
			return appendText(dst, string(v))
		}
	}
	return nil, fmt.Errorf("a %s column holds a %T", c.Type, v)
}

func appendText(dst []byte, text string) ([]byte, error) {
	if utf8.ValidString(text) {
		return jsontext.AppendQuote(dst, text)
	}
	dst = append(dst, `{"base64":"`...)
	return append(base64.StdEncoding.AppendEncode(dst, []byte(text)), `"}`...), nil
}

// RowReader reads what AppendRow wrote.
type RowReader struct {
	from bytes.Reader
	d    *jsontext.Decoder
}

// Read appends the values of a row.
func (r *RowReader) Read(args []any, line []byte, t Table) ([]any, error) {
	r.from.Reset(line)
	if r.d == nil {
		r.d = jsontext.NewDecoder(&r.from)
	} else {
		r.d.Reset(&r.from)
	}
	if token, err := r.d.ReadToken(); err != nil || token.Kind() != '[' {
		return nil, fmt.Errorf("store: a row of %s is no list", t.Name)
	}
	for _, c := range t.Columns {
		v, err := r.value(c)
		if err != nil {
			return nil, fmt.Errorf("store: %s.%s: %w", t.Name, c.Name, err)
		}
		args = append(args, v)
	}
	if token, err := r.d.ReadToken(); err != nil || token.Kind() != ']' {
		return nil, fmt.Errorf("store: a row of %s has more values than the table has columns", t.Name)
	}
	return args, nil
}

func (r *RowReader) value(c Column) (any, error) {
	if c.Type == "" {
		return nil, r.d.SkipValue()
	}
	token, err := r.d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch kind := token.Kind(); {
	case kind == 'n':
		return nil, nil
	case c.Type == typeBool && (kind == 't' || kind == 'f'):
		return token.Bool(), nil
	case (c.Type == typeBigint || c.Type == typeInt) && kind == '0':
		return strconv.ParseInt(token.String(), 10, 64)
	case c.Type == typeDouble && kind == '0':
		return strconv.ParseFloat(token.String(), 64)
	case c.Type == typeBytes && kind == '"':
		return base64.StdEncoding.DecodeString(token.String())
	case c.Type == "text" && kind == '"':
		return token.String(), nil
	case c.Type == "text" && kind == '{':
		return r.bytes()
	}
	return nil, fmt.Errorf("a %s column cannot hold %s", c.Type, token.Kind())
}

// bytes reads the rest of {"base64": …}.
func (r *RowReader) bytes() (string, error) {
	var parts [3]string
	for i := range parts {
		token, err := r.d.ReadToken()
		if err != nil {
			return "", err
		}
		parts[i] = token.String()
	}
	if parts[0] != "base64" || parts[2] != "}" {
		return "", fmt.Errorf("not a text")
	}
	text, err := base64.StdEncoding.DecodeString(parts[1])
	return string(text), err
}
