package browse

import (
	"testing"
	"time"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/store/marketdb"
)

// A reading of the store that began before a change of this process ends after it, with the item as it was before.
func TestAReadingThatIsLateShowsNothingOld(t *testing.T) {
	s := newCatalogCache(nil, time.Now, 1<<20)
	before := marketdb.Item{Seq: 1, Kind: catalog.KindTemplate, ItemID: "ada/letters", Version: "1.0.0", Visibility: catalog.Withdrawn, ChangeNo: 7}
	after := before
	after.Visibility, after.ChangeNo = catalog.Community, 8
	s.Put(after, catalog.Engagement{})
	s.Put(before, catalog.Engagement{})
	if _, ok := s.templates.Get("ada/letters"); !ok {
		t.Fatal("the restored item is gone again")
	}
	withdrawn := before
	withdrawn.ChangeNo = 9
	s.Put(withdrawn, catalog.Engagement{})
	if _, ok := s.templates.Get("ada/letters"); ok {
		t.Fatal("the item that was withdrawn later is shown")
	}
}
