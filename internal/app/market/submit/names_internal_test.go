package submit

import (
	"slices"
	"testing"

	"stoa/internal/market/catalog"
	"stoa/internal/market/submission"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/marketdb"
)

// An item named like a device of Windows cannot be submitted anew; one that is published goes on, and is marked.
func TestItemsNamedLikeDevices(t *testing.T) {
	for _, id := range []string{"con", "ada/nul", "aux/garden", "ada/com1"} {
		for _, kind := range []catalog.Kind{catalog.KindTemplate, catalog.KindProfilePack} {
			if err := (itemState{}).checkNew(kind, id); errs.CodeOf(err) != errs.InvalidRequest {
				t.Errorf("%s as a new %s: %v", id, kind, err)
			}
			published := itemState{Published: &catalog.Document{ID: id}, Item: marketdb.Item{ItemID: id, Visibility: catalog.Community}}
			if err := published.checkNew(kind, id); err != nil {
				t.Errorf("%s, which is published: %v", id, err)
			}
		}
		if !slices.Contains(nameLabels(&catalog.Document{ID: id}), submission.OddID) {
			t.Errorf("%s is not marked", id)
		}
	}
}
