package submit

import (
	"context"
	"errors"
	"fmt"

	"stoa/internal/market/catalog"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/ids"
	"stoa/internal/market/redact"
	"stoa/internal/market/scan"
	"stoa/internal/market/strictjson"
	"stoa/internal/market/submission"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// itemState is how something that a member submits stands to what is published under its id.
type itemState struct {
	userID    string
	Item      marketdb.Item
	Published *catalog.Document // its newest version; nil when nothing is published
	// namespaceOf is what somebody else is called who has the part before the slash; "" for nobody, or when the submitter may
	// know that the item is published.
	namespaceOf string
}

// ItemStateOf gives how what a member submits stands to what is published.
func (a *Service) ItemStateOf(ctx context.Context, kind catalog.Kind, id, userID string) (itemState, error) {
	out := itemState{userID: userID}
	item, err := a.Store.Item(ctx, kind, id)
	if errors.Is(err, sqldb.ErrNotFound) {
		out.namespaceOf, err = a.namespaceOf(ctx, ids.Namespace(id), userID)
		return out, err
	}
	if err != nil {
		return out, err
	}
	if item.Visibility == catalog.Private && item.Owner != userID { // as if it were not there
		if out.namespaceOf, err = a.namespaceOf(ctx, ids.Namespace(id), userID); err != nil {
			return out, err
		}
	}
	v, err := a.Cache.Version(ctx, item.Seq, item.Version)
	if err != nil {
		return out, err
	}
	out.Item, out.Published = item, &v.Document
	return out, nil
}

// Ours says whether the published item is the submitter's own.
func (s itemState) Ours() bool { return s.Published != nil && s.Item.Owner == s.userID }

// scanOptions are those of a scan in a mode. What a reviewer accepted in the published version of the same
// owner stays accepted; what is new does not.
func (s itemState) scanOptions(mode string) scan.Options {
	o := scan.Options{Mode: scan.Balanced}
	if mode == submission.Strict {
		o.Mode = scan.Strict
	}
	if s.Ours() {
		o.Accepted = s.Published.Scan.Counted()
	}
	return o
}

// Beyond is what a document reaches and the published version does not. Nothing is said of versions whose
// reach is not known.
func (s itemState) Beyond(d *catalog.Document) []string {
	if s.Published == nil || s.Published.Reach == nil || d.Reach == nil {
		return []string{}
	}
	return d.Reach.Beyond(*s.Published.Reach)
}

// labels are the review labels that come from the state of the item alone; an error when the submission cannot be taken.
func (a *Service) labels(ctx context.Context, s itemState, d *catalog.Document, visibility catalog.Visibility) ([]string, error) {
	if s.Published == nil || !s.Ours() && s.Item.Visibility == catalog.Private { // the submitter must not learn that it exists; see Review
		if s.namespaceOf != "" {
			return []string{submission.OwnershipConflict}, nil // not refused: whoever signs up as "writing" would shut others out of writing/
		}
		return nil, nil
	}
	if !s.Ours() {
		return []string{submission.OwnershipConflict}, nil
	}
	if s.Item.Visibility != visibility {
		return nil, errs.Invalid("visibility", Stays(s.Item))
	}
	var out []string
	versions, err := a.Store.Versions(ctx, s.Item.Seq)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if v.Version == d.Version {
			out = append(out, submission.VersionConflict)
		}
	}
	if len(s.Beyond(d)) > 0 {
		out = append(out, submission.ReachWidened)
	}
	return out, nil
}

// Leaves reports what a document holds, whose sections stand in it or in its package.
func Leaves(d *catalog.Document, sections map[string]any, redaction redact.Result) (disclosure.Report, error) {
	if d.Pack == nil {
		return disclosure.OfSections(LocaleTexts(d), strictjson.Canonical, redaction, nil)
	}
	return disclosure.OfSections(sections, strictjson.Canonical, redaction, d.Pack.Capabilities)
}

// LocaleTexts are the texts of a document by language.
func LocaleTexts(d *catalog.Document) map[string]any {
	texts := map[string]any{}
	for _, tag := range d.LocaleTags() {
		text := d.Locales[tag]
		texts[tag] = map[string]any{"title": text.Title, "description": text.Description, "prompt": text.Prompt}
	}
	return texts
}

// ReachOf is the reach that a document keeps of a report.
func ReachOf(r disclosure.Report) *disclosure.Reach {
	reach := r.Reach()
	return &reach
}

// OwnerName names the owner of an item for an error.
func OwnerName(owner string) string {
	if owner == "" {
		return "the operator"
	}
	return owner
}

// Stays says that an item keeps its visibility: the earlier versions of a private one would be seen by
// everybody, and those of a public one be taken from whoever has them.
func Stays(item marketdb.Item) string {
	if item.Visibility == catalog.Withdrawn {
		return "stays withdrawn until the item is put back in the catalog"
	}
	return fmt.Sprintf("stays %s, as that of the versions before; take another id for another visibility", item.Visibility)
}
