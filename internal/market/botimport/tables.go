package botimport

import (
	"bufio"
	"errors"
	"io"

	"stoa/internal/market/strictjson"
)

// Bounds of a database dump.
const (
	maxRow    = 2 << 20 // bytes of one record
	maxTables = 1_000
)

var (
	errTables = errors.New("the file is no JSON object of lists")
	errRow    = errors.New("a record is larger than 2 MiB")
)

// tables reads a dump {"table": [record, …], …} of any size with the memory of one record. wanted tells whether a
// table's records are to be decoded; for those row is called, for the others they are counted only. Records that
// are no strict JSON are given to bad. The result counts the records of each table.
func tables(r io.Reader, wanted func(table string) bool, row func(table string, i int, v any), bad func(table string, i int, err error)) (map[string]int, error) {
	s := scanner{r: bufio.NewReaderSize(r, 64<<10)}
	counts := map[string]int{}
	if err := s.open('{'); err != nil {
		return counts, err
	}
	for first := true; ; first = false {
		c, err := s.token()
		if err != nil {
			return counts, err
		}
		if c == '}' {
			return counts, nil
		}
		if !first {
			if c != ',' {
				return counts, errTables
			}
			if c, err = s.token(); err != nil {
				return counts, err
			}
		}
		table, err := s.name(c)
		if err != nil {
			return counts, err
		}
		if len(counts) > maxTables {
			return counts, errTables
		}
		if counts[table], err = s.table(table, wanted(table), row, bad); err != nil {
			return counts, err
		}
	}
}

// scanner splits JSON into values without building them.
type scanner struct{ r *bufio.Reader }

// token is the next byte that is no blank.
func (s *scanner) token() (byte, error) {
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return 0, cutShort(err)
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, nil
		}
	}
}

func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return errTables
	}
	return err
}

// open passes a byte order mark and the bracket that must come.
func (s *scanner) open(bracket byte) error {
	if mark, err := s.r.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		if _, err := s.r.Discard(3); err != nil {
			return err
		}
	}
	c, err := s.token()
	if err == nil && c != bracket {
		err = errTables
	}
	return err
}

// name reads the name of a table, whose first byte is c, and the colon.
func (s *scanner) name(c byte) (string, error) {
	if c != '"' {
		return "", errTables
	}
	text, err := s.value(c, 1024)
	if err != nil {
		return "", err
	}
	v, err := strictjson.Parse(text, 1)
	name, ok := v.(string)
	if err != nil || !ok {
		return "", errTables
	}
	if c, err = s.token(); err != nil || c != ':' {
		return "", errTables
	}
	return name, nil
}

// table reads one list of records; a value that is no list counts as none.
func (s *scanner) table(name string, wanted bool, row func(string, int, any), bad func(string, int, error)) (int, error) {
	c, err := s.token()
	if err != nil {
		return 0, err
	}
	if c != '[' {
		_, err := s.value(c, 0)
		return 0, err
	}
	for n := 0; ; n++ {
		if c, err = s.token(); err != nil {
			return n, err
		}
		if c == ']' {
			return n, nil
		}
		if n > 0 {
			if c != ',' {
				return n, errTables
			}
			if c, err = s.token(); err != nil {
				return n, err
			}
		}
		limit := 0
		if wanted {
			limit = maxRow
		}
		text, err := s.value(c, limit)
		switch {
		case errors.Is(err, errRow):
			bad(name, n, err)
		case err != nil:
			return n, err
		case wanted:
			if v, err := parse(text); err != nil {
				bad(name, n, err)
			} else {
				row(name, n, v)
			}
		}
	}
}

// value passes one value whose first byte is c, and gives its text when limit is positive and not exceeded. A value
// beyond the limit is passed to its end too.
func (s *scanner) value(c byte, limit int) ([]byte, error) {
	var text []byte
	over := false
	keep := func(c byte) {
		switch {
		case limit <= 0 || over:
		case len(text) == limit:
			over, text = true, nil
		default:
			text = append(text, c)
		}
	}
	depth, quoted := 0, false
	for {
		keep(c)
		switch {
		case quoted && c == '\\':
			next, err := s.r.ReadByte()
			if err != nil {
				return nil, cutShort(err)
			}
			keep(next)
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 && !quoted && s.ends(c) {
			break
		}
		var err error
		if c, err = s.r.ReadByte(); err != nil {
			return nil, cutShort(err)
		}
	}
	if over {
		return nil, errRow
	}
	return text, nil
}

// ends tells whether a value at the outermost level stops behind c: a string or a bracket does, a number or a word
// when what follows belongs to it no more.
func (s *scanner) ends(c byte) bool {
	if c == '"' || c == '}' || c == ']' {
		return true
	}
	next, err := s.r.Peek(1)
	if err != nil {
		return true
	}
	switch next[0] {
	case ',', ']', '}', ' ', '\t', '\n', '\r', ':':
		return true
	}
	return false
}
