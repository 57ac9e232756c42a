package measure

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/learning/mastery/fsrs"
)

// Review is one line of a spaced-repetition log.
type Review struct {
	User, Card string
	Grade      fsrs.Grade
	At         float64 // seconds since some fixed moment
}

var reviewColumns = []column{
	{name: "card", required: true, aliases: []string{"card_id", "cardid", "card", "cid", "item_id", "item", "note_id", "word_id", "lexeme_id", "question_id"}},
	{name: "rating", required: true, aliases: []string{"review_rating", "rating", "grade", "ease", "button", "button_chosen", "score", "quality", "correct", "outcome"}},
	{name: "time", required: true, aliases: []string{
		"review_time", "review_datetime", "reviewed_at", "datetime", "timestamp", "time", "date", "review_date", "review_th", "day_offset", "day", "days", "id",
	}},
	{name: "user", aliases: []string{"user_id", "user", "userid", "learner_id", "student_id"}},
}

// ReadReviews reads a log with a header line: comma, tab or semicolon between the fields, columns in any order and
// under their usual names. Lines that make no sense are left out and counted. Reviews are sorted by time; those of one
// moment keep their order.
//
// Times are ISO texts or numbers; the unit of a number is told by its size (nanoseconds to seconds since 1970) or by the
// column's name (day). Ratings are 1 to 4, or the words again to easy, or 0/1, or 0 to 5 as in SM-2.
func ReadReviews(r io.Reader) (reviews []Review, bad int, err error) {
	t, err := readTable(r, reviewColumns)
	if err != nil {
		return nil, 0, err
	}
	times := t.times("time")
	grades := gradeScale(t, "rating")
	for _, row := range t.rows {
		at, ok := times(row)
		g := grades(t.get(row, "rating"))
		card := t.get(row, "card")
		if !ok || g == 0 || card == "" {
			bad++
			continue
		}
		reviews = append(reviews, Review{User: t.get(row, "user"), Card: card, Grade: g, At: at})
	}
	bad += t.bad
	if len(reviews) == 0 {
		return nil, bad, fmt.Errorf("no line holds a review (of %d)", bad)
	}
	slices.SortStableFunc(reviews, func(a, b Review) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
	return reviews, bad, nil
}

// gradeScale finds out from all values which scale of ratings a log uses.
func gradeScale(t *table, name string) func(string) fsrs.Grade {
	lowest, highest := 9, -1
	for _, row := range t.rows {
		if n, err := strconv.ParseFloat(t.get(row, name), 64); err == nil && n >= 0 && n <= 5 {
			lowest, highest = min(lowest, int(n)), max(highest, int(n))
		}
	}
	words := map[string]fsrs.Grade{
		"again": fsrs.Again, "fail": fsrs.Again, "false": fsrs.Again, "wrong": fsrs.Again, "incorrect": fsrs.Again, "skipped": fsrs.Again,
		"hard": fsrs.Hard, "partial": fsrs.Hard, "good": fsrs.Good, "pass": fsrs.Good, "true": fsrs.Good, "right": fsrs.Good, "correct": fsrs.Good,
		"easy": fsrs.Easy,
	}
	return func(text string) fsrs.Grade {
		if g, ok := words[strings.ToLower(text)]; ok {
			return g
		}
		x, err := strconv.ParseFloat(text, 64)
		n := int(x)
		if err != nil || float64(n) != x {
			return 0
		}
		switch {
		case highest <= 1 && lowest == 0: // right or wrong
			return []fsrs.Grade{fsrs.Again, fsrs.Good}[min(max(n, 0), 1)]
		case highest == 5: // SM-2: from 3 on it was recalled
			if n < 0 || n > 5 {
				return 0
			}
			return []fsrs.Grade{1, 1, 1, 2, 3, 4}[n]
		case n >= 1 && n <= 4: // 0 among 1 to 4 is Anki's mark of a change by hand
			return fsrs.Grade(n)
		}
		return 0
	}
}
