package rig

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"sync/atomic"

	"stoa/tests/load/stores"
)

// Zipf draws the numbers from 1 to n by popularity, ranks being spread over the numbers.
func Zipf(n int) func() int {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.2, 1, uint64(n-1))
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return 1 + int(z.Uint64()*2654435761%uint64(n))
	}
}

// Queries makes list requests of which no two are alike.
type Queries struct {
	list []string
	turn atomic.Uint64
}

// Next is the path and query of one more list.
func (q *Queries) Next() string { return q.list[q.turn.Add(1)%uint64(len(q.list))] }

var sorts = []string{"", "template_id", "recent_activity", "trial_requests", "installs", "newest"}

// prepared is how many different list requests are made: more than a run can ask.
const prepared = 250_000

// NewQueries combines filters, orders and, for half of the requests, places deep in the list.
func NewQueries(address string) (*Queries, error) {
	r := rand.New(rand.NewPCG(7, 7))
	cursors := map[string][]string{}
	for _, sort := range sorts[1:] {
		for _, order := range []string{"asc", "desc"} {
			found, err := walk(address, "sort_by="+sort+"&sort_order="+order, 40)
			if err != nil {
				return nil, err
			}
			cursors[sort+order] = found
		}
	}
	q := &Queries{list: make([]string, 0, prepared)}
	seen := map[string]bool{}
	for len(q.list) < prepared {
		v := url.Values{"limit": {"50"}}
		sort, order := sorts[r.IntN(len(sorts))], []string{"", "asc", "desc"}[r.IntN(3)]
		put(v, "sort_by", sort)
		put(v, "sort_order", order)
		if r.IntN(2) == 0 {
			put(v, "category", stores.Categories.Draw(r))
		}
		if r.IntN(2) == 0 {
			put(v, "tag", stores.Tags.Draw(r))
		}
		if r.IntN(2) == 0 {
			put(v, "source_channel", []string{"operator_import", "community_submission", "bundled_official"}[r.IntN(3)])
		}
		if r.IntN(2) == 0 {
			put(v, "risk_level", []string{"low", "low", "low", "medium", "high"}[r.IntN(5)])
		}
		if sort != "" && order != "" && r.IntN(2) == 0 {
			v.Set("cursor", cursors[sort+order][r.IntN(40)])
		}
		if text := "/api/templates?" + v.Encode(); !seen[text] {
			seen[text] = true
			q.list = append(q.list, text)
		}
	}
	return q, nil
}

func put(v url.Values, name, text string) {
	if text != "" {
		v.Set(name, text)
	}
}

// walk follows a list for n pages of 200 and gives the cursors it met.
func walk(address, query string, n int) (cursors []string, err error) {
	cursor := ""
	for range n {
		_, _, body, err := Whole(address, Get("/api/templates?limit=200&"+query+"&cursor="+cursor))
		if err != nil {
			return nil, err
		}
		var answer struct {
			Data struct {
				Next string `json:"next_cursor"`
			} `json:"data"`
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			return nil, err
		}
		cursor = answer.Data.Next
		cursors = append(cursors, cursor)
	}
	return cursors, nil
}

// Question makes what people type: mostly one to three telling words, at times a tag, the beginning of
// a word, or a short sentence with very common ones.
func Question(r *rand.Rand) string {
	word := func() string { return stores.Words.Telling(r) }
	switch r.IntN(10) {
	case 0:
		return stores.Tags.Draw(r) + " " + word()
	case 1:
		w := word()
		return w[:min(len(w), 4)]
	case 2:
		return stores.Words.Draw(r) + " " + word() + " " + stores.Words.Draw(r) + " " + word()
	case 3, 4, 5:
		return word()
	case 6, 7, 8:
		return word() + " " + word()
	}
	return word() + " " + word() + " " + word()
}

// LoginRequest writes the request by which a member of a made store signs in.
func LoginRequest(user string) []byte {
	return Write("POST", "/api/login", fmt.Sprintf(`{"user_id":%q,"password":%q}`, user, stores.Password))
}

// Login signs a member of a made store in.
func Login(address, user string) (token string, err error) {
	status, _, body, err := Whole(address, LoginRequest(user))
	if err != nil {
		return "", err
	}
	var answer struct {
		Data struct {
			Token string `json:"token"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || status != 200 {
		return "", fmt.Errorf("login of %s answered %d: %s", user, status, body)
	}
	return answer.Data.Token, nil
}
