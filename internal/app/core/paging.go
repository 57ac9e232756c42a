package core

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"stoa/internal/platform/errs"
)

// ErrCursor is for a cursor of another list, or of none.
var ErrCursor = errs.New(errs.InvalidCursor, "This cursor does not belong to this list. Begin again without one.")

// ParseIDCursor reads a cursor that is the id of the last item of the page before.
func ParseIDCursor(cursor string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	id, err := uuid.Parse(cursor)
	if err != nil || id.String() != cursor {
		return "", ErrCursor
	}
	return cursor, nil
}

// Storable tells whether both engines take a text as it is: PostgreSQL refuses NUL and broken UTF-8.
func Storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// PageInput asks for a page of a member's own things.
type PageInput struct {
	UserID string `json:"user_id"`
	Locale string `json:"locale"`
	Limit  int    `json:"limit"`
	Cursor string `json:"cursor"`
}

// defaultLimit is how many come without a limit.
const defaultLimit = 50

// Size is how many rows the page has at most.
func (in PageInput) Size() int {
	if in.Limit == 0 {
		return defaultLimit
	}
	return in.Limit
}
