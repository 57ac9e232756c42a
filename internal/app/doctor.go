package app

import (
	"context"
	"fmt"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/store"
)

// Examine looks over the whole store: whether it can be written, whether every package has its bytes
// and they fit their digest, whether search agrees with the catalog. With repair it fixes what it can.
func (a *App) Examine(ctx context.Context, repair bool) ([]core.Finding, error) {
	findings := []core.Finding{a.examineDatabase(ctx), a.examineBlobs(ctx)}
	members, err := a.ExamineMembers(ctx)
	if err != nil {
		return findings, err
	}
	findings = append(findings, members...)
	findings = append(findings, a.examineLearners(ctx)...)
	search, err := a.ExamineSearch(ctx, repair)
	if err != nil {
		return findings, err
	}
	scans, err := a.ExamineScans(ctx)
	if err != nil {
		return findings, err
	}
	names, err := a.ExamineIDs(ctx)
	if err != nil {
		return findings, err
	}
	feeds, err := a.ExamineFeeds(ctx)
	if err != nil {
		return findings, err
	}
	packages, err := a.ExaminePackages(ctx, repair)
	return append(findings, search, scans, names, feeds, packages), err
}

func (a *App) examineDatabase(ctx context.Context) core.Finding {
	if err := a.Store.Check(ctx); err != nil {
		return core.Finding{Check: "database", OK: false, Detail: fmt.Sprintf("cannot be written: %v", err), Fix: "free disk space, check permissions, or check that PostgreSQL takes writes"}
	}
	return core.Finding{Check: "database", OK: true, Detail: fmt.Sprintf("%s can be written", a.Store.Engine())}
}

func (a *App) examineBlobs(ctx context.Context) core.Finding {
	if err := a.Blobs.Check(ctx); err != nil {
		return core.Finding{Check: "blobs", OK: false, Detail: err.Error(), Fix: "free disk space, check the folder's permissions, or check the object store and its keys"}
	}
	return core.Finding{Check: "blobs", OK: true, Detail: "packages can be stored"}
}

// diskPatience is how long the pages of a database may be counted.
const diskPatience = 10 * time.Second

// DiskUse lists what fills the disk, the largest first.
func (a *App) DiskUse(ctx context.Context) ([]store.DiskUse, error) {
	ctx, cancel := context.WithTimeout(ctx, diskPatience)
	defer cancel()
	return a.Store.DiskUse(ctx)
}
