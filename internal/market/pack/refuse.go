package pack

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// Reasons for which a package is refused, in the error's data under "reason"; "entry" names the file. Those of
// strictjson and of market/archive stand there too.
const (
	ReasonMissingFile     = "missing_file"
	ReasonUnexpectedFile  = "unexpected_file"
	ReasonFileTooLarge    = "file_too_large"
	ReasonBinaryFile      = "binary_file"
	ReasonPicture         = "picture_not_taken"
	ReasonBadManifest     = "bad_manifest"
	ReasonBadBundle       = "bad_bundle"
	ReasonBadSection      = "bad_section"
	ReasonTooManyValues   = "too_many_values"
	ReasonHashMismatch    = "section_hash_mismatch"
	ReasonUnknownSetup    = "unknown_setup"
	ReasonNothingToImport = "nothing_to_import"
	ReasonUnreadable      = "unreadable"
)

// Refuse makes the error for a package that is not accepted. The message is for people; reason and entry, the
// file concerned or "", are in the error's data.
func Refuse(code errs.Code, reason, entry, message string) *errs.Error {
	e := errs.New(code, message).With("reason", reason)
	if entry != "" {
		e = e.With("entry", Clean(entry))
	}
	return e
}

// refuseJSON turns an error of strictjson into a refusal of the file entry.
func refuseJSON(code errs.Code, reason, entry string, err error) *errs.Error {
	var s *strictjson.Error
	if errors.As(err, &s) {
		if s.Problem == strictjson.TooMany {
			reason = ReasonTooManyValues
		}
		return Refuse(code, reason, entry, Clean(entry)+": "+s.Error()).With("problem", string(s.Problem))
	}
	return Refuse(code, reason, entry, Clean(entry)+" cannot be read as JSON.")
}

// cleanBytes bounds a name that is shown.
const cleanBytes = 240

// Clean makes a stranger's file name or key fit for a message: at most 240 bytes, nothing that a terminal or
// a log would act on.
func Clean(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.Is(unicode.C, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return -1
		}
		return r
	}, name)
	if len(name) <= cleanBytes {
		return name
	}
	cut := cleanBytes - len("…")
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + "…"
}
