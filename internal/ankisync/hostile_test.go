package ankisync_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/client"
	"stoa/internal/ankisync"
	"stoa/internal/apitest"
)

// lying changes what the server says of the reviews that Anki is to have.
type lying struct{ change func(data map[string]any) }

func (l *lying) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/anki/sync") {
		return res, err
	}
	text, err := io.ReadAll(res.Body)
	res.Body.Close()
	var answer map[string]any
	if err != nil || json.Unmarshal(text, &answer) != nil {
		return nil, io.ErrUnexpectedEOF
	}
	l.change(answer["data"].(map[string]any))
	if text, err = json.Marshal(answer); err != nil {
		return nil, err
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	res.Header.Del("Content-Length")
	return res, nil
}

// A server that lies puts nothing into Anki that no learner can have answered, and holds nobody up for ever.
func TestALyingServer(t *testing.T) {
	b := newBench(t, apitest.Engines(t)[0])
	_, card := b.anki.Add("Maths", "Basic", []string{"Group", "A set", ""})
	b.run()
	rows := len(b.anki.Reviews)
	now := b.server.Clock.Now().UnixMilli()
	with := func(change map[string]any) []any {
		row := map[string]any{"id": now, "card": card, "ease": 3, "interval": 1, "millis": 900, "dueInDays": 1}
		for name, v := range change {
			row[name] = v
		}
		return []any{row}
	}
	try := func(reviews []any, more bool) error {
		var err error
		b.client, err = client.New(b.server.URL, client.Options{Retries: -1, HTTP: &http.Client{Transport: &lying{func(data map[string]any) {
			data["reviews"], data["more"] = reviews, more
		}}}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.try(func(o *ankisync.Options) { o.Now = b.server.Clock.Now })
		return err
	}
	for name, c := range map[string]struct {
		reviews []any
		more    bool
	}{
		"more without end":           {[]any{}, true},
		"the same again and again":   {with(nil), true},
		"an ease that there is not":  {with(map[string]any{"ease": 99}), false},
		"ease of a review by hand":   {with(map[string]any{"ease": 0}), false},
		"before there was time":      {with(map[string]any{"id": -5}), false},
		"of the year 5000":           {with(map[string]any{"id": 95_617_584_000_000}), false},
		"two with one id":            {append(with(nil), with(nil)...), false},
		"in no order of their times": {append(with(nil), with(map[string]any{"id": now - 1})...), false},
	} {
		before := len(b.anki.Reviews)
		err := try(c.reviews, c.more)
		if err == nil || !strings.Contains(err.Error(), "reviews that cannot be") {
			t.Errorf("%s: %v", name, err)
		}
		if len(b.anki.Reviews) != before && name != "the same again and again" {
			t.Errorf("%s: it stands in Anki's log", name)
		}
	}
	if len(b.anki.Reviews) > rows+1 {
		t.Errorf("%d reviews were put into Anki", len(b.anki.Reviews)-rows)
	}
	// What stands beside an answer is brought within bounds.
	now += time.Hour.Milliseconds()
	b.server.Clock.Advance(2 * time.Hour)
	calls := 0
	b.client, _ = client.New(b.server.URL, client.Options{Retries: -1, HTTP: &http.Client{Transport: &lying{func(data map[string]any) {
		if calls++; calls == 2 {
			data["reviews"] = with(map[string]any{"millis": int64(1) << 60, "interval": int64(1) << 60, "dueInDays": int64(1) << 60})
		}
	}}}})
	if _, err := b.try(nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.anki.Reviews {
		if r.Millis > 24*time.Hour.Milliseconds() || r.Interval > 36_500 {
			t.Errorf("%+v", r)
		}
	}
}

// Whoever answers in Anki's place and sends on gets neither the key nor a note to anywhere else.
func TestAnkiSendsNobodyOn(t *testing.T) {
	b := newBench(t, apitest.Engines(t)[0])
	var got []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got = append(got, string(text))
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		port := httptest.NewServer(http.RedirectHandler(elsewhere.URL, status))
		b.to.URL, b.to.Key = port.URL, "the-key-of-the-add-on"
		if _, err := b.try(nil); err == nil || !strings.Contains(err.Error(), "is not AnkiConnect") {
			t.Errorf("%d: %v", status, err)
		}
		port.Close()
	}
	if len(got) > 0 {
		t.Errorf("sent on: %q", got)
	}
}
