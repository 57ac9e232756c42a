package core

import (
	"regexp"
	"strings"
	"testing"

	"stoa/internal/platform/store"
)

// A quota by which the registry says that a table is bounded is one that there is.
func TestBoundsNameQuotas(t *testing.T) {
	named := regexp.MustCompile(`quota\.([a-z-]+)`)
	known, used := map[string]bool{}, 0
	for _, rule := range QuotaRules {
		known[strings.ReplaceAll(string(rule.Kind), "_", "-")] = true
	}
	for _, info := range store.Registry {
		for _, m := range named.FindAllStringSubmatch(info.Bound, -1) {
			if used++; !known[m[1]] {
				t.Errorf("%s is bounded by quota.%s, which there is not", info.Name, m[1])
			}
		}
	}
	if used == 0 {
		t.Error("no bound names a quota")
	}
}
