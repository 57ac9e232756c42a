package httpapi_test

import (
	"slices"
	"testing"

	"stoa/internal/apitest"
)

// What needs something that is not known stands behind it in a plan and says so; what needs nothing names nothing.
func TestPlansSayWhatComesFirst(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		bob := s.As(t, "bob")
		note := func(id, text string) m { return m{"documentId": id, "sourcePath": id + ".md", "content": text} }
		bob.Post("/api/knowledge/ingest", m{"documents": []m{
			note("wheels", "# Wheels\n\nA *wheel* is a disc that turns on an axle and carries what rests on it.\n"),
			note("carts", "# Carts\n\nRequires [[wheels]].\n\nA *cart* is a frame on two wheels that something pulls.\n"),
			note("wagons", "# Wagons\n\nRequires [[carts]] and [[wheels]].\n\nA *wagon* is a cart with four wheels and a turning front.\n"),
		}}).OK(t)
		at := map[string]int{}
		atoms := map[string]string{}
		for _, id := range []string{"wheels", "carts", "wagons"} {
			atoms[id] = apitest.Atom("bob", id)
		}
		plan := bob.Post("/api/knowledge/session/plan", m{"maxActions": 40}).OK(t)
		behind := 0
		for i, a := range plan.At("data.actions").([]any) {
			id := a.(m)["atomId"].(string)
			if _, there := at[id]; !there {
				at[id] = i
			}
			after, _ := a.(m)["afterAtomIds"].([]any)
			for _, needed := range after {
				behind++
				if before, there := at[needed.(string)]; !there || before >= i {
					t.Errorf("%v stands before %v", id, needed)
				}
			}
			if id == atoms["wheels"] && len(after) > 0 || id == atoms["carts"] && !slices.Contains(after, any(atoms["wheels"])) || id == atoms["wagons"] && !slices.Contains(after, any(atoms["carts"])) {
				t.Errorf("%v comes after %v", id, after)
			}
		}
		if behind < 3 {
			t.Errorf("%d actions wait for others: %s", behind, plan.Body)
		}
		// Sent back as it came, the plan is worked through.
		bob.Post("/api/knowledge/session/execute", m{"sessionPlan": plan.At("data"), "outcomesByAtomId": m{atoms["wheels"]: "correct"}, "actionLimit": 1}).OK(t)
	})
}
