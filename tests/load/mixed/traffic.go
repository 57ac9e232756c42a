package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

// kind is what somebody wants.
type kind int

// Kinds of requests, and how many of a thousand each has.
const (
	list kind = iota
	search
	detail
	revalidate
	install
	submit
	upload
	plan
	execute
	kinds
)

var (
	names  = [kinds]string{"list", "search", "detail", "revalidate", "install", "submit", "upload 1 MiB", "plan", "execute"}
	shares = [kinds]int{300, 100, 270, 170, 80, 35, 5, 20, 20}
)

// traffic makes requests as people would. Its methods may be called from several goroutines.
type traffic struct {
	templates int
	queries   *rig.Queries
	popular   func() int
	tokens    []string
	learners  string // what a learner answers, as JSON
	zipped    string // a package in base64
	turn      atomic.Int64
	salt      string // keys and names of another run differ
}

func newTraffic(address string, templates int) (*traffic, error) {
	t := &traffic{templates: templates, popular: rig.Zipf(templates), salt: fmt.Sprintf("%x", time.Now().UnixNano())}
	var err error
	if t.queries, err = rig.NewQueries(address); err != nil {
		return nil, err
	}
	for n := range stores.Members {
		token, err := rig.Login(address, stores.Member(n))
		if err != nil {
			return nil, err
		}
		t.tokens = append(t.tokens, token)
	}
	zipped, err := rig.Package("load-mixed/package", 5<<18)
	if err != nil {
		return nil, err
	}
	t.zipped = base64.StdEncoding.EncodeToString(zipped)
	return t, t.atoms(address)
}

// atoms finds out what there is to learn, and what is answered to it: two right, one wrong.
func (t *traffic) atoms(address string) error {
	status, _, body, err := rig.Whole(address, rig.Write("POST", "/api/knowledge/session/plan", `{"maxActions":12}`, "Authorization: Bearer "+t.tokens[0]))
	if err != nil {
		return err
	}
	var answer struct {
		Data struct {
			Actions []struct {
				Atom string `json:"atomId"`
			} `json:"actions"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || status != 200 || len(answer.Data.Actions) == 0 {
		return fmt.Errorf("a plan answered %d: %.300s", status, body)
	}
	outcomes := map[string]string{}
	for i, a := range answer.Data.Actions {
		outcomes[a.Atom] = []string{"correct", "correct", "incorrect"}[i%3]
	}
	text, err := json.Marshal(map[string]any{"maxActions": 2, "outcomesByAtomId": outcomes})
	t.learners = string(text)
	return err
}

// draw chooses a kind by the shares.
func draw(r *rand.Rand) kind {
	n := r.IntN(1000)
	for k, share := range shares {
		if n -= share; n < 0 {
			return kind(k)
		}
	}
	return list
}

// page is the list that those who come back ask for again.
const page = "/api/templates?category=programming&sort_by=installs&limit=50"

// request writes one; tag is the entity tag that this connection had for the page, if any.
func (t *traffic) request(k kind, r *rand.Rand, tag []byte) []byte {
	n := t.turn.Add(1)
	auth := "Authorization: Bearer " + t.tokens[int(n)%len(t.tokens)]
	switch k {
	case list:
		return rig.Get(t.queries.Next())
	case search:
		return rig.Get("/api/templates?limit=50&query=" + url.QueryEscape(rig.Question(r)))
	case detail:
		return rig.Get("/api/templates/detail?template_id=" + url.QueryEscape(stores.ID(t.popular())))
	case revalidate:
		if len(tag) == 0 {
			return rig.Get(page)
		}
		return rig.Get(page, "If-None-Match: "+string(tag))
	case install:
		return rig.Write("POST", "/api/templates/install", fmt.Sprintf(`{"template_id":%q}`, stores.ID(t.popular())), auth)
	case submit:
		return rig.Write("POST", "/api/templates/submit", fmt.Sprintf(
			`{"template_id":"load-mixed/%s-%d","version":"1.0.0","title":%q,"description":%q,"category":%q,"tags":[%q],"prompt":%q,"upload_options":{"idempotency_key":"%s-%d"}}`,
			t.salt, n, rig.Question(r), rig.Question(r)+" "+rig.Question(r), stores.Categories.Draw(r), stores.Tags.Draw(r), "You help with "+rig.Question(r)+".", t.salt, n), auth)
	case upload:
		return rig.Write("POST", "/api/templates/submit", fmt.Sprintf(
			`{"template_id":"load-mixed/package","version":"1.0.0","package_name":"package.zip","package_base64":"%s","upload_options":{"idempotency_key":"%s-%d"}}`, t.zipped, t.salt, n), auth)
	case plan:
		return rig.Write("POST", "/api/knowledge/session/plan", `{"maxActions":6}`, auth)
	default:
		return rig.Write("POST", "/api/knowledge/session/execute", t.learners, auth)
	}
}

// answered tells whether a status is what the kind hopes for.
func answered(k kind, status int) bool {
	return status == 200 || k == revalidate && status == 304
}

// arrivals are the moments, from the beginning of a step, at which requests come: like strangers', with no regard for one another.
func arrivals(rate float64, lasting time.Duration, r *rand.Rand) (list []time.Duration) {
	at := time.Duration(0)
	for {
		at += time.Duration(r.ExpFloat64() / rate * float64(time.Second))
		if at >= lasting {
			return slices.Clip(list)
		}
		list = append(list, at)
	}
}

// remember keeps a tag without sharing the connection's buffer.
func remember(tag, seen []byte) []byte { return append(tag[:0], seen...) }
