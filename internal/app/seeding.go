package app

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/store"
)

//go:embed seed/*.jsonl
var seed embed.FS

// Seed gives a store without templates the official ones, and a store without packs the official
// packs, so that no first page is empty.
func (a *App) Seed(ctx context.Context) error {
	for _, file := range []struct {
		name     string
		kind     catalog.Kind
		featured bool
	}{{"seed/templates.jsonl", catalog.KindTemplate, false}, {"seed/packs.jsonl", catalog.KindProfilePack, true}} {
		there, err := a.store.AnyItem(ctx, file.kind)
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
		report, err := a.Import(ctx, bytes.NewReader(text), ImportOptions{Channel: catalog.ChannelOfficial, Featured: file.featured})
		if errors.Is(err, store.ErrConflict) {
			continue // another node that started at the same time was first
		}
		if err != nil {
			return err
		}
		if len(report.Refused) > 0 {
			return fmt.Errorf("app: seed content was refused: %+v", report.Refused)
		}
	}
	return nil
}
