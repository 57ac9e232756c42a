package graph

import (
	"math"
	"slices"
	"strings"

	"stoa/internal/learning/notes"
)

// A link alone says that two notes have to do with each other. It is taken for a prerequisite only when the words around
// it say more. These are judged chances that the target of a link with each cue is necessary for the note that links it.
// They are not calibrated on links that nothing was chosen on; `stoa eval prerequisites` measures them on labelled ones.
var cueChance = map[notes.Cue]float64{
	notes.CueNeeds:   0.84,
	notes.CueNeeded:  0.8,
	notes.CueDefines: 0.86,
	notes.CueUses:    0.74,
}

const (
	// doubted is the chance that the linked note comes first below which words alone are not believed.
	doubted = 0.3
	// unknownLabel is the share of links in relation lines of unknown wording that are prerequisites, when the habits of
	// the vault say their direction plainly.
	// A wording counts when it governs so many links.
	unknownLabel, plainly, oftenSaid = 0.85, 0.9, 12
	// bothWays is what is left of a chance when the notes link each other.
	bothWays = 0.75
)

// inferredNeed makes the prerequisite that is not written, if there is enough evidence for one.
func (l *Library) inferredNeed(a, b *node) (Edge, bool) {
	if a.apart || b.apart {
		return Edge{}, false
	}
	first, evidenceFirst := l.need(b, a) // that b needs a: a comes first
	second, evidenceSecond := l.need(a, b)
	source, target, p, evidence := a, b, first, evidenceFirst
	if second > first {
		source, target, p, evidence = b, a, second, evidenceSecond
	}
	if first > 0 && second > 0 {
		p *= bothWays
	}
	switch order := numbered(source, target); {
	case order < 0:
		return Edge{}, false // against the author's numbers
	case order > 0:
		p = 1 - (1-p)*0.6
	}
	if p < least {
		return Edge{}, false
	}
	e := edge(notes.Prerequisite, source.concept().ID, target.concept().ID, Inferred, min(p, most), "")
	slices.Sort(evidence)
	evidence = slices.DeleteFunc(slices.Compact(evidence), func(s string) bool { return s == "" })
	e.Evidence = evidence[:min(len(evidence), maxEvidence)]
	return e, true
}

// need is the chance in 0..1 that a note needs another one, by the links between them, with the spans that say so. It is
// 0 without evidence.
func (l *Library) need(from, to *node) (best float64, evidence []string) {
	for _, way := range [2][2]*node{{from, to}, {to, from}} {
		linking, linked := way[0], way[1]
		if !linking.out[linked] || linking.index {
			continue
		}
		for i, t := range linking.targets {
			r := &linking.rec.Links[i]
			if t != linked || r.Kind != notes.None || r.Plain || r.Inferred {
				continue
			}
			v := describe(linking, linked)
			ahead := chance(v.odds(&weights) + l.leaning(linking, r)) // that what is linked comes first
			inverse := linking == to
			if inverse {
				ahead = 1 - ahead // now: that `to` comes first
			}
			p := l.linkChance(linking, r, inverse, ahead)
			if p <= 0 || linked.index && r.Cue != notes.CueNeeds {
				continue
			}
			best = max(best, p)
			evidence = append(evidence, r.Span)
		}
	}
	return best, evidence
}

// linkChance is the chance that the link means a need. inverse says that the note which would be needed is the one that
// links; ahead is the chance by all other evidence that the needed note comes first.
func (l *Library) linkChance(linking *node, r *LinkRecord, inverse bool, ahead float64) float64 {
	p := 0.0
	switch {
	case r.Label != "" && r.Label[0] != '#' && r.Cue != notes.CueAside: // a relation line of unknown wording
		if said := l.pools[r.Label]; ahead >= plainly && said != nil && said.n >= oftenSaid {
			p = unknownLabel
		}
		return p
	case inverse != (r.Cue == notes.CueNeeded):
		return 0
	default:
		p = cueChance[r.Cue]
	}
	if p == 0 || r.Cue == notes.CueUses && (ahead < doubted || r.Heading != "" || !linking.defines) {
		return 0 // a use of one section of a note does not need the whole note
	}
	// Independent evidence of the direction moves a chance by at most half a unit of log odds.
	z := math.Log(p/(1-p)) + clamp(math.Log(ahead/(1-ahead))/4, 0.5)
	return chance(z)
}

