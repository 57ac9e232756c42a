package submit

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// longestTitle is the longest title that a form takes, in characters.
const longestTitle = 200

// SubmissionCheckInput is what a member is about to submit, as far as they have typed it.
type SubmissionCheckInput struct {
	UserID  string       `json:"user_id"`
	Kind    catalog.Kind `json:"kind"`
	ItemID  string       `json:"item_id"`
	Version string       `json:"version"`
	Title   string       `json:"title"`
	Text    string       `json:"text"`
}

// The problems that a check names.
const (
	ProblemMissing   = "missing"
	ProblemForm      = "form"      // an id or a version that does not follow its rule
	ProblemReserved  = "reserved"  // an id that speaks for the operator
	ProblemTaken     = "taken"     // the id of an item of somebody else
	ProblemPublished = "published" // a version that is published already
	ProblemOlder     = "older"     // a version that comes before the published one
	ProblemLong      = "long"
)

// FieldProblem is what is wrong with one of the fields.
type FieldProblem struct {
	Field   string `json:"field"` // item_id, version or title
	Problem string `json:"problem"`
}

// SubmissionCheck says what is wrong with what is about to be submitted.
type SubmissionCheck struct {
	ItemID   string         `json:"item_id"`
	Problems []FieldProblem `json:"problems"`
	// Published is the latest version of the caller's own item of this id, and Next one that would come after it; "" without one.
	Published string `json:"published_version"`
	Next      string `json:"next_version"`
	// Returns are what a reviewer asked to take out of the item and stands in the text.
	Returns []Removal `json:"returns"`
}

// CheckSubmission answers what is wrong with the fields of a submission while they are typed. It writes nothing.
func (a *Service) CheckSubmission(ctx context.Context, c core.Caller, in SubmissionCheckInput) (SubmissionCheck, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return SubmissionCheck{}, err
	}
	if in.Kind != catalog.KindProfilePack {
		in.Kind = catalog.KindTemplate
	}
	in.ItemID, in.Version, in.Title = strings.TrimSpace(in.ItemID), strings.TrimSpace(in.Version), strings.TrimSpace(in.Title)
	out := SubmissionCheck{ItemID: in.ItemID, Problems: []FieldProblem{}, Returns: []Removal{}}
	wrong := func(field, problem string) { out.Problems = append(out.Problems, FieldProblem{field, problem}) }
	switch n := utf8.RuneCountInString(in.Title); {
	case n == 0:
		wrong("title", ProblemMissing)
	case n > longestTitle:
		wrong("title", ProblemLong)
	}
	item, err := a.Store.Item(ctx, in.Kind, in.ItemID)
	known := err == nil
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return out, err
	}
	switch {
	case in.ItemID == "":
		wrong("item_id", ProblemMissing)
	case known && item.Owner != userID && item.Visibility != catalog.Private: // a private one is nobody else's business
		wrong("item_id", ProblemTaken)
	case known && item.Owner == userID:
		out.Published, out.Next = item.Version, following(item.Version)
	default:
		if !ids.Item(in.ItemID) {
			wrong("item_id", ProblemForm)
			break
		}
		if (itemState{}).checkNew(in.Kind, in.ItemID) != nil {
			wrong("item_id", ProblemReserved)
		}
	}
	problem, err := a.versionProblem(ctx, in.Version, item, out.Published != "")
	if err != nil {
		return out, err
	}
	if problem != "" {
		wrong("version", problem)
	}
	out.Returns, err = a.returned(ctx, userID, in.Kind, in.ItemID, func() (map[string]any, error) {
		return map[string]any{"title": in.Title, "text": in.Text}, nil
	})
	return out, err
}

// versionProblem says what is wrong with a version beside those of the caller's own item, where there is one.
func (a *Service) versionProblem(ctx context.Context, version string, item marketdb.Item, ours bool) (string, error) {
	switch {
	case version == "":
		return ProblemMissing, nil
	case !ids.Version(version):
		return ProblemForm, nil
	case !ours:
		return "", nil
	}
	versions, err := a.Store.Versions(ctx, item.Seq)
	if err != nil {
		return "", err
	}
	switch {
	case slices.ContainsFunc(versions, func(v marketdb.Version) bool { return v.Version == version }):
		return ProblemPublished, nil
	case ids.Version(item.Version) && ids.CompareVersions(version, item.Version) < 0:
		return ProblemOlder, nil
	}
	return "", nil
}
