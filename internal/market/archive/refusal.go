package archive

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reason names why an archive is refused, for programs and translations.
type Reason string

// The reasons.
const (
	EmptyFile      Reason = "empty_file"
	NotAZip        Reason = "not_a_zip"
	Truncated      Reason = "truncated"
	PackedTooLarge Reason = "packed_too_large"

	PrefixData        Reason = "prefix_data"
	TrailingData      Reason = "trailing_data"
	Comment           Reason = "comment"
	SecondEndRecord   Reason = "second_end_record"
	MultiDisk         Reason = "multi_disk"
	BadZip64          Reason = "bad_zip64"
	BadDirectory      Reason = "bad_directory"
	DirectoryTooLarge Reason = "directory_too_large"
	TooManyEntries    Reason = "too_many_entries"

	EncryptedEntry     Reason = "encrypted_entry"
	UnsupportedMethod  Reason = "unsupported_method"
	UnsupportedFeature Reason = "unsupported_feature"
	BadExtra           Reason = "bad_extra"
	UnknownExtra       Reason = "unknown_extra"
	Link               Reason = "link"
	SpecialFile        Reason = "special_file"
	TypeMismatch       Reason = "type_mismatch"
	DirectoryNotEmpty  Reason = "directory_not_empty"

	NameEncoding    Reason = "name_encoding"
	NameControl     Reason = "name_control"
	UnicodePath     Reason = "unicode_path_mismatch"
	AbsolutePath    Reason = "absolute_path"
	PathTraversal   Reason = "path_traversal"
	Backslash       Reason = "backslash"
	Colon           Reason = "colon"
	BadPath         Reason = "bad_path"
	TrailingDot     Reason = "trailing_dot"
	ReservedName    Reason = "reserved_name"
	PathTooLong     Reason = "path_too_long"
	PathTooDeep     Reason = "path_too_deep"
	DuplicateName   Reason = "duplicate_name"
	FileIsDirectory Reason = "file_directory_collision"

	OverlappingEntries Reason = "overlapping_entries"
	HiddenData         Reason = "hidden_data"
	LocalMismatch      Reason = "local_mismatch"

	SizeMismatch     Reason = "size_mismatch"
	CRCMismatch      Reason = "crc_mismatch"
	BadData          Reason = "bad_data"
	FileTooLarge     Reason = "file_too_large"
	UnpackedTooLarge Reason = "unpacked_too_large"
	CompressionRatio Reason = "compression_ratio"

	FileMissing   Reason = "file_missing"
	NestedTooDeep Reason = "nested_too_deep"
	NestedUnread  Reason = "nested_not_read"
)

const again = " Pack the files again with an ordinary zip tool."