// numbered compares the author's numbers of two notes of one folder: 1 when a stands before b, -1 when after, 0 unknown.
func numbered(a, b *node) int {
	if a.dir != b.dir || a.rec.Order <= 0 || b.rec.Order <= 0 {
		return 0
	}
	return int(sign(b.rec.Order - a.rec.Order))
}

// Marks of index notes: so many links to other notes, and more than this share of the words kept of it.
const (
	indexLinks = 14
	indexShare = 0.11
)

// apartWords are folders and dotted names of notes that are no subject to learn; apartTitles begin their titles.
var (
	apartWords = map[string]bool{
		"changelog": true, "releases": true, "release": true, "journal": true, "daily": true, "dailies": true, "weekly": true, "people": true, "persons": true, "person": true, "authors": true,
		"contacts": true, "template": true, "templates": true, "inbox": true, "archive": true, "attachments": true, "assets": true, "asset": true, "meetings": true, "meeting": true, "events": true,
		"community": true, "blog": true, "scratch": true, "user": true, "users": true, "tags": true, "license": true, "contributing": true, "roadmap": true, "testimonials": true, "faq": true,
		"人物": true, "日记": true, "日記": true, "模板": true, "テンプレート": true, "日報": true, "personen": true, "tagebuch": true, "vorlagen": true, "persone": true, "diario": true, "personnes": true, "modèles": true,
	}
	indexTitles = []string{"index", "moc", "map of content", "overview", "contents", "table of contents", "home", "start here", "readme", "目录", "索引", "目次", "inhalt", "übersicht", "indice", "sommaire", "índice"}
)

// classify says what kind of note it is as far as prerequisites go: apart is no subject to learn (a log, a date, a person),
// index one that mainly leads to others, defines one that says what its subject is, or states or shows something of it.
func (n *node) classify() {
	title := notes.Fold(n.rec.Title)
	n.apart = dated(title) || dated(n.clean[strings.LastIndexByte(n.clean, '/')+1:])
	for _, part := range strings.FieldsFunc(n.clean, func(r rune) bool { return r == '/' || r == '.' }) {
		n.apart = n.apart || apartWords[part]
	}
	n.index = n.rec.Genre == notes.Overview
	title = strings.Trim(title, "_-+! ")
	for _, w := range indexTitles {
		n.index = n.index || title == w || strings.HasSuffix(title, " "+w) || strings.HasPrefix(title, w+" ")
	}
	n.defines = genreRank[n.rec.Genre] > 0
	links := map[string]bool{}
	for i := range n.rec.Links {
		n.defines = n.defines || n.rec.Links[i].Cue == notes.CueDefines
		if r := &n.rec.Links[i]; (r.Kind == notes.None || r.Kind == notes.Reference) && !r.Plain && len(r.Keys) > 0 && (r.Label == "" || r.Label[0] == '#') {
			links[r.Keys[0]] = true
		}
	}
	n.index = n.index || len(links) >= indexLinks && float64(len(links)) > indexShare*float64(len(n.rec.Terms))
}

// dated reports titles that are a day, a year or a version: digits and marks with at most one letter.
func dated(title string) bool {
	digits, letters := 0, 0
	for _, r := range title {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r == ' ' || r == '.' || r == '-' || r == '_' || r == '/' || r == ':' || r == '年' || r == '月' || r == '日':
		default:
			letters++
		}
	}
	return digits > 0 && letters <= 1 || digits >= 6 && digits > letters && len(title) >= 8 && title[0] >= '1' && title[0] <= '2'
}
