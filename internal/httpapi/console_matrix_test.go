package httpapi_test

import (
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
	"stoa/internal/httpapi"
)

// consoleRoles says who may call what of the console, by the first part of the path; an operation that is not here fails the test.
var consoleRoles = map[string][]string{
	"reviews": {"reviewer"}, "verdicts": {"operator"}, "featured": {"operator"}, "members": {"operator"}, "service": {"operator"},
	"me": {"reviewer", "operator"}, "confirm": {"reviewer", "operator"}, "acts": {"reviewer", "operator"}, "takedowns": {"reviewer", "operator"}, "ratings": {"reviewer", "operator"}, "items": {"reviewer", "operator"},
}

// withoutStep are the changes that want no second step: they can be taken back by who made them, or are the step.
var withoutStep = []string{"/claim", "/release", "/confirm"}

// Every operation of the console is called by nobody, by a member's session of the public pages, and by each role, before and after the
// second step; about a template and a pack that a member submitted, and about the caller's own. What is refused changes nothing.
func TestEveryOperationOfTheConsole(t *testing.T) {
	t.Parallel()
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		browser := consoleFor(t, s)
		inCharge(t, s, "rita", "reviewer")
		inCharge(t, s, "otto", "operator")
		inCharge(t, s, "mona")
		id, own := s.Submit(t, "ada", "ada/letters", "1.0.0", "community"), s.Submit(t, "rita", "rita/own", "1.0.0", "community")
		packs := map[string]string{}
		for _, owner := range []string{"ada", "rita"} {
			draft := s.Draft(t, owner, "cmd_config.json", apitest.Setup(t, "gardener"))
			packs[owner] = s.SubmitPack(t, owner, submit.PackInput{ArtifactID: draft, PackID: owner + "/pack"})
		}
		nobody, mona := browser(), s.As(t, "mona")
		who := map[string]*consoleClient{"reviewer": browser(), "operator": browser()}
		who["reviewer"].signIn("rita")
		who["operator"].signIn("otto")
		before, asked := s.Rows(t), 0
		for _, pattern := range httpapi.ConsolePatterns() {
			method, path := pattern[0], pattern[1]
			first, _, _ := strings.Cut(strings.TrimPrefix(path, "/console/api/"), "/")
			if slices.Contains([]string{"login", "passkey", "logout"}, first) {
				continue // before there is a role, and the end of one's own session
			}
			if consoleRoles[first] == nil {
				t.Errorf("nobody says who may call %s %s", method, path)
			}
			for _, about := range []string{id, own, packs["ada"], packs["rita"]} {
				path := strings.Replace(path, "/x", "/"+about, 1)
				asked++
				nobody.want(401, "unauthorized", method, path, m{})
				if r := mona.Do(method, path, mustJSON(m{})); r.Status < 400 || strings.Contains(string(r.Body), "rita") {
					t.Errorf("%s %s on the public listener: %d %s", method, path, r.Status, r.Body)
				}
				for role, c := range who {
					if !slices.Contains(consoleRoles[first], role) {
						c.want(403, "permission_denied", method, path, m{})
						continue
					}
					step := slices.ContainsFunc(withoutStep, func(end string) bool { return strings.HasSuffix(path, end) })
					if method == "POST" && !step {
						if data := c.want(403, "permission_denied", method, path, m{}); data["confirm"] != true {
							t.Errorf("%s %s without the second step: %v", method, path, data)
						}
					}
				}
			}
		}
		if after := s.Rows(t); after != before || asked < 80 {
			t.Errorf("%d asked; what was refused has changed rows:\n%s", asked, firstDifference(before, after))
		}
		// After the second step, too, roles hold, and nobody decides about their own.
		for role, c := range who {
			c.confirm()
			for _, pattern := range httpapi.ConsolePatterns() {
				first, _, _ := strings.Cut(strings.TrimPrefix(pattern[1], "/console/api/"), "/")
				if of := consoleRoles[first]; of != nil && !slices.Contains(of, role) {
					c.want(403, "permission_denied", pattern[0], strings.Replace(pattern[1], "/x", "/"+id, 1), m{})
				}
			}
		}
		rita := who["reviewer"]
		for _, decision := range []string{"approve", "reject"} {
			for _, mine := range []string{own, packs["rita"]} {
				rita.want(403, "permission_denied", "POST", "/console/api/reviews/"+mine+"/"+decision, m{"note": "mine"})
			}
		}
		if n := s.Count(t, "submission WHERE status = 'pending'"); n != 4 {
			t.Errorf("%d wait", n)
		}
	})
}
