package notebook

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/units"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// What a member may say of a note or section: to learn it, to leave it out, or that the rules decide.
const (
	choiceLearn     = "learn"
	choiceLeave     = "leave"
	choiceAutomatic = "automatic"
)

// LeftOutItem is a note or section that is not learned, or that is because the member said so.
type LeftOutItem struct {
	AtomID     string `json:"atomId"`
	DocumentID string `json:"documentId"`
	Path       string `json:"sourcePath"`
	Title      string `json:"title"`
	Reason     string `json:"reason"` // "" of what was included
	Choice     string `json:"choice"`
	Excerpt    string `json:"excerpt"`
}

// LeftOutList is what of a member's own notes is not learned.
type LeftOutList struct {
	Items      []LeftOutItem `json:"items"`
	Total      int           `json:"total"`
	NextCursor string        `json:"next_cursor"`
}

// LeftOutInput asks for what is left out, of all own notes or of one.
type LeftOutInput struct {
	UserID     string `json:"user_id"`
	DocumentID string `json:"documentId"`
	Limit      int    `json:"limit"`
	Cursor     string `json:"cursor"`
}

const (
	usualLeftOut   = 50
	longestExcerpt = 240 // bytes
)

// ListLeftOut answers what of the learner's own notes is not offered for learning, with why, and what they included.
func (a *Service) ListLeftOut(ctx context.Context, c core.Caller, in LeftOutInput) (LeftOutList, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return LeftOutList{}, err
	}
	r, err := a.Notes.Of(userID).Read(ctx)
	if err != nil {
		return LeftOutList{}, err
	}
	all := r.leftOut(in.DocumentID)
	out := LeftOutList{Items: []LeftOutItem{}, Total: len(all)}
	if in.Cursor != "" {
		text, err := base64.RawURLEncoding.DecodeString(in.Cursor)
		path, id, ok := strings.Cut(string(text), "\n")
		if err != nil || !ok {
			return LeftOutList{}, core.ErrCursor
		}
		at, found := slices.BinarySearchFunc(all, LeftOutItem{Path: path, AtomID: id}, orderLeftOut)
		if found {
			at++
		}
		all = all[at:]
	}
	limit := cmp.Or(in.Limit, usualLeftOut)
	if len(all) > limit {
		all = all[:limit]
		last := all[limit-1]
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(last.Path + "\n" + last.AtomID))
	}
	out.Items = append(out.Items, all...)
	for i := range out.Items {
		if at := r.Atoms[out.Items[i].AtomID]; at != nil {
			out.Items[i].Excerpt = core.Truncate(strings.Join(strings.Fields(at.Content), " "), longestExcerpt)
		}
	}
	return out, nil
}

func orderLeftOut(a, b LeftOutItem) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.AtomID, b.AtomID))
}

// leftOut lists what is left out or was included, of one document or of all, in the order of paths.
func (r *NotesSnapshot) leftOut(documentID string) []LeftOutItem {
	var all []LeftOutItem
	add := func(id, reason, choice string) {
		if at := r.Atoms[id]; at != nil && (documentID == "" || at.DocumentID == documentID) {
			all = append(all, LeftOutItem{AtomID: id, DocumentID: at.DocumentID, Path: at.SourcePath, Title: at.Title, Reason: reason, Choice: choice})
		}
	}
	for _, l := range r.left {
		choice := choiceAutomatic
		if l.Reason == units.Chosen {
			choice = choiceLeave
		}
		add(l.AtomID, string(l.Reason), choice)
	}
	for id, learn := range r.choices {
		if learn {
			add(id, "", choiceLearn)
		}
	}
	slices.SortFunc(all, orderLeftOut)
	return slices.CompactFunc(all, func(a, b LeftOutItem) bool { return a.AtomID == b.AtomID })
}

// LearnChoiceInput says of a note or section whether it is to be learned.
type LearnChoiceInput struct {
	UserID string `json:"user_id"`
	AtomID string `json:"atomId"`
	Choice string `json:"choice"`
}

// LearnChoice is a decision that was kept. Before is what to send to undo it.
type LearnChoice struct {
	AtomID   string `json:"atomId"`
	Choice   string `json:"choice"`
	Before   string `json:"before"`
	ChosenAt string `json:"chosenAt"`
	// Learned says whether it belongs to something that is learned now.
	Learned bool `json:"learned"`
}

// ChooseLearned keeps a member's decision on a note or section of their own, until they decide otherwise; an ingest does not change it.
func (a *Service) ChooseLearned(ctx context.Context, c core.Caller, in LearnChoiceInput) (LearnChoice, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return LearnChoice{}, err
	}
	lib := a.Notes.Of(userID)
	r, err := lib.Read(ctx)
	if err != nil {
		return LearnChoice{}, err
	}
	at := r.Atoms[in.AtomID]
	if at == nil || at.Role == graph.Part {
		return LearnChoice{}, errs.Invalid("atomId", "names no note or section of your own")
	}
	if strings.HasPrefix(at.DocumentID, "anki:") {
		return LearnChoice{}, errs.Invalid("atomId", "is a card; suspend its question instead")
	}
	out := LearnChoice{AtomID: in.AtomID, Choice: in.Choice, Before: choiceAutomatic}
	if learn, chosen := r.choices[in.AtomID]; chosen {
		out.Before = map[bool]string{true: choiceLearn, false: choiceLeave}[learn]
	}
	verdict := in.Choice
	if verdict == choiceAutomatic {
		verdict = ""
	}
	if _, err = lib.Change(ctx, func(*graph.Library) (graph.Changes, []schooldb.Correction) {
		return graph.Changes{}, []schooldb.Correction{{Source: in.AtomID, Target: in.AtomID, Verdict: verdict}}
	}, func(tx *store.Tx, _ graph.Changes) error {
		out.ChosenAt = clock.Text(tx.Now)
		return tx.AddEvent(core.NewAuditEvent(tx, c.As(userID), core.AuditEntry{Owner: userID, Action: "knowledge.learning_chosen", Target: in.AtomID, Status: in.Choice}))
	}); err != nil {
		return out, err
	}
	if r, err = lib.Read(ctx); err != nil {
		return out, err
	}
	out.Learned = r.of[in.AtomID] != ""
	return out, nil
}
