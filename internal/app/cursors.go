package app

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"stoa/internal/platform/errs"
)

var errCursor = errs.New(errs.InvalidCursor, "This cursor does not belong to this list. Begin again without one.")

// idCursor reads a cursor that is the id of the last item of the page before.
func idCursor(cursor string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	id, err := uuid.Parse(cursor)
	if err != nil || id.String() != cursor {
		return "", errCursor
	}
	return cursor, nil
}

// storable tells whether both engines take a text as it is: PostgreSQL refuses NUL and broken UTF-8.
func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }
