package propose

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/units"
)

// Reason is why a proposed question is not offered.
type Reason string

// The reasons.
const (
	Unreadable Reason = "unreadable"   // the model's answer is not the JSON that was asked for
	Malformed  Reason = "malformed"    // a field is missing, too long or of another type
	NoEvidence Reason = "no_evidence"  // its evidence does not stand in the note
	GivesAway  Reason = "gives_away"   // the answer stands in the question
	Duplicate  Reason = "duplicate"    // it is asked already, or was rejected
	Secret     Reason = "secret"       // it asks for what was masked
	NotFound   Reason = "not_answered" // the second call did not find the answer in the evidence
	Disagrees  Reason = "disagrees"    // it found another one
	Unchecked  Reason = "unchecked"    // its answer could not be read
	Changed    Reason = "note_changed" // the note is another than when the run was agreed to; of a part, which was not read
	TooMany    Reason = "too_many"     // more than were asked for
)

// Proposal is a question that a model proposed and that holds up by rule.
type Proposal struct {
	Prompt  string   `json:"prompt"`
	Answer  string   `json:"answer"`
	Others  []string `json:"others,omitempty"` // other wordings of the answer
	Points  []string `json:"points,omitempty"` // what an explanation must have
	Quote   string   `json:"quote"`            // the evidence
	AtomID  string   `json:"atomId"`
	Start   int      `json:"start"` // of the quote in the atom's content, in bytes
	ModelID string   `json:"modelId"`
}

// object decodes the JSON object that an answer holds, if it does; some put it between fences or thoughts.
func object(text string, into any) bool {
	from := strings.IndexByte(text, '{')
	return from >= 0 && len(text) <= longestReply && utf8.ValidString(text) && json.NewDecoder(strings.NewReader(text[from:])).Decode(into) == nil
}

// Read reads what a model said to Ask about a part of a unit. masked is what stands in place of a secret. Of what is not
// taken it counts why; ok is false when nothing of it can be read.
func Read(text string, u *units.Unit, masked string) (list []Proposal, dropped map[Reason]int, ok bool) {
	var said struct {
		Questions []json.RawMessage `json:"questions"`
	}
	if !object(text, &said) || said.Questions == nil {
		return nil, nil, false
	}
	dropped = map[Reason]int{}
	for i, raw := range said.Questions {
		if i >= MostQuestions {
			dropped[TooMany] += len(said.Questions) - i
			break
		}
		p, why := read(raw, u, masked)
		if why != "" {
			dropped[why]++
			continue
		}
		list = append(list, p)
	}
	return list, dropped, true
}

func read(raw json.RawMessage, u *units.Unit, masked string) (Proposal, Reason) {
	var said struct {
		Question     string   `json:"question"`
		Answer       string   `json:"answer"`
		Alternatives []string `json:"alternatives"`
		Rubric       []string `json:"rubric"`
		Evidence     string   `json:"evidence"`
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return Proposal{}, Malformed
	}
	p := Proposal{Prompt: strings.TrimSpace(said.Question), Answer: strings.TrimSpace(said.Answer), Quote: strings.TrimSpace(said.Evidence)}
	if !fits(p.Prompt, 4, longestPrompt) || !fits(p.Answer, 1, longestAnswer) || !fits(p.Quote, shortestQuote, longestQuote) || len(said.Alternatives) > mostOthers || len(said.Rubric) > mostPoints {
		return Proposal{}, Malformed
	}
	for _, one := range said.Alternatives {
		if one = strings.TrimSpace(one); !fits(one, 1, longestPhrase) {
			return Proposal{}, Malformed
		}
		p.Others = append(p.Others, one)
	}
	for _, one := range said.Rubric {
		if one = strings.TrimSpace(one); !fits(one, 1, longestPhrase) {
			return Proposal{}, Malformed
		}
		p.Points = append(p.Points, one)
	}
	if strings.Contains(p.Prompt+p.Answer+p.Quote+strings.Join(p.Others, " ")+strings.Join(p.Points, " "), masked) {
		return Proposal{}, Secret
	}
	var found bool
	if p.AtomID, p.Start, found = locate(u, p.Quote); !found {
		return Proposal{}, NoEvidence
	}
	if p.givesAway() {
		return Proposal{}, GivesAway
	}
	return p, ""
}

// fits reports whether a text has a length in characters and nothing that is not seen or turns the direction.
func fits(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return n >= least && n <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf) && r != '\u200c' && r != '\u200d' || r == utf8.RuneError)
	})
}

// givesAway reports whether a short answer stands in its question, word by word.
func (p *Proposal) givesAway() bool {
	want := prose.Words(p.Answer)
	if len(p.Points) > 0 || len(want) == 0 || len(want) > 6 {
		return false
	}
	said := prose.Words(p.Prompt)
	for i := 0; i+len(want) <= len(said); i++ {
		if slices.Equal(said[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

// Question makes a question of a proposal, not yet asked.
func (p *Proposal) Question(unitID string) questions.Question {
	q := questions.Pair(p.Prompt, p.Answer)
	if len(p.Points) > 1 {
		q.Kind, q.Answer.Points = questions.Explain, p.Points
	}
	q.Answer.Texts = append(q.Answer.Texts, p.Others...)
	q.UnitID, q.Origin, q.State, q.Quote = unitID, questions.Model, questions.Proposed, p.Quote
	q.Evidence = questions.Evidence{AtomID: p.AtomID, Start: p.Start, End: p.Start + len(p.Quote)}
	sum := sha256.Sum256([]byte(unitID + "\x00" + prose.Fold(p.Prompt) + "\x00" + prose.Fold(p.Answer)))
	q.ID = "qst_mdl_" + hex.EncodeToString(sum[:12])
	return q
}

// Known reports whether a question asks what one of others asks already: the same words, or the same answer from the
// same place with mostly the same words.
func (p *Proposal) Known(others []questions.Question) bool {
	prompt, answer := prose.Fold(p.Prompt), prose.Fold(p.Answer)
	words := prose.Words(p.Prompt)
	for i := range others {
		o := &others[i]
		if prose.Fold(o.Prompt) == prompt {
			return true
		}
		if prose.Fold(o.Expected()) != answer {
			continue
		}
		samePlace := o.Evidence.AtomID == p.AtomID && o.Evidence.Start < p.Start+len(p.Quote) && p.Start < o.Evidence.End
		if samePlace || alike(words, prose.Words(o.Prompt)) {
			return true
		}
	}
	return false
}

// alike reports whether two lists of words share most of them.
func alike(a, b []string) bool {
	shared := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			shared++
		}
	}
	return len(a) > 0 && 5*shared >= 4*max(len(a), len(b))
}
