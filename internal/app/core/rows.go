package core

import (
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
)

// ReadableRow makes the columns of a row such that JSON can hold them: bytes become the JSON or the text that they are, else
// base64 behind a prefix that says so. It changes row and returns it.
func ReadableRow(row map[string]any) map[string]any {
	for name, v := range row {
		b, ok := v.([]byte)
		switch {
		case !ok:
		case json.Valid(b):
			row[name] = json.RawMessage(b)
		case utf8.Valid(b):
			row[name] = string(b)
		default:
			row[name] = "base64:" + base64.StdEncoding.EncodeToString(b)
		}
	}
	return row
}
