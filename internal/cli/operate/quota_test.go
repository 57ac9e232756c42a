package operate

import (
	"maps"
	"testing"

	"github.com/alecthomas/kong"

	"stoa/internal/app/core"
)

// The flags name every quota, and their defaults are the application's.
func TestQuotaFlagsAreTheQuotas(t *testing.T) {
	var q quotaSettings
	parser, err := kong.New(&q)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if got := q.quotas(); !maps.Equal(got, core.DefaultQuotas()) {
		t.Errorf("the flags give %v, the application has %v", got, core.DefaultQuotas())
	}
	if _, err := parser.Parse([]string{"--enforce=off"}); err != nil {
		t.Fatal(err)
	}
	for kind, limit := range q.quotas() {
		if limit != core.NoQuota {
			t.Errorf("off leaves %s at %d", kind, limit)
		}
	}
}
