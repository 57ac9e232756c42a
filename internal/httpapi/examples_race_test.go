package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
)

// Two windows of an author keep examples of two personas at the same time. What was answered with success is there afterwards; who
// was late is told to look again.
func TestExamplesKeptAtOnceAreNotLost(t *testing.T) {
	setup := mustJSON(m{"config_version": 2, "persona": []m{{"name": "gardener", "prompt": "You garden."}, {"name": "cook", "prompt": "You cook."}}})
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		id := s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: s.Draft(t, "ada", "cmd_config.json", setup), PackID: "ada/garden", Version: "1.0.0"})
		names := []string{"gardener", "cook"}
		late := 0
		for round := range 8 {
			replies := make([]*apitest.Reply, len(names))
			var group sync.WaitGroup
			for i, name := range names {
				group.Go(func() {
					replies[i] = ada.Post(examplesPath, m{"submission_id": id, "persona": name, "model": "m", "messages": talkOf("Hello.", fmt.Sprintf("%s in round %d", name, round))})
				})
			}
			group.Wait()
			text := recordedPart(t, s, id).Text
			for i, name := range names {
				kept := strings.Contains(text, fmt.Sprintf("%s in round %d", name, round))
				switch replies[i].Status {
				case 200:
					if !kept {
						t.Fatalf("round %d: the example of %s was acknowledged and is lost: %s", round, name, text)
					}
				default:
					late++
					replies[i].Want(t, 409, "submission_state_invalid")
					if kept {
						t.Fatalf("round %d: the example of %s was refused and is there", round, name)
					}
				}
			}
			if !slices.ContainsFunc(replies, func(r *apitest.Reply) bool { return r.Status == 200 }) {
				t.Fatalf("round %d: nobody was first", round)
			}
		}
		t.Logf("%d of %d came late", late, 8*len(names))
	})
}
