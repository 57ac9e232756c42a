package store_test

import (
	"strings"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/schooldb"
	"stoa/internal/platform/store/sqldb"
)

// What fills the disk is named: a table that holds two megabytes is in the list with them.
func TestDiskUseNamesWhatIsLarge(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		text := make([]byte, 2<<20)
		for i := range text {
			text[i] = byte('a' + (i*i/7+i)%26)
		}
		write(t, s, func(tx *store.Tx) error {
			if err := tx.AddDraft(marketdb.Draft{ArtifactID: "d", UserID: "ada", Blob: "b", SizeBytes: 5000, Listing: []byte("{}"), Detail: []byte("{}")}); err != nil {
				return err
			}
			if _, err := tx.LockNotes("ada"); err != nil {
				return err
			}
			return tx.PutNote(schooldb.Note{Owner: "ada", DocumentID: "n", Record: []byte("{}"), Content: []byte(`"` + string(text) + `"`)})
		})
		use, err := s.DiskUse(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		bytes := map[store.Area]int64{}
		for i, u := range use {
			bytes[u.Area] = u.Bytes
			if i > 0 && u.Bytes > use[i-1].Bytes {
				t.Errorf("%v is not in order", use)
			}
		}
		most := int64(4 << 20)
		least := int64(2 << 20)
		if s.Engine() == sqldb.Postgres {
			least = 100 << 10 // which compresses
		}
		if n := bytes[store.AreaNotes]; n < least || n > most || use[0].Area != store.AreaNotes && s.Engine() == sqldb.SQLite {
			t.Errorf("notes take %d bytes: %v", n, use)
		}
		if bytes[store.AreaDraftBlobs] != 5000 || bytes[store.AreaOtherDatabase] != 0 {
			t.Errorf("%v", use)
		}
		for area := range bytes {
			if strings.TrimSpace(string(area)) == "" {
				t.Errorf("a part without a name: %v", use)
			}
		}
	})
}
