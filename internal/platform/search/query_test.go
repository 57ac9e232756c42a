package search

import (
	"strings"
	"testing"
)

func TestMatchRendering(t *testing.T) {
	match := func(text string, kind Kind, in Level, prefix bool) Match {
		return Match{Kind: kind, Terms: ParseQuery(text).terms, In: in, Prefix: prefix}
	}
	for _, c := range []struct {
		match        Match
		fts, tsquery string
	}{
		{match("help me write", Template, InTitle, false), "tawrite", "'tawrite'"},
		{
			match("gpt-4 写作", Template, InKeywords, false),
			"(tbgpt4 OR (tbgpt AND tb4)) AND tb写作", "('tbgpt4' | ('tbgpt' & 'tb4')) & 'tb写作'",
		},
		{match("progr", Pack, InDescription, true), "(pcprogr OR pc›progr)", "('pcprogr' | 'pc›progr')"},
		{match("c++", AnyKind, InBody, true), "(tdcpp OR pdcpp)", "('tdcpp' | 'pdcpp')"},
	} {
		if got := c.match.FTS5(); got != c.fts {
			t.Errorf("FTS5: %s, want %s", got, c.fts)
		}
		if got := c.match.TSQuery(); got != c.tsquery {
			t.Errorf("TSQuery: %s, want %s", got, c.tsquery)
		}
	}
}

func TestParseQuery(t *testing.T) {
	for _, c := range []struct{ text, terms, core string }{
		{"", "", ""},
		{"the", "the", ""},
		{"help me write an email", "write email", ""},
		{"帮我写一封邮件", "帮我 我写 写一 一封 封邮 邮件", "邮件"},
		{"履歴書の書き方", "履歴 歴書 書の の書 書き き方", "履歴 歴書"},
		{"おすすめ", "おす すす すめ", ""},
		{"字", "字", ""},
		{"write write WRITING", "write", ""},
	} {
		q := ParseQuery(c.text)
		if got := spell(q.terms); got != c.terms {
			t.Errorf("ParseQuery(%q) has terms %q, want %q", c.text, got, c.terms)
		}
		if got := spell(q.core); got != c.core {
			t.Errorf("ParseQuery(%q) has core %q, want %q", c.text, got, c.core)
		}
	}
	if n := len(ParseQuery(strings.Repeat("a b c d e f g h 写作助手帮我吧 ", 9)).terms); n > maxTerms {
		t.Errorf("%d terms", n)
	}
}

func spell(terms []Term) string {
	var list []string
	for _, term := range terms {
		list = append(list, strings.Join(term.forms[0], "+"))
	}
	return strings.Join(list, " ")
}

func TestRank(t *testing.T) {
	q := ParseQuery("python")
	judge := func(seq int64, tier Tier, id, title string, installs int64) Hit {
		return q.Judge(seq, tier, 0, Candidate{ID: id, FoldedTitles: []string{FoldTitle(title)}, Installs: installs})
	}
	hits := []Hit{
		judge(1, TierTitle, "d", "Python for data people", 9),
		judge(2, TierBody, "e", "Python", 1000),
		judge(3, TierTitle, "b", "Python master", 5),
		judge(4, TierTitle, "a", "Python buddy", 5),
		judge(5, TierTitle, "c", "Python genius", 6),
	}
	Rank(hits)
	var order strings.Builder
	for _, hit := range hits {
		order.WriteString(hit.ID)
	}
	if order.String() != "cabde" {
		t.Errorf("order %s, want cabde", order.String())
	}
}
