package cards

import (
	"context"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/platform/errs"
)

// ImportAnkiFile takes a package in that has arrived.
func (a *Service) ImportAnkiFile(ctx context.Context, c core.Caller, in AnkiImportInput, f *notebook.File) (AnkiImport, error) {
	if f.Staged.Size() == 0 {
		return AnkiImport{}, errs.Invalid("content_base64", "holds no file")
	}
	return a.importAnki(ctx, c, in, f.Staged, f.Staged.Size())
}
