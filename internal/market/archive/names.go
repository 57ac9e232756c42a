package archive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// invisible is true for control, format (bidi, zero-width, tags) and line separator characters.
func invisible(r rune) bool {
	return r < ' ' || r == 0x7f || r > 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// checkName refuses every name that some system reads as another file than this one, below the folder it is
// unpacked in. A directory's name ends in one slash.
func checkName(name string, l *Limits) *Refusal {
	if !utf8.ValidString(name) {
		return refuse(NameEncoding, name)
	}
	for _, r := range name {
		switch {
		case invisible(r):
			return refuse(NameControl, name)
		case r == '\\':
			return refuse(Backslash, name)
		case r == ':':
			return refuse(Colon, name)
		}
	}
	if strings.HasPrefix(name, "/") {
		return refuse(AbsolutePath, name)
	}
	path := strings.TrimSuffix(name, "/")
	if len(path) > l.PathBytes {
		return refuse(PathTooLong, name, l.PathBytes)
	}
	depth := 0
	for segment := range strings.SplitSeq(path, "/") {
		switch depth++; {
		case segment == "..":
			return refuse(PathTraversal, name)
		case segment == "" || segment == ".":
			return refuse(BadPath, name)
		case strings.HasSuffix(segment, ".") || strings.HasSuffix(segment, " "):
			return refuse(TrailingDot, name)
		case reserved(segment):
			return refuse(ReservedName, name)
		}
	}
	if depth > l.PathDepth {
		return refuse(PathTooDeep, name, l.PathDepth)
	}
	return nil
}

// reserved is true for the device names of Windows, with any extension ("Naming Files, Paths, and
// Namespaces", learn.microsoft.com).
func reserved(segment string) bool {
	base, _, _ := strings.Cut(segment, ".")
	base = strings.TrimRight(base, " ")
	if len(base) < 3 || len(base) > len("CONOUT$") {
		return false
	}
	base = strings.ToUpper(base)
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	digit, ok := strings.CutPrefix(base, "COM")
	if !ok {
		digit, ok = strings.CutPrefix(base, "LPT")
	}
	return ok && utf8.RuneCountInString(digit) == 1 && strings.Contains("0123456789¹²³", digit)
}

// key is equal for names that a file system may take for one: NFC and folded case.
func key(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
		}
	}
	return strings.ToLower(name)
}

// checkCollisions refuses two entries of one name, and a file in the place of a folder.
func checkCollisions(entries []entry) *Refusal {
	seen := make(map[string]bool, len(entries)) // key → is a directory
	keys := make([]string, len(entries))
	for i := range entries {
		k := key(strings.TrimSuffix(entries[i].name, "/"))
		keys[i] = k
		if dir, ok := seen[k]; ok {
			if dir != entries[i].dir {
				return refuse(FileIsDirectory, entries[i].name)
			}
			return refuse(DuplicateName, entries[i].name)
		}
		seen[k] = entries[i].dir
	}
	for i, k := range keys {
		for at := strings.LastIndexByte(k, '/'); at > 0; at = strings.LastIndexByte(k[:at], '/') {
			if dir, ok := seen[k[:at]]; ok && !dir {
				return refuse(FileIsDirectory, entries[i].name)
			}
		}
	}
	return nil
}
