package feed

import (
	"encoding/xml"
	"strconv"
	"testing"
	"time"
)

func TestAtomShowsTheNewestAndStaysWellFormed(t *testing.T) {
	rows := []*Row{{ID: "ada/odd", Version: "1", Title: "A \x00<b>\ufffe & \"c\"", Tags: []string{"<x>"}, Owner: "ada", Published: time.Unix(1_000_000, 0), Template: true}}
	for i := range 80 {
		rows = append(rows, &Row{ID: "ada/" + strconv.Itoa(i), Version: "1.0.0", Title: "T", Owner: "ada", Published: time.Unix(int64(i), 0)})
	}
	body, err := Atom(rows, "ada", "https://s.example/feeds/atom/author/ada", "https://s.example/market?author=ada", "https://s.example")
	if err != nil {
		t.Fatal(err)
	}
	var read AtomFeed
	if err := xml.Unmarshal(body, &read); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if len(read.Entries) != atomMost || read.Entries[0].Title != `A <b> & "c" 1` || read.Updated != read.Entries[0].Updated || read.Entries[0].Categories[0].Term != "<x>" {
		t.Errorf("%d entries; %+v", len(read.Entries), read.Entries[0])
	}
	if read.Entries[1].ID != "urn:stoa:ada%2F79:1.0.0" || read.Entries[1].Link.Href != "https://s.example/market?pack=ada%2F79" {
		t.Errorf("%+v", read.Entries[1])
	}
	if rows[0].ID != "ada/odd" || rows[1].ID != "ada/0" {
		t.Error("the caller's rows were moved")
	}
}
