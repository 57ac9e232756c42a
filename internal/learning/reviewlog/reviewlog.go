// Package reviewlog writes and reads a history of reviews as the CSV that FSRS's optimizers take: a line for each review with
// card_id, review_time (milliseconds since 1970 UTC), review_rating (1 to 4), review_state and review_duration (milliseconds).
package reviewlog

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Review is one answer to one card.
type Review struct {
	Card  string
	At    time.Time
	Grade int // 1 again, 2 hard, 3 good, 4 easy
	Took  time.Duration
}

var header = []string{"card_id", "review_time", "review_rating", "review_state", "review_duration"}

// States of a card ahead of a review, as optimizers number them. Stoa has no learning steps: after the first review a card is in
// review, after a lapse it is relearned.
const (
	fresh      = "0"
	review     = "2"
	relearning = "3"
)

// Write writes the reviews, in the order of their times.
func Write(w io.Writer, reviews []Review) error {
	list := slices.Clone(reviews)
	slices.SortStableFunc(list, func(a, b Review) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Card, b.Card)) })
	c := csv.NewWriter(w)
	if err := c.Write(header); err != nil {
		return err
	}
	last := map[string]int{}
	for _, r := range list {
		state := fresh
		switch last[r.Card] {
		case 0:
		case 1:
			state = relearning
		default:
			state = review
		}
		last[r.Card] = r.Grade
		if err := c.Write([]string{r.Card, strconv.FormatInt(r.At.UnixMilli(), 10), strconv.Itoa(r.Grade), state, strconv.FormatInt(r.Took.Milliseconds(), 10)}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Bounds of a file that is read.
const (
	Most     = 2_000_000 // reviews
	longest  = 24 * time.Hour
	mostCell = 256 // bytes
)

// Read reads such a file. Columns may stand in any order, review_state and review_duration may be missing, others are passed
// over. A line that makes no sense is an error that names it: half a history is no history.
func Read(r io.Reader) ([]Review, error) {
	c := csv.NewReader(bufio.NewReader(r))
	c.ReuseRecord, c.FieldsPerRecord = true, -1
	names, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("the first line must name the columns %s", strings.Join(header, ", "))
	}
	at := map[string]int{}
	for i, name := range names {
		at[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))] = i
	}
	for _, name := range header[:3] {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("the column %s is missing", name)
		}
	}
	var out []Review
	for {
		cells, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("this is not CSV: %w", err)
		}
		line, _ := c.FieldPos(0)
		one, err := parse(cells, at)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if len(out) == Most {
			return nil, fmt.Errorf("there are more than %d reviews", Most)
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b Review) int { return a.At.Compare(b.At) })
	return out, nil
}

func parse(cells []string, at map[string]int) (Review, error) {
	cell := func(name string) string {
		if i, ok := at[name]; ok && i < len(cells) {
			return strings.TrimSpace(cells[i])
		}
		return ""
	}
	r := Review{Card: strings.Clone(cell("card_id"))}
	ms, err := strconv.ParseInt(cell("review_time"), 10, 64)
	if err != nil || ms <= 0 || ms > 253402300799_000 {
		return r, errors.New("review_time is no time in milliseconds since 1970")
	}
	r.At = time.UnixMilli(ms).UTC()
	if r.Grade, err = strconv.Atoi(cell("review_rating")); err != nil || r.Grade < 1 || r.Grade > 4 {
		return r, errors.New("review_rating is not 1 to 4")
	}
	if r.Card == "" || len(r.Card) > mostCell {
		return r, errors.New("card_id is empty or too long")
	}
	if text := cell("review_duration"); text != "" {
		took, err := strconv.ParseInt(text, 10, 64)
		if err != nil || took < 0 {
			return r, errors.New("review_duration is no number of milliseconds")
		}
		r.Took = min(time.Duration(min(took, longest.Milliseconds()))*time.Millisecond, longest)
	}
	return r, nil
}
