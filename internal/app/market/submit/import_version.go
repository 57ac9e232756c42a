package submit

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"

	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/market/submission"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

type importState int

// What an imported version is to what is published.
const (
	IsNew importState = iota
	Changed
	Unchanged
)

// NextVersion says which version a document would be: its own if it names one, else 1.0.0 or one
// after the latest; and whether it says anything new.
func (a *Service) NextVersion(ctx context.Context, d *catalog.Document, owner string) (string, importState, error) {
	item, err := a.Store.Item(ctx, d.Kind, d.ID)
	if errors.Is(err, sqldb.ErrNotFound) {
		if d.Version == "" {
			return firstVersion, IsNew, nil
		}
		return d.Version, IsNew, nil
	}
	if err != nil {
		return "", IsNew, err
	}
	if item.Owner != owner {
		return "", IsNew, errs.Newf(errs.OwnershipConflict, "the id belongs to %s", OwnerName(item.Owner))
	}
	versions, err := a.Store.Versions(ctx, item.Seq)
	if err != nil {
		return "", IsNew, err
	}
	if versions[0].ContentDigest == d.ContentDigest() {
		return item.Version, Unchanged, nil
	}
	taken := func(v string) bool {
		return slices.ContainsFunc(versions, func(known marketdb.Version) bool { return known.Version == v })
	}
	if d.Version != "" && !taken(d.Version) {
		return d.Version, Changed, nil
	}
	next := item.Version
	for taken(next) {
		next = following(next)
	}
	return next, Changed, nil
}

// Waits tells whether a member's submission that says the same is waiting for review already.
func (a *Service) Waits(ctx context.Context, d *catalog.Document, owner string) (bool, error) {
	pending, err := a.Store.SubmissionsOf(ctx, d.Kind, d.ID, submission.Pending)
	digest := d.ContentDigest()
	return slices.ContainsFunc(pending, func(s marketdb.Submission) bool {
		return s.UserID == owner && s.Content.Document.ContentDigest() == digest
	}), err
}

var lastNumber = regexp.MustCompile(`^(.*?)(\d{1,9})$`)

// following counts a version's last number up; one without a number gets ".1". After one that cannot be followed so, because
// it is from before the rule for versions or too long, the counting begins again.
func following(version string) string {
	next := version + ".1"
	if m := lastNumber.FindStringSubmatch(version); m != nil {
		n, _ := strconv.Atoi(m[2]) // at most nine digits
		next = m[1] + strconv.Itoa(n+1)
	}
	if !ids.VersionText(next) {
		return firstVersion
	}
	return next
}
