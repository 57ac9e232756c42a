package pack

import (
	"errors"

	"stoa/internal/market/archive"
	"stoa/internal/platform/errs"
)

// RefusedArchive gives a refusal of market/archive the code of the request it belongs to; other errors stay as they are.
func RefusedArchive(code errs.Code, err error) error {
	var r *archive.Refusal
	if errors.As(err, &r) {
		return Refuse(code, string(r.Reason), r.Entry, r.Message)
	}
	return err
}
