package feed_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"stoa/internal/market/card"
	"stoa/internal/market/catalog"
	"stoa/internal/market/feed"
)

func gardenCard(version string) *card.Card {
	d := &catalog.Document{
		Kind: catalog.KindTemplate, ID: "ada/garden", Version: version, Tags: []string{"plants"}, Maintainer: "Ada", SourceLocale: "en-US",
		Locales: map[string]catalog.Text{"en-US": {Title: "Garden", Description: "Helps with a garden.", Prompt: "You are a gardener."}},
	}
	return card.Of(d, nil, card.Facts{Published: time.Unix(1_800_000_000, 0).UTC(), SHA256: strings.Repeat("ab", 32), Size: 10})
}

// These ids are pinned by people: what a version says must give the same ones for ever. Whoever changes the form of plugins
// changes them, and has to raise feedFormat in httpapi and say so in the change log.
func TestCommitIdsAreStable(t *testing.T) {
	const golden = "11f621ec63d5671d6ec7f75a9df4c497f6351aa0"
	if got := feed.Commit(gardenCard("1.0.0")); got != golden {
		t.Errorf("the commit is %s", got)
	}
	if feed.Commit(gardenCard("1.0.0")) == feed.Commit(gardenCard("1.0.1")) {
		t.Error("two versions have one commit")
	}
	if a, b := feed.NPMTarball(gardenCard("1.0.0")), feed.NPMTarball(gardenCard("1.0.0")); !bytes.Equal(a, b) {
		t.Error("a tarball differs from itself")
	}
}

func TestUploadPackRefusesOddRequests(t *testing.T) {
	r := feed.ItemRepository([]*card.Card{gardenCard("1.0.0")})
	line := func(s string) string {
		const hex = "0123456789abcdef"
		n := len(s) + 4
		return string([]byte{hex[n>>12&15], hex[n>>8&15], hex[n>>4&15], hex[n&15]}) + s
	}
	for name, body := range map[string]string{
		"nothing": "", "no want": "0000", "no packet": "zzzz", "cut": "0032want abc", "other words": line("steal everything\n") + "0000",
		"many": strings.Repeat(line("want "+strings.Repeat("a", 40)+"\n"), 65) + "0000", "depth": line("want "+strings.Repeat("a", 40)+"\n") + line("deepen -1\n") + "0000",
	} {
		var out bytes.Buffer
		if err := r.UploadPack(&out, strings.NewReader(body)); !errors.Is(err, feed.ErrGitRequest) || out.Len() > 0 {
			t.Errorf("%s: %v, %q", name, err, out.String())
		}
	}
	var out bytes.Buffer
	if err := r.UploadPack(&out, strings.NewReader(line("want "+strings.Repeat("a", 40)+"\n")+"0000"+line("done\n"))); err != nil || !strings.Contains(out.String(), "not our ref") {
		t.Errorf("an unknown commit: %v, %q", err, out.String())
	}
}