// messages say what is wrong and what to do. Those with a verb take the limit that was met.
var messages = map[Reason]string{
	EmptyFile:      "The file is empty. Choose the zip again.",
	NotAZip:        "The file is no zip archive. Pack the files as a .zip.",
	Truncated:      "The zip ends too early. Save or upload it again in full.",
	PackedTooLarge: "The zip is larger than %s. Leave out what is not needed, or split it.",

	PrefixData:        "There are bytes before the first file of the zip, as in a self-extracting archive." + again,
	TrailingData:      "There are bytes behind the end of the zip." + again,
	Comment:           "The zip or one of its files has a comment, where other data can hide." + again,
	SecondEndRecord:   "The zip has two ends, so that two programs would read two different archives." + again,
	MultiDisk:         "The zip is one part of a split archive. Join the parts into one zip.",
	BadZip64:          "The zip's 64-bit records contradict the others." + again,
	BadDirectory:      "The zip's list of files is damaged." + again,
	DirectoryTooLarge: "The zip's list of files is larger than %s. Pack fewer files, or shorter names.",
	TooManyEntries:    "The zip holds more than %d files and folders. Pack fewer.",

	EncryptedEntry:     "A file is encrypted, so nobody can check it. Pack it without a password.",
	UnsupportedMethod:  "A file is packed by a method other than deflate. Choose “deflate” or “store” and pack again.",
	UnsupportedFeature: "A file uses a feature of the zip format that is not accepted (patches)." + again,
	BadExtra:           "The additional fields of a file are damaged." + again,
	UnknownExtra:       "A file has an additional field of an unknown kind, where other data can hide." + again,
	Link:               "The zip holds a link to another file. Pack the file itself.",
	SpecialFile:        "The zip holds a device, a pipe or a socket. Leave it out.",
	TypeMismatch:       "An entry is a file by its name and a folder by its attributes, or the other way round." + again,
	DirectoryNotEmpty:  "A folder entry has content of its own." + again,

	NameEncoding:    "A file name is not UTF-8. Pack again with a tool that writes UTF-8 names.",
	NameControl:     "A file name holds invisible or direction-changing characters. Rename the file.",
	UnicodePath:     "A file has two different names in the zip." + again,
	AbsolutePath:    "A file name begins with “/”. Pack with names relative to the folder.",
	PathTraversal:   "A file name leads out of the folder with “..”. Pack from inside the folder.",
	Backslash:       "A file name holds a backslash. Pack with a tool that separates folders by “/”.",
	Colon:           "A file name holds a colon or a drive letter. Rename the file.",
	BadPath:         "A file name is empty or has an empty or “.” part. Rename the file.",
	TrailingDot:     "A part of a file name ends in a dot or a blank, which some systems drop. Rename the file.",
	ReservedName:    "A file name is reserved by Windows (such as CON or NUL). Rename the file.",
	PathTooLong:     "A file name with its folders is longer than %d bytes. Shorten it.",
	PathTooDeep:     "A file lies more than %d folders deep. Move it up.",
	DuplicateName:   "Two files have the same name, or names that differ only in case or accents' spelling. Rename one.",
	FileIsDirectory: "A name is used for a file and for a folder. Rename one.",

	OverlappingEntries: "Files of the zip overlap each other, as in a zip bomb." + again,
	HiddenData:         "The zip holds bytes between its files that belong to none." + again,
	LocalMismatch:      "A file is described in two ways that contradict each other." + again,

	SizeMismatch:     "A file does not have the size that the zip says." + again,
	CRCMismatch:      "A file is damaged: its checksum is wrong. Pack it again from the original.",
	BadData:          "The packed data of a file are damaged." + again,
	FileTooLarge:     "A file is larger than %s unpacked. Leave it out or split it.",
	UnpackedTooLarge: "The files are larger than %s together when unpacked. Leave some out.",
	CompressionRatio: "The content unpacks to more than %g times its packed size, as in a zip bomb. Leave out files that are mostly empty.",

	FileMissing:   "The zip has no file of this name.",
	NestedTooDeep: "Zips are packed inside each other more than %d deep. Unpack the inner ones.",
	NestedUnread:  "A zip this deep inside the other is listed and not read. Unpack it.",
}

// Refusal is the error of an archive that is not taken.
type Refusal struct {
	Reason Reason
	// Entry is the name at fault, made fit to show, or "" when the archive as a whole is.
	Entry string
	// Message is for people: what is wrong and what to do.
	Message string
}

func (r *Refusal) Error() string {
	if r.Entry == "" {
		return fmt.Sprintf("%s: %s", r.Reason, r.Message)
	}
	return fmt.Sprintf("%s: %s: %s", r.Reason, r.Entry, r.Message)
}

func refuse(reason Reason, entry string, args ...any) *Refusal {
	message := messages[reason]
	if len(args) > 0 {
		message = fmt.Sprintf(message, args...)
	}
	return &Refusal{Reason: reason, Entry: show(entry), Message: message}
}

// show makes a stranger's path fit to show: valid UTF-8, no invisible characters, at most 240 bytes.
func show(name string) string {
	const most = 240
	if len(name) > 4*most {
		name = name[:4*most]
	}
	name = strings.Map(func(r rune) rune {
		if invisible(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	if len(name) <= most {
		return name
	}
	cut := most - len("…")
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + "…"
}
