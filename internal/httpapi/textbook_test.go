package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
)

// chapters is the length of the textbook.
const chapters = 208

// textbook gives a book of chapters that say nothing of each other, whose author put them in order in one of several ways.
func textbook(way string) (docs []m, ids []string) {
	word := func(i int) string { // no order in the names
		return fmt.Sprintf("%c%c%c", 'a'+i*7%26, 'a'+i*11%23, 'a'+(i*i+3*i)%25)
	}
	var list strings.Builder
	for i := range chapters {
		name := fmt.Sprintf("topic-%s-%d", word(i), (i*97)%chapters)
		path, text := "book/"+name+".md", fmt.Sprintf("# Subject %s %d\n\nSubject %s is explained here at some length, with what it is for and how one goes about it in practice.\n", word(i), (i*97)%chapters, word(i))
		switch way {
		case "numbered files":
			path = fmt.Sprintf("book/%03d-%s.md", i+1, name)
		case "numbers without zeros":
			path = fmt.Sprintf("book/%d. %s.md", i+1, name)
		case "folders":
			path = fmt.Sprintf("book/%02d-part/%02d - %s.md", i/16+1, i%16+1, name)
		case "dotted numbers": // 6.10 after 6.9
			path = fmt.Sprintf("book/%02d.%d.md", i/16+1, i%16+1)
		case "ch04-02":
			path = fmt.Sprintf("book/ch%02d-%02d-%s.md", i/16+1, i%16, name)
		case "第4章":
			path = fmt.Sprintf("book/第%d章 %s.md", i+1, name)
		case "第四章":
			path = fmt.Sprintf("book/第%s章 %s.md", han(i+1), name)
		case "Part IV":
			path = fmt.Sprintf("book/Part %s/%02d_%s.md", [...]string{"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII"}[i/16], i%16+1, name)
		case "Lecture 4":
			path = fmt.Sprintf("book/Lecture %d - %s.md", i+1, name)
		case "Kapitel_4":
			path = fmt.Sprintf("book/Kapitel_%d_%s.md", i+1, name)
		case "front matter":
			text = fmt.Sprintf("---\nsidebar_position: %d\n---\n", i+1) + text
		case "SUMMARY.md":
			fmt.Fprintf(&list, "%s- [Subject %d](%s.md)\n", strings.Repeat("  ", min(i%8, 1)), i, name)
		case "toctree":
			fmt.Fprintf(&list, "%s\n", name)
		}
		docs = append(docs, m{"documentId": name, "sourcePath": path, "content": text})
		ids = append(ids, apitest.Atom("bob", name))
	}
	switch way {
	case "SUMMARY.md":
		docs = append(docs, m{"documentId": "summary", "sourcePath": "book/SUMMARY.md", "content": "# Summary\n\n" + list.String()})
	case "toctree":
		docs = append(docs, m{"documentId": "index", "sourcePath": "book/index.md", "content": "# The book\n\n```{toctree}\n:maxdepth: 2\n\n" + list.String() + "```\n"})
	}
	return docs, ids
}

// han writes a number below a thousand in Han numerals.
func han(n int) string {
	digit := []string{"", "一", "二", "三", "四", "五", "六", "七", "八", "九"}
	switch {
	case n >= 100 && n%100 > 0 && n%100 < 10:
		return digit[n/100] + "百零" + digit[n%10]
	case n >= 100:
		return digit[n/100] + "百" + han(n%100)
	case n >= 20:
		return digit[n/10] + "十" + digit[n%10]
	case n >= 10:
		return "十" + digit[n%10]
	}
	return digit[n]
}

// A textbook whose author put its 208 chapters in order is learned in that order, in whatever way the order is written.
func TestTextbookHasAnOrder(t *testing.T) {
	heavy(t)
	for _, way := range []string{"numbered files", "numbers without zeros", "folders", "dotted numbers", "ch04-02", "第4章", "第四章", "Part IV", "Lecture 4", "Kapitel_4", "front matter", "SUMMARY.md", "toctree"} {
		t.Run(way, func(t *testing.T) {
			s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
			bob := s.As(t, "bob")
			docs, ids := textbook(way)
			bob.Post(ingestPath, m{"documents": docs}).OK(t)
			level := map[string]float64{}
			for _, n := range bob.Get("/api/knowledge/graph").OK(t).At("data.nodes").([]any) {
				level[n.(m)["atomId"].(string)] = n.(m)["level"].(float64)
			}
			against, unplaced := 0, 0
			for i := 1; i < chapters; i++ {
				switch before, now := level[ids[i-1]], level[ids[i]]; {
				case now < before:
					against++
				case now == before:
					unplaced++
				}
			}
			if against > 0 || unplaced > chapters/50 {
				t.Errorf("%d chapters before the one that precedes them, %d beside it", against, unplaced)
			}
			place := map[string]int{}
			for i, id := range ids {
				place[id] = i
			}
			first := bob.Post("/api/knowledge/session/plan", m{"maxActions": 4, "focusAtomIds": ids}).OK(t).All("data.actions", "atomId")
			for _, id := range first {
				if place[id] > 8 {
					t.Errorf("chapter %d is in the first session", place[id]+1)
				}
			}
		})
	}
}

