package stores

import (
	"fmt"
	"math/rand/v2"

	"stoa/internal/market/catalog"
	"stoa/internal/market/scan"
)

// ID names the n-th template, counted from 1.
func ID(n int) string { return fmt.Sprintf("load/template-%07d", n) }

// made is a template with what the market knows about it.
type made struct {
	document   catalog.Document
	channel    string
	featured   bool
	engagement catalog.Engagement
	age        int64 // µs since it was published
}

// Row is what a list shows of a template, for the tables of other servers.
type Row struct {
	ID, Version, Category, Maintainer, Channel, Risk string
	Tags                                             []string
	Title, Description, Prompt                       string
	Installs                                         int64
}

// RowOf makes the row of the n-th template.
func RowOf(n int) Row {
	m := template(n)
	d, text := &m.document, m.document.Locales[catalog.DefaultLocale]
	return Row{
		ID: d.ID, Version: d.Version, Category: d.Category, Maintainer: d.Maintainer, Channel: m.channel, Risk: d.Scan.RiskLevel, Tags: d.Tags,
		Title: text.Title, Description: text.Description, Prompt: text.Prompt, Installs: m.engagement.Installs,
	}
}

var channels = []string{catalog.ChannelImport, catalog.ChannelCommunity, catalog.ChannelCommunity, catalog.ChannelOfficial}

// template makes the n-th template; the same n always gives the same.
func template(n int) made {
	r := rand.New(rand.NewPCG(uint64(n), 505))
	tags := make([]string, 0, 6)
	for range 3 + r.IntN(4) {
		tags = append(tags, Tags.Draw(r))
	}
	d := catalog.Document{
		Kind: catalog.KindTemplate, ID: ID(n), Version: fmt.Sprintf("1.%d.%d", r.IntN(10), r.IntN(10)), Category: Categories.Draw(r), Tags: distinct(tags),
		Maintainer: fmt.Sprintf("%s-%d", Words.Telling(r), r.IntN(50)), SourceLocale: catalog.DefaultLocale,
		Locales: map[string]catalog.Text{catalog.DefaultLocale: {
			Title: sentence(r, 2, 4, Words.Telling), Description: sentence(r, 12, 25, Words.Draw), Prompt: sentence(r, 60, 120, Words.Draw),
		}},
	}
	d.Scan = scan.Scan(nil)
	switch risk := r.IntN(20); {
	case risk == 0:
		d.Scan.RiskLevel, d.Scan.WarningFlags = "high", []string{"prompt_injection"}
	case risk < 4:
		d.Scan.RiskLevel = "medium"
	}
	used := 2_000_000/rank(n) + r.Int64N(3) // popularity falls like 1/rank
	return made{
		document: d, channel: channels[r.IntN(len(channels))], featured: r.IntN(200) == 0, age: r.Int64N(2 * 365 * 86400 * 1e6),
		engagement: catalog.Engagement{TrialRequests: used * 3, Installs: used, PromptGenerations: used / 2, PackageGenerations: used / 3},
	}
}

// rank is a template's place by popularity, from 1; a multiplication spreads the ranks over the numbers.
func rank(n int) int64 { return int64(uint64(n)*2654435761%1_000_003) + 1 }

func distinct(list []string) []string {
	out := list[:0]
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
