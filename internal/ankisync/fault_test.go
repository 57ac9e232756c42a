package ankisync_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/ankisync"
	"stoa/internal/ankitest"
	"stoa/internal/apitest"
)

// slow gives up on the answer to an action, as after a time limit.
type slow struct{ action string }

type timeout struct{ error }

func (timeout) Timeout() bool { return true }

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	text := make([]byte, 200)
	n, _ := body.Read(text)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && strings.Contains(string(text[:n]), `"action":"`+s.action+`"`) {
		res.Body.Close()
		return nil, timeout{errors.New("no answer")}
	}
	return res, err
}

// Each fault has words that say what to do, and afterwards a round makes good what was left.
func TestFaults(t *testing.T) {
	b := newBench(t, apitest.Engines(t)[0])
	_, card := b.anki.Add("Maths", "Basic", []string{"Group", "A set", ""})
	b.anki.Add("Maths", "Basic", []string{"Ring", "A group", "[[Group]]"})
	fails := func(name, words string) {
		t.Helper()
		b.server.Clock.Advance(time.Minute)
		if _, err := b.try(nil); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	right := *b.to
	b.to.URL = "http://127.0.0.1:1"
	fails("away", "Start Anki with the add-on")
	b.to.URL = b.server.URL + "/api/health"
	fails("another program", "is not AnkiConnect")
	for _, address := range []string{"localhost:8765", "127.0.0.1", "http://", "ftp://127.0.0.1:8765", "http://a b"} {
		b.to.URL = address
		fails("no address", "is no address of AnkiConnect. It looks like http://127.0.0.1:8765")
	}
	*b.to = right
	if _, err := b.try(func(o *ankisync.Options) { o.Decks = []string{"Maths", "Mathematics"} }); err == nil || !strings.Contains(err.Error(), "no deck Mathematics. It has: Default, Maths") {
		t.Errorf("a deck that is not there: %v", err)
	}
	b.anki.Denied = true
	fails("denied", "permission was refused")
	b.anki.Denied = false
	b.anki.Missing["insertReviews"] = true
	fails("old", "too old: it does not know insertReviews")
	b.anki.Missing = map[string]bool{"apiReflect": true}
	fails("very old", "too old")
	b.anki.Missing = map[string]bool{}
	b.anki.Key = "secret"
	fails("key wanted", "--key FILE")
	b.to.Key = "wrong"
	fails("another key", "does not take this API key")
	b.to.Key = "secret"
	b.anki.Profile = ""
	fails("no profile", "no profile is open")
	b.anki.Profile = "User 1"
	b.anki.Before = func(action string) {
		if action == "getReviewsOfCards" {
			b.anki.Profile = "Other"
		}
	}
	fails("another profile", "another profile was opened")
	if n := b.server.Count(t, "anki_collection"); n != 0 {
		t.Error("the cards of two profiles were mixed")
	}
	b.anki.Before, b.anki.Profile = nil, "User 1"

	// A time limit after the write: the next round sees that it was done.
	b.to.HTTP = &http.Client{Transport: &slow{"suspend"}}
	fails("slow to suspend", "Anki does not answer")
	b.to.HTTP = nil
	b.run()
	if waiting := b.run(); waiting.Waiting != 0 {
		t.Errorf("suspended twice: %+v", waiting)
	}
	b.server.Clock.Advance(time.Hour)
	b.answer([]string{"good"}, 1234, card)
	b.to.HTTP = &http.Client{Transport: &slow{"insertReviews"}}
	fails("slow to insert", "Anki does not answer")
	b.to.HTTP = nil
	b.run()
	b.to.HTTP = &http.Client{Transport: &slow{"setDueDate"}}
	b.server.Clock.Advance(time.Hour)
	b.answer([]string{"good"}, 1235, card)
	fails("slow to set the day", "Anki does not answer")
	b.to.HTTP = nil
	b.run()
	seen := map[int64]int{}
	for _, r := range b.anki.Reviews {
		if r.Ease > 0 {
			seen[r.Millis]++
		}
	}
	if seen[1234] != 1 || seen[1235] != 1 {
		t.Errorf("%v", seen)
	}
	b.anki.Fault = func(string) ankitest.Fault { return ankitest.DropBefore }
	fails("the connection ends", "nothing is lost or done twice")
}
