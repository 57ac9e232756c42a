package measure

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// column is what a log must or may have, under one of several names; the first that stands in the header counts.
type column struct {
	name     string
	required bool
	aliases  []string
}

// table is a file of separated values whose columns have been found by their names.
type table struct {
	rows  [][]string
	bad   int               // lines that could not be split
	at    map[string]int    // column → place, -1 if the file has none
	title map[string]string // column → its heading in the file
}

// readTable reads everything. A line with too few fields for the columns that are needed is counted as bad.
func readTable(r io.Reader, columns []column) (*table, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	first, err := b.Peek(1 << 12)
	if len(first) == 0 {
		if err == nil || errors.Is(err, io.EOF) {
			err = errors.New("the file is empty")
		}
		return nil, err
	}
	if mark := "\ufeff"; strings.HasPrefix(string(first), mark) {
		first = first[len(mark):]
		if _, err := b.Discard(len(mark)); err != nil {
			return nil, err
		}
	}
	line, _, _ := strings.Cut(string(first), "\n")
	c := csv.NewReader(b)
	c.FieldsPerRecord = -1
	c.LazyQuotes = true
	c.ReuseRecord = false
	for _, comma := range []rune{'\t', ';', ','} {
		if strings.ContainsRune(line, comma) {
			c.Comma = comma
			break
		}
	}
	header, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("header line: %w", err)
	}
	t := &table{at: map[string]int{}, title: map[string]string{}}
	need := 0
	for _, col := range columns {
		t.at[col.name] = -1
	names:
		for _, alias := range col.aliases {
			for i, h := range header {
				if plain(h) == plain(alias) {
					t.at[col.name], t.title[col.name] = i, plain(alias)
					break names
				}
			}
		}
		if at := t.at[col.name]; at >= 0 && col.required {
			need = max(need, at+1)
		} else if col.required {
			return nil, fmt.Errorf("no column %s in the header %q", col.aliases[0], header)
		}
	}
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		var parse *csv.ParseError
		switch {
		case errors.As(err, &parse):
			t.bad++
		case err != nil:
			return nil, err
		case len(row) < need:
			t.bad++
		default:
			t.rows = append(t.rows, row)
		}
	}
}

func plain(s string) string {
	return strings.NewReplacer("_", "", " ", "", "-", "", "(", "", ")", "").Replace(strings.ToLower(strings.TrimSpace(s)))
}

// get is a row's field, "" where the file has no such column.
func (t *table) get(row []string, name string) string {
	if i := t.at[name]; i >= 0 && i < len(row) {
		return strings.TrimSpace(row[i])
	}
	return ""
}

var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02", "2006/01/02 15:04:05", "2006/01/02", "01/02/2006 15:04:05", "01/02/2006",
}

// times gives a reader of the column's moments, in seconds. It looks at all values first to tell the unit of numbers.
func (t *table) times(name string) func(row []string) (float64, bool) {
	largest := 0.0
	for _, row := range t.rows {
		if x, err := strconv.ParseFloat(t.get(row, name), 64); err == nil && !math.IsInf(x, 0) {
			largest = max(largest, x)
		}
	}
	unit := 1.0
	title := t.title[name]
	switch {
	case strings.Contains(title, "day") || title == "date" && largest < 1e6:
		unit = 86400
	case largest > 1e17:
		unit = 1e-9
	case largest > 1e14:
		unit = 1e-6
	case largest > 1e11:
		unit = 1e-3
	}
	return func(row []string) (float64, bool) {
		text := t.get(row, name)
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			x *= unit
			return x, math.Abs(x) < 1e12 // NaN and what no clock shows are no times
		}
		for _, layout := range layouts {
			if at, err := time.Parse(layout, text); err == nil {
				return float64(at.Unix()) + float64(at.Nanosecond())/1e9, true
			}
		}
		return 0, false
	}
}
