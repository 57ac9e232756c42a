package review

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
)

//go:embed seed/*.jsonl
var seed embed.FS

var seeds = []struct {
	name     string
	kind     catalog.Kind
	featured bool
}{{"seed/templates.jsonl", catalog.KindTemplate, false}, {"seed/packs.jsonl", catalog.KindProfilePack, true}}

// Seed gives a store without templates the official ones, and a store without packs the official
// packs, so that no first page is empty. Of several nodes that start at once one does it, the others wait.
func (a *Service) Seed(ctx context.Context) error {
	for {
		seeded, err := a.seeded(ctx)
		if err != nil || seeded {
			return err
		}
		if did, err := a.RunExclusive(ctx, core.JobSeed, func(d *core.Job) error { return a.insertSeed(ctx, d) }); did || err != nil {
			return err
		}
		if !core.Sleep(ctx, time.Second) {
			return ctx.Err()
		}
	}
}

// seeded tells whether there is something of each kind.
func (a *Service) seeded(ctx context.Context) (bool, error) {
	for _, file := range seeds {
		if there, err := a.Store.AnyItem(ctx, file.kind); err != nil || !there {
			return false, err
		}
	}
	return true, nil
}

func (a *Service) insertSeed(ctx context.Context, d *core.Job) error {
	for _, file := range seeds {
		there, err := a.Store.AnyItem(ctx, file.kind)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		text, err := seed.ReadFile(file.name)
		if err != nil {
			return err
		}
		report, err := a.Import(ctx, bytes.NewReader(text), ImportOptions{Channel: catalog.ChannelOfficial, Featured: file.featured, write: d.Write})
		if err != nil {
			return err
		}
		if len(report.Refused) > 0 {
			return fmt.Errorf("app: seed content was refused: %+v", report.Refused)
		}
	}
	return nil
}
