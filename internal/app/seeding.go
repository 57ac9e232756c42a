package app

import (
	"bytes"
	"context"
	"embed"
	"fmt"

	"stoa/internal/market/catalog"
)

//go:embed seed/*.jsonl
var seed embed.FS

// Seed gives an empty store its official templates and packs, so that no first page is empty. It does
// nothing when anything is published already.
func (a *App) Seed(ctx context.Context) error {
	totals, err := a.store.ItemTotals(ctx)
	if err != nil || totals.Items > 0 {
		return err
	}
	for _, file := range []struct {
		name     string
		featured bool
	}{{"seed/templates.jsonl", false}, {"seed/packs.jsonl", true}} {
		text, err := seed.ReadFile(file.name)
		if err != nil {
			return err
		}
		report, err := a.Import(ctx, bytes.NewReader(text), ImportOptions{Channel: catalog.ChannelOfficial, Featured: file.featured})
		if err != nil {
			return err
		}
		if len(report.Refused) > 0 {
			return fmt.Errorf("app: seed content was refused: %+v", report.Refused)
		}
	}
	return nil
}
