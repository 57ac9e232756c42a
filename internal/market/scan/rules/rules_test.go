package rules

import (
	"slices"
	"strings"
	"testing"

	"stoa/internal/market/scan/normal"
)

func finds(text string) (ids, mentions []string) {
	s := Load()
	s.Match(normal.Fold(normal.Unescape(normal.Raw([]byte(text)))).B, &Scratch{}, func([]Hit) {}, func(m Match) {
		if m.Mention {
			mentions = append(mentions, s.Rules[m.Rule].ID)
		} else {
			ids = append(ids, s.Rules[m.Rule].ID)
		}
	})
	return ids, mentions
}

func TestEveryRuleFindsItsExamplesAndSparesItsNearMisses(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Load().Rules {
		if r.ID == "" || r.Family == "" || r.Category == "" || r.Why == "" || r.Advice == "" || seen[r.ID] ||
			!slices.Contains([]string{"medium", "high"}, r.Severity) || !slices.Contains([]string{Strong, Some, Little}, r.Weight) ||
			forms(r) != 1 || len(r.Examples) == 0 || len(r.NearMisses) == 0 {
			t.Errorf("%s: a field is missing, wrong, or twice there", r.ID)
		}
		seen[r.ID] = true
		if r.Part {
			continue // its examples are those of the rules that combine it
		}
		for _, text := range r.Examples {
			if ids, mentions := finds(text); !slices.Contains(ids, r.ID) {
				t.Errorf("%s misses %q (found %v, mentioned %v)", r.ID, text, ids, mentions)
			}
		}
		for _, text := range r.NearMisses {
			if ids, _ := finds(text); slices.Contains(ids, r.ID) {
				t.Errorf("%s is found in %q", r.ID, text)
			}
		}
	}
	for _, id := range strings.Fields("ignore_previous_instructions reveal_system_prompt bypass_safety privilege_escalation insecure_http_source shell_pipe_download unpinned_remote_install floating_git_ref") {
		if !seen[id] {
			t.Errorf("%s is a warning_flag of the contract and has no rule", id)
		}
	}
}

func forms(r Rule) (n int) {
	for _, given := range []bool{len(r.Concepts) > 0, r.Pattern != "", len(r.Combines) > 1 && r.Reach > 0} {
		if given {
			n++
		}
	}
	return n
}
