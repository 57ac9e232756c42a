package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/httpapi"
	"stoa/internal/platform/store"
)

// The first start of another version works everything out again. Meanwhile whoever asks for a feed is told when to come back,
// everything else is answered, doctor says how far it is, and a start after one that was stopped goes on where that one was.
func TestFeedsOfANewVersionArePrepared(t *testing.T) {
	heavy(t)
	e := apitest.Engines(t)[0]
	s := apitest.Start(t, e, apitest.Options{
		HTTP: func(c *httpapi.Config) { c.Feeds = httpapi.FeedNames() }, App: func(c *core.Config) { c.FeedsAhead = true },
	})
	const items = 700
	lines := make([]string, 0, items)
	for i := range items {
		lines = append(lines, toolPack(fmt.Sprintf("ada/garden-%03d", i), "1.0.0"))
	}
	publish(t, s, "ada", lines...)
	total := s.Count(t, "item")
	said := func() string {
		t.Helper()
		f, err := s.App.ExamineFeeds(t.Context())
		if err != nil || !f.OK {
			t.Fatalf("%+v %v", f, err)
		}
		return f.Detail
	}
	if got := said(); !strings.HasPrefix(got, fmt.Sprintf("0 of %d", total)) || !strings.Contains(got, "503") {
		t.Errorf("before: %s", got)
	}
	// A busy machine may take longer than a request waits: then it is asked again, as a client does.
	whole := func() []byte {
		t.Helper()
		node := s.Node(t)
		for {
			res, body := feedGet(t, node, "/feeds/stoa/index.json", "")
			if res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") != "" {
				continue
			}
			if res.StatusCode != http.StatusOK || said() != fmt.Sprintf("%d of %d items are prepared", total, total) {
				t.Fatalf("%d %s; %s", res.StatusCode, body, said())
			}
			return body
		}
	}
	body := whole()
	// Half of it was kept when the server was stopped.
	err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Querier().ExecContext(t.Context(), "DELETE FROM feed_row WHERE seq % 2 = 0")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := said(); !strings.HasPrefix(got, fmt.Sprintf("%d of %d", total/2, total)) {
		t.Errorf("half: %s", got)
	}
	if again := whole(); string(again) != string(body) {
		t.Error("a start that goes on says something else")
	}
}
