package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// Depth is how deep arrays and objects may nest when the caller does not say otherwise.
	Depth = 64
	// MaxValues bounds the values of one text: 8 MiB of "[0,0,…" would be hundreds of megabytes in memory.
	MaxValues = 1 << 20
)

// Parse reads one JSON value: map[string]any, []any, string, json.Number, bool or nil. A byte order mark at
// the start is skipped. maxDepth ≤ 0 means Depth. The error is an *Error.
func Parse(text []byte, maxDepth int) (any, error) {
	text, err := prepare(text)
	if err != nil {
		return nil, err
	}
	return parse(text, maxDepth)
}

// prepare takes the byte order mark off and checks the encoding.
func prepare(text []byte) ([]byte, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if utf8.Valid(text) {
		return text, nil
	}
	offset := 0
	for offset < len(text) {
		r, n := utf8.DecodeRune(text[offset:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		offset += n
	}
	return nil, newError(text, offset, "", BadEncoding, "the text is not valid UTF-8; save the file as UTF-8")
}

func parse(text []byte, maxDepth int) (any, error) {
	if maxDepth <= 0 {
		maxDepth = Depth
	}
	p := parser{text: text, maxDepth: maxDepth, tokens: jsontext.NewDecoder(bytes.NewBuffer(text))}
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	if p.start = len(text) - len(bytes.TrimLeft(text[p.tokens.InputOffset():], " \t\r\n")); p.start < len(text) {
		return nil, p.refuse(TrailingData, "there is text behind the JSON value; one file holds one value")
	}
	return v, nil
}

// step is one part of the path to a value: a name, or a position when name is nil.
type step struct {
	name  *string
	index int
}

type parser struct {
	text     []byte
	tokens   *jsontext.Decoder
	path     []step
	start    int // where the token being read begins
	values   int
	maxDepth int
}

// mark notes where the next token begins.
func (p *parser) mark() {
	p.start = int(p.tokens.InputOffset())
	for p.start < len(p.text) && strings.IndexByte(" \t\r\n,:", p.text[p.start]) >= 0 {
		p.start++
	}
}

func (p *parser) next() (jsontext.Token, error) {
	p.mark()
	token, err := p.tokens.ReadToken()
	if err != nil {
		return token, p.syntax(err)
	}
	return token, nil
}

func (p *parser) value() (any, error) {
	token, err := p.next()
	if err != nil {
		return nil, err
	}
	if p.values++; p.values > MaxValues {
		return nil, p.refuse(TooMany, fmt.Sprintf("the file holds more than %d values; split it", MaxValues))
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '0':
		return json.Number(token.String()), nil
	case '"':
		return token.String(), nil
	}
	if len(p.path) >= p.maxDepth {
		return nil, p.refuse(TooDeep, fmt.Sprintf("arrays and objects are nested more than %d deep; flatten them", p.maxDepth))
	}
	if token.Kind() == '[' {
		return p.array()
	}
	return p.object()
}

func (p *parser) array() (any, error) {
	out := []any{}
	p.path = append(p.path, step{})
	for p.tokens.PeekKind() != ']' {
		p.path[len(p.path)-1].index = len(out)
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	p.path = p.path[:len(p.path)-1]
	_, err := p.next()
	return out, err
}

func (p *parser) object() (any, error) {
	out := map[string]any{}
	for p.tokens.PeekKind() != '}' {
		token, err := p.next()
		if err != nil {
			return nil, err
		}
		name := token.String()
		p.path = append(p.path, step{name: &name})
		if strings.IndexByte(name, 0) >= 0 {
			return nil, p.refuse(BadName, "a name holds a NUL character; rename it")
		}
		if out[name], err = p.value(); err != nil {
			return nil, err
		}
		p.path = p.path[:len(p.path)-1]
	}
	_, err := p.next()
	return out, err
}

func (p *parser) refuse(problem Problem, message string) *Error {
	return newError(p.text, p.start, render(p.path), problem, message)
}

// syntax turns an error of the token reader into ours. The reader's own text may quote the input.
func (p *parser) syntax(err error) *Error {
	var s *jsontext.SyntacticError
	if errors.As(err, &s) {
		p.start = int(s.ByteOffset)
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && s != nil:
		name := s.JSONPointer.LastToken()
		p.path = append(p.path, step{name: &name})
		return p.refuse(DuplicateName, "this name is given twice in one object; keep one of them")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		p.start = len(p.text)
		return p.refuse(BadSyntax, "the JSON ends too early; a bracket, a quote or the rest of the file is missing")
	case errors.Is(err, jsontext.ErrNonStringName):
		return p.refuse(BadSyntax, "a name must be a string in double quotes")
	case strings.Contains(err.Error(), "surrogate"):
		return p.refuse(BadEncoding, "a \\u escape is half of a character; write the character itself")
	}
	return p.refuse(BadSyntax, "this is not valid JSON")
}

func render(path []step) string {
	var b strings.Builder
	for _, s := range path {
		if b.Len() > 4*pathBytes {
			break
		}
		switch {
		case s.name == nil:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case b.Len() == 0:
			b.WriteString(*s.name)
		default:
			b.WriteString("." + *s.name)
		}
	}
	return b.String()
}
