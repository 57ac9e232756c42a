package mirror

import (
	"encoding/json"
	"strings"
	"time"
)

// watermark is how far a registry was read: it can be asked for what changed since. All times are the registry's own, so that
// its clock and ours may differ.
type watermark struct {
	// Since is what the list is asked for with; "" for the whole list.
	Since string `json:"since,omitempty"`
	// Newest is the newest time that an entry has said.
	Newest time.Time `json:"newest,omitzero"`
	// Lists is how many lists of changes came after the last whole one.
	Lists int `json:"lists,omitempty"`
	// Cursor is the registry's own.
	Cursor string `json:"cursor,omitempty"`
}

const (
	// overlap is asked for again: a change becomes visible only after it was given its time.
	overlap = time.Hour
	// wholeAfter is how many lists of changes come between two whole ones, which alone tell what was removed without a trace.
	wholeAfter = 3
)

const watermarkPrefix = "changes "

// readWatermark says how a list is asked for: at a cursor as it was begun, else for what changed since mark, when that is one.
func readWatermark(cursor, mark string) (w watermark) {
	if text, ok := strings.CutPrefix(cursor, watermarkPrefix); ok && json.Unmarshal([]byte(text), &w) == nil {
		return w
	}
	if cursor != "" {
		return watermark{Cursor: cursor}
	}
	text, ok := strings.CutPrefix(mark, watermarkPrefix)
	if !ok || json.Unmarshal([]byte(text), &w) != nil || w.Newest.IsZero() || w.Lists >= wholeAfter {
		return watermark{}
	}
	return watermark{Since: w.Newest.Add(-overlap).Format(time.RFC3339), Newest: w.Newest, Lists: w.Lists + 1}
}

// saw notes the times of an entry. One beyond now is an error of somebody's clock and is taken for now, so that nothing is
// missed until then.
func (w *watermark) saw(now time.Time, said ...string) {
	for _, text := range said {
		at, err := time.Parse(time.RFC3339, text)
		if err == nil && at.After(now) {
			at = now
		}
		if err == nil && at.After(w.Newest) {
			w.Newest = at
		}
	}
}

// next is the cursor of the page after, which may be read by another process.
func (w watermark) next(cursor string) string {
	w.Cursor = cursor
	return w.text()
}

// mark is what the next list is asked for with; "" when the registry says no times.
func (w watermark) mark() string {
	if w.Newest.IsZero() {
		return ""
	}
	w.Since, w.Cursor = "", ""
	return w.text()
}

func (w watermark) text() string {
	text, err := json.Marshal(w)
	if err != nil {
		return "" // times of more than four digits of a year
	}
	return watermarkPrefix + string(text)
}
