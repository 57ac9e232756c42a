package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/httpapi"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// What the feeds say of a version is worked out once and not with every start, but never said of another version, by another
// program, or of what is no longer to be seen.
func TestFeedRowsAreKept(t *testing.T) {
	for _, e := range apitest.Engines(t) {
		t.Run(e.Name, func(t *testing.T) {
			s := apitest.Start(t, e, apitest.Options{
				HTTP: func(c *httpapi.Config) { c.Feeds = httpapi.FeedNames() }, App: func(c *core.Config) { c.FeedsAhead = true },
			})
			lines := make([]string, 0, 120)
			for i := range 120 {
				lines = append(lines, toolPack(fmt.Sprintf("ada/garden-%03d", i), "1.0.0"))
			}
			publish(t, s, "ada", lines...)
			view := func(s *apitest.Server) browse.FeedView {
				v, err := s.App.Feed(t.Context(), core.Caller{})
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			view(s.Node(t)) // a start finds them all
			forms := map[string]int{}
			rows, err := s.Store.Querier().QueryContext(t.Context(), `SELECT form FROM feed_row`)
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				form := ""
				if err := rows.Scan(&form); err != nil {
					t.Fatal(err)
				}
				forms[form]++
			}
			if err := rows.Err(); err != nil || len(forms) != 1 {
				t.Fatalf("kept: %v %v", forms, err)
			}
			form := ""
			for form = range forms {
			}
			before := view(s)
			if forms[form] != len(before.Rows) {
				t.Fatalf("%d rows are kept of %d", forms[form], len(before.Rows))
			}
			if after := view(s.Node(t)); mustText(t, after.Rows) != mustText(t, before.Rows) {
				t.Error("what was kept says something else")
			}
			// Marked, so that it can be seen where a kept row is used.
			err = s.Store.Write(t.Context(), func(tx *store.Tx) error {
				var all []marketdb.FeedRow
				if err := tx.FeedRows(t.Context(), form, func(r marketdb.FeedRow) { all = append(all, r) }); err != nil {
					return err
				}
				for _, r := range all {
					r.Body = fmt.Appendf(nil, `{"ID":"marked/row-%d"}`, r.Seq)
					if err := tx.PutFeedRow(form, r); err != nil {
						return err
					}
				}
				row, _ := before.Row("ada--garden-005")
				if err := tx.PutFeedRow("another program", marketdb.FeedRow{Seq: row.Seq, Version: row.Version, Body: []byte(`{"ID":"marked"}`)}); err != nil {
					return err
				}
				return tx.PutFeedRow(form, marketdb.FeedRow{Seq: 1 << 40, Version: "1.0.0", Body: []byte(`{}`)})
			})
			if err != nil {
				t.Fatal(err)
			}
			publish(t, s, "ada", toolPack("ada/garden-003", "1.1.0"))
			if err := s.App.WithdrawItem(t.Context(), "profile_pack", "ada/garden-004", ""); err != nil {
				t.Fatal(err)
			}
			marked, made := 0, ""
			after := view(s.Node(t))
			for _, r := range after.Rows {
				if strings.HasPrefix(r.ID, "marked/") {
					marked++
				} else {
					made += r.ID + " " + r.Version + " "
				}
			}
			if marked != len(before.Rows)-3 || made != "ada/garden-003 1.1.0 ada/garden-005 1.0.0 " {
				t.Errorf("%d of %d rows were kept ones, made again: %s", marked, len(before.Rows), made)
			}
			if n := len(after.Rows); n != len(before.Rows)-1 {
				t.Errorf("%d rows, %d before", n, len(before.Rows))
			}
		})
	}
}
