package ankisync

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// DefaultURL is where AnkiConnect listens unless it is told otherwise.
const DefaultURL = "http://127.0.0.1:8765"

// Anki is an Anki with AnkiConnect.
type Anki struct {
	URL  string
	Key  string       // the add-on's API key; "" for none
	HTTP *http.Client // nil for one with a time limit of its own
}

const (
	apiVersion  = 6
	usualLimit  = 2 * time.Minute
	mostAnswer  = 256 << 20
	addonNumber = "2055492159"
)

// usual goes past any proxy: Anki is on this machine.
var usual = &http.Client{Timeout: usualLimit, Transport: &http.Transport{}}

// needed are the actions that a round uses.
var needed = []string{
	"areSuspended", "cardsInfo", "cardsModTime", "deckNamesAndIds", "findCards", "findModelsByName", "findNotes", "getActiveProfile", "getReviewsOfCards",
	"insertReviews", "notesInfo", "notesModTime", "retrieveMediaFile", "setDueDate", "suspend", "unsuspend",
}

// refused is what AnkiConnect answered in place of a result.
type refused struct{ action, said string }

func (e *refused) Error() string { return fmt.Sprintf("Anki refused %s: %s", e.action, e.said) }

// call carries out an action and reads its result.
func (a *Anki) call(ctx context.Context, action string, params, into any) error {
	request := map[string]any{"action": action, "version": apiVersion}
	if params != nil {
		request["params"] = params
	}
	if a.Key != "" {
		request["key"] = a.Key
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	c := *usual
	if a.HTTP != nil {
		c = *a.HTTP
	}
	// AnkiConnect never sends on: whoever does would have the key and the notes taken elsewhere.
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL, bytes.NewReader(body))
	if err != nil || req.URL.Scheme != "http" && req.URL.Scheme != "https" || req.URL.Host == "" {
		return fmt.Errorf("%s is no address of AnkiConnect. It looks like %s", a.URL, DefaultURL)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.Do(req)
	if err != nil {
		return a.lost(ctx, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if err != nil {
		return a.lost(ctx, err)
	}
	var reply struct {
		Result json.RawMessage `json:"result"`
		Error  *string         `json:"error"`
	}
	if res.StatusCode == http.StatusForbidden {
		return fmt.Errorf("AnkiConnect does not let this program in. In Anki, look at Tools, Add-ons, AnkiConnect, Config")
	}
	if res.StatusCode != http.StatusOK || json.Unmarshal(text, &reply) != nil || reply.Result == nil {
		return fmt.Errorf("what answers at %s is not AnkiConnect", a.URL)
	}
	if reply.Error != nil {
		return a.explain(action, *reply.Error)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(reply.Result, into); err != nil {
		return fmt.Errorf("Anki answered %s in a way that is not known; a newer version of this program may know it: %w", action, err) //nolint:staticcheck // a name
	}
	return nil
}

// lost says what an Anki that does not answer means.
func (a *Anki) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if slow := (interface{ Timeout() bool })(nil); errors.As(err, &slow) && slow.Timeout() {
		return fmt.Errorf("Anki does not answer. It may show a question, or be busy; try again when it is idle. Nothing is lost or done twice") //nolint:staticcheck // a name
	}
	if strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "no such host") {
		return fmt.Errorf("nothing answers at %s. Start Anki with the add-on AnkiConnect (number %s) and try again", a.URL, addonNumber)
	}
	return fmt.Errorf("the connection to Anki ended. Try again: nothing is lost or done twice: %w", err)
}

func (a *Anki) explain(action, said string) error {
	low := strings.ToLower(said)
	switch {
	case strings.Contains(low, "api key"):
		if a.Key == "" {
			return errKeyWanted
		}
		return errors.New("AnkiConnect does not take this API key. It stands in Anki under Tools, Add-ons, AnkiConnect, Config")
	case strings.Contains(low, "unsupported action"):
		return tooOld([]string{action})
	case strings.Contains(low, "collection is not available"):
		return errors.New("no profile is open in Anki. Open one and try again")
	}
	return &refused{action, said}
}

var errKeyWanted = errors.New("AnkiConnect asks for its API key: give it with --key FILE or STOA_ANKI_KEY")

func tooOld(missing []string) error {
	return fmt.Errorf("this AnkiConnect is too old: it does not know %s. In Anki, choose Tools, Add-ons, Check for Updates", strings.Join(missing, ", "))
}

// open asks for permission, holds the add-on against what is needed, and gives the open profile.
func (a *Anki) open(ctx context.Context) (profile string, err error) {
	var permission struct {
		Permission string `json:"permission"`
		Key        bool   `json:"requireApikey"`
	}
	if err := a.call(ctx, "requestPermission", nil, &permission); err != nil {
		return "", err
	}
	if permission.Permission != "granted" {
		return "", errors.New("permission was refused in Anki. Run this again and answer Yes there, or take this computer off the ignore list in AnkiConnect's Config")
	}
	if permission.Key && a.Key == "" {
		return "", errKeyWanted
	}
	var known struct {
		Actions []string `json:"actions"`
	}
	if err := a.call(ctx, "apiReflect", map[string]any{"scopes": []string{"actions"}, "actions": needed}, &known); err != nil {
		return "", err
	}
	have := map[string]bool{}
	for _, name := range known.Actions {
		have[name] = true
	}
	var missing []string
	for _, name := range needed {
		if !have[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return "", tooOld(missing)
	}
	return a.profile(ctx)
}

func (a *Anki) profile(ctx context.Context) (name string, err error) {
	err = a.call(ctx, "getActiveProfile", nil, &name)
	return name, err
}
