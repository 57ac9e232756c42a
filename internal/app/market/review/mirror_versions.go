package review

import (
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// knownVersion is the version of a mirrored document when that was published here already with the same content, else "".
func (a *Service) knownVersion(ctx context.Context, d *catalog.Document) (string, error) {
	item, err := a.Store.Item(ctx, d.Kind, d.ID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	versions, err := a.Store.Versions(ctx, item.Seq)
	if err != nil {
		return "", err
	}
	for _, v := range versions {
		if v.Version == d.Version && v.ContentDigest == d.ContentDigest() {
			return v.Version, nil
		}
	}
	return "", nil
}

// showMirrored makes a version that was published here before the one that a mirrored item shows, as its source does: newer ones
// are withdrawn, and it is put back when it was.
func (a *Service) showMirrored(ctx context.Context, tx *store.Tx, e marketdb.MirrorEntry, version string) error {
	item, err := tx.Item(ctx, e.Kind, e.ItemID)
	if err != nil {
		return err
	}
	versions, err := tx.Versions(ctx, item.Seq)
	if err != nil {
		return err
	}
	in := WithdrawInput{ItemID: item.ItemID, Version: version}
	if item, _, err = a.decideVersion(ctx, tx, core.Operator, item, versions, in); err != nil {
		return err
	}
	for _, v := range versions { // newest first
		if v.Version == version {
			return nil
		}
		in := WithdrawInput{ItemID: item.ItemID, Version: v.Version, Withdrawn: true, Note: "Its source shows an earlier version again.", byMirror: true}
		if item, _, err = a.decideVersion(ctx, tx, core.Operator, item, versions, in); err != nil {
			return err
		}
	}
	return nil
}
