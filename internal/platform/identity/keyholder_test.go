package identity

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// hanging answers nobody; each call takes the whole patience.
type hanging struct {
	now   *time.Time
	asked int
}

func (h *hanging) RoundTrip(*http.Request) (*http.Response, error) {
	h.asked++
	*h.now = h.now.Add(timeout)
	return nil, errors.New("no answer in time")
}

// Whoever waited while an issuer hung is told so, and does not ask it once more, each after the other.
func TestAnIssuerThatHangsIsAskedOnce(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	from := &hanging{now: &now}
	k := &keyHolder{from: from, now: func() time.Time { return now }}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://issuer.example/keys", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := k.RoundTrip(req); !errors.Is(err, errKeysAway) {
			t.Fatal(err)
		}
	}
	if from.asked != 1 {
		t.Errorf("it was asked %d times", from.asked)
	}
	now = now.Add(keysGood)
	if _, err := k.RoundTrip(req); err == nil || from.asked != 2 {
		t.Errorf("later it was asked %d times", from.asked)
	}
}
