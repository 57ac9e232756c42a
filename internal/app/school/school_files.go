package school

import (
	"context"

	"stoa/internal/app/core"
	"stoa/internal/platform/errs"
)

// ImportAnkiFile takes a package in that has arrived.
func (a *School) ImportAnkiFile(ctx context.Context, c core.Caller, in AnkiImportInput, f *File) (AnkiImport, error) {
	if f.staged.Size() == 0 {
		return AnkiImport{}, errs.Invalid("content_base64", "holds no file")
	}
	return a.ImportAnki(ctx, c, in, f.staged, f.staged.Size())
}