// A hundred and ten sessions that one account made up in a minute, all for one strategy, decide nothing for anybody else.
func TestOneAccountDecidesForNobodyElse(t *testing.T) {
	heavy(t)
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	ada.Post(configPath, m{"studySettings": m{"strategyExperimentsAllowed": true}}).OK(t)
	drawn := map[string]int{}
	for i := range 110 {
		at := s.Clock.Now().Add(time.Duration(i-111) * 6 * time.Hour).Format(time.RFC3339)
		plan := ada.Post("/api/knowledge/session/plan", m{"maxActions": 6, "generatedAt": at}).OK(t)
		strategy := plan.Str("data.signals.orchestration.recommendedPathStrategy")
		if plan.At("data.signals.orchestration.propensity") != nil {
			drawn[strategy]++
		}
		outcome := "incorrect"
		if strategy == "exploration_boost" {
			outcome = "correct"
		}
		outcomes := m{}
		for _, id := range plan.All("data.actions", "id") {
			outcomes[id] = outcome
		}
		ada.Post(executePath, m{"sessionPlan": plan.At("data"), "outcomesByActionId": outcomes, "executedAt": at}).OK(t)
	}
	if drawn["exploration_boost"] < 10 {
		t.Fatalf("drawn: %v", drawn)
	}
	for _, name := range []string{"bob", "cyn"} {
		fresh := s.As(t, name).Post("/api/knowledge/session/plan", m{}).OK(t)
		want(t, fresh, m{"data.signals.orchestration.pathStrategySelectionSource": "mode_fallback", "data.signals.orchestration.recommendedPathStrategy": "balanced", "data.signals.orchestration.propensity": nil})
	}
}

// What is locked is offered after all that can be begun, or to whoever asks for it, and always after what it needs, in order; three errors of one named
// kind with the last answer wrong are a misconception, two or unnamed ones are none.
func TestLockedAndMisconceptions(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	bob := s.As(t, "bob")
	bob.Post(ingestPath, m{"documents": chained(20)}).OK(t)
	place := map[string]int{}
	for i := range 20 {
		place[apitest.Atom("bob", fmt.Sprintf("topic-%d", i))] = i
	}
	inOrder := func(ids []string) map[int]bool {
		seen := map[int]bool{}
		for _, id := range ids {
			i := place[id]
			for back := 1; back <= 2 && i >= 3 && i-back*2 >= 0; back++ {
				if !seen[i-back*2] {
					t.Errorf("topic %d stands before topic %d, which it needs: %v", i, i-back*2, ids)
				}
			}
			seen[i] = true
		}
		return seen
	}
	inOrder(bob.Post("/api/knowledge/session/plan", m{"maxActions": 12}).OK(t).All("data.actions", "atomId"))
	for _, a := range bob.Post("/api/knowledge/session/plan", m{"maxActions": 3}).OK(t).At("data.actions").([]any) {
		if rule := a.(m)["reason"].(m)["rule"]; rule == "locked" {
			t.Errorf("%v is locked though there is enough that is not", a.(m)["title"])
		}
	}
	asked := bob.Post("/api/knowledge/session/plan", m{"maxActions": 12, "focusAtomIds": []string{apitest.Atom("bob", "topic-8")}}).OK(t).All("data.actions", "atomId")
	if !inOrder(asked)[8] {
		t.Errorf("what was asked for is not in %v", asked)
	}
	limits := apitest.Atom("bob", "topic-0")
	wrong := func(tag string) string {
		s.Clock.Advance(26 * time.Hour)
		bob = s.As(t, "bob")
		bob.Post("/api/knowledge/mastery/diagnose", m{"observations": []m{{"atomId": limits, "outcome": "incorrect", "errorTag": tag}}}).OK(t)
		for _, a := range bob.Post("/api/knowledge/session/plan", m{"maxActions": 12}).OK(t).At("data.actions").([]any) {
			if a := a.(m); a["atomId"] == limits {
				return a["reason"].(m)["rule"].(string)
			}
		}
		return ""
	}
	for i, tag := range []string{"", "", "", "", "sign_error", "sign_error"} {
		if rule := wrong(tag); rule == "misconception" {
			t.Errorf("answer %d, %q: %s", i, tag, rule)
		}
	}
	if rule := wrong("sign_error"); rule != "misconception" {
		t.Errorf("the third named error: %s", rule)
	}
	bob.Post("/api/knowledge/mastery/diagnose", m{"observations": []m{{"atomId": limits, "outcome": "correct"}}}).OK(t)
	for _, a := range bob.Post("/api/knowledge/session/plan", m{"maxActions": 12}).OK(t).At("data.actions").([]any) {
		if a := a.(m); a["atomId"] == limits && a["reason"].(m)["rule"] == "misconception" {
			t.Error("after a right answer")
		}
	}
}
