package httpapi

import (
	"fmt"
	"net/http"
	"testing"

	"stoa/internal/app/core"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/sqldb"
)

// A commit whose outcome nobody knows has a code of its own; any other outage says that nothing was done.
func TestTheCodesOfAnOutage(t *testing.T) {
	for code, err := range map[errs.Code]error{
		errs.CommitUnknown:      &sqldb.Unreachable{Unknown: true},
		errs.ServiceUnavailable: &sqldb.Unreachable{},
	} {
		got := core.Outage(fmt.Errorf("install: %w", err))
		if got == nil || got.Code != code || statusOf[got.Code] != http.StatusServiceUnavailable || got.RetryAfter <= 0 {
			t.Errorf("%+v instead of %s", got, code)
		}
	}
}
