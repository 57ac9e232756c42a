package submit

import (
	"context"
	"errors"

	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/market/scan/normal"
	"stoa/internal/market/submission"
	"stoa/internal/market/visible"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// checkNew refuses the id of a new item that does not follow the rule for ids, or that speaks for the operator. An item
// that is published already keeps the id it has; one that is somebody's private item is judged as if it were not there, so
// that nobody learns of it.
func (s itemState) checkNew(kind catalog.Kind, id string) error {
	if s.Published != nil && (s.Ours() || s.Item.Visibility != catalog.Private) {
		return nil
	}
	field := "template_id"
	if kind == catalog.KindProfilePack {
		field = "pack_id"
	}
	if !ids.New(id) {
		return errs.Invalid(field, ids.ItemRule)
	}
	if namespace := ids.Namespace(id); ids.Reserved(namespace) || namespace == "" && ids.Reserved(id) {
		return errs.Invalid(field, "must not begin with a name that speaks for this server or its operator")
	}
	return nil
}

// namespaceOf gives the account or the mirror that a namespace names, or could be taken for, when it is not userID's own.
func (a *Service) namespaceOf(ctx context.Context, namespace, userID string) (string, error) {
	if namespace == "" || namespace == userID {
		return "", nil
	}
	other, err := a.Store.Lookalike(ctx, namespace)
	if errors.Is(err, sqldb.ErrNotFound) {
		var m marketdb.Mirror
		m, err = a.Store.Mirror(ctx, namespace)
		other = m.Name
	}
	if errors.Is(err, sqldb.ErrNotFound) || other == userID {
		return "", nil
	}
	return other, err
}

// CheckVersion refuses a version that no item gets any more. What is published keeps the one it has.
func CheckVersion(version string) error {
	if !ids.VersionText(version) {
		return errs.Invalid("version", ids.VersionRule)
	}
	return nil
}

// checkShown refuses names that are not shown as what they are, and a maintainer who speaks for the operator.
func checkShown(d *catalog.Document, userID string) error {
	if err := CheckVersion(d.Version); err != nil {
		return err
	}
	names := []struct{ field, text string }{{"category", d.Category}, {"maintainer", d.Maintainer}}
	for _, tag := range d.Tags {
		names = append(names, struct{ field, text string }{"tags", tag})
	}
	for _, name := range names {
		hidden := visible.Hidden{}
		if hidden.Add(name.text); len(hidden) > 0 {
			return errs.Invalid(name.field, "must not hold characters that cannot be seen")
		}
	}
	if d.Maintainer != userID && ids.Reserved(normal.String(d.Maintainer)) {
		return errs.Invalid("maintainer", "must not be a name that speaks for this server or its operator")
	}
	return nil
}

// nameLabels are the review labels that come from the names of a document.
func nameLabels(d *catalog.Document) (labels []string) {
	if !ids.New(d.ID) {
		labels = append(labels, submission.OddID)
	}
	if ids.Official(d.ID) || ids.Official(normal.String(d.Maintainer)) {
		labels = append(labels, submission.OfficialName)
	}
	return labels
}
