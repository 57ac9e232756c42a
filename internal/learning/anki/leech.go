package anki

import (
	"slices"
	"strings"
)

// LeechLapses is how often a card is forgotten until Anki calls it a leech, unless a deck's options say otherwise.
const LeechLapses = 8

// leechTag is how Anki marks the notes of leeches.
const leechTag = "leech"

// HasLeech reports whether the tags of a note mark a leech.
func HasLeech(tags []string) bool {
	return slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, leechTag) })
}

// markLeech marks a note as Anki does.
func (n *Note) markLeech(modified int64) {
	if HasLeech(n.Tags) {
		return
	}
	n.Tags = append(slices.Clip(n.Tags), leechTag)
	n.Modified, n.USN = max(n.Modified, modified), -1
}
