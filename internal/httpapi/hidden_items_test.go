package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
	"stoa/internal/httpapi"
	"stoa/internal/market/catalog"
)

// Names of the hidden items and of those that there never were, as long as each other: lengths are compared too.
var (
	hiddenNames  = strings.NewReplacer("letters", "NAME", "garden", "NAME")
	neverNames   = strings.NewReplacer("lettern", "NAME", "gardem", "NAME")
	toNeverNames = strings.NewReplacer("letters", "lettern", "garden", "gardem")
)

// takesItems are the operations that take an item in, with the reason why the answer is not about one that is there.
var takesItems = map[string]string{
	"submitTemplate": "takes in", "submitProfilePack": "takes in", "previewProfilePack": "takes in", "saveTemplateDraft": "takes in", "checkSubmission": "takes in",
	"exchangeToken": "wants a pipeline's proof", "addTrustedPublisher": "takes a name in", "signup": "takes a name in",
}

// itemCalls are all calls that name an item: every operation by every name that it takes one under, and the feeds.
func itemCalls() (all []versionRoute) {
	for _, r := range slices.Concat(versionOperations(), versionFeeds()) {
		if r.to == "" && r.in != nil || !strings.Contains(r.to, "{") && (strings.Contains(r.to, "garden") || strings.Contains(r.to, "letters")) {
			all = append(all, r)
		}
	}
	for _, op := range apitest.Operations() {
		for _, name := range []string{"item_id", "template_id", "pack_id", "base_pack_id"} {
			if _, takes := op.Named(name); !takes || takesItems[op.ID] != "" {
				continue
			}
			for _, id := range []string{"ada/letters", "ada/garden"} {
				in := input(op)
				in[name] = id
				if name == "base_pack_id" {
					in["pack_id"] = starter
				}
				all = append(all, versionRoute{at: op.ID, in: in})
			}
		}
	}
	return all
}

// An item that waits, was rejected, is somebody's own, was withdrawn or taken down is to everybody else as one that there never was,
// whatever operation or feed names it: status, code, words, headers and lengths.
func TestHiddenItemsAreAsThoseThatNeverWere(t *testing.T) {
	heavy(t)
	pending := func(t *testing.T, s *apitest.Server) []string {
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		return []string{s.Submit(t, "ada", "ada/letters", "1.0.0", catalog.Community), s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/garden"})}
	}
	published := func(t *testing.T, s *apitest.Server) {
		for _, id := range pending(t, s) {
			s.Approve(t, id)
		}
	}
	kinds := map[string]catalog.Kind{"ada/letters": catalog.KindTemplate, "ada/garden": catalog.KindProfilePack}
	for name, hide := range map[string]func(t *testing.T, s *apitest.Server){
		seenByAll: published,
		"waiting": func(t *testing.T, s *apitest.Server) { pending(t, s) },
		"rejected": func(t *testing.T, s *apitest.Server) {
			for _, id := range pending(t, s) {
				if _, err := s.App.Reject(t.Context(), id, "No."); err != nil {
					t.Fatal(err)
				}
			}
		},
		"private": func(t *testing.T, s *apitest.Server) { s.Private(t, "ada", "ada/letters") },
		"withdrawn": func(t *testing.T, s *apitest.Server) {
			published(t, s)
			for id, kind := range kinds {
				s.As(t, "ada").Post("/api/member/items/withdraw", m{"kind": string(kind), "item_id": id, "withdrawn": true, "note": "It is wrong."}).OK(t)
			}
		},
		"taken down": func(t *testing.T, s *apitest.Server) {
			published(t, s)
			for id, kind := range kinds {
				if err := s.App.WithdrawItem(t.Context(), kind, id, "It asks for passwords."); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := apitest.Options{HTTP: func(c *httpapi.Config) { c.Feeds = httpapi.FeedNames() }}
			apitest.EachStore(t, o, func(t *testing.T, s *apitest.Server) {
				inCharge(t, s, "rita", "reviewer")
				inCharge(t, s, "otto", "operator")
				hide(t, s)
				s.Settle()
				asked, told := 0, 0
				for who, c := range map[string]*apitest.Client{"nobody": s.Nobody(t), "a member": s.As(t, "bob"), "a reviewer": s.As(t, "rita"), "an operator": s.As(t, "otto")} {
					for _, r := range itemCalls() {
						asked++
						hidden, never := r.ask(t, c), neverWas(r).ask(t, c)
						if got, want := answerTo(hidden, hiddenNames), answerTo(never, neverNames); got == want {
							continue
						} else if told++; name != seenByAll {
							t.Errorf("%s as %s:\n%s\nand of what never was:\n%s", r, who, got, want)
						}
					}
				}
				if name == seenByAll && told < asked/2 {
					t.Errorf("%d of %d calls tell of what is shown, so that they prove little of what is hidden", told, asked)
				}
				t.Logf("%d of %d calls tell", told, asked)
			})
		})
	}
}

// seenByAll is the state of what everybody sees, by which the test is tested.
const seenByAll = "seen by all"

// neverWas is a call about items that there never were.
func neverWas(r versionRoute) versionRoute {
	out := versionRoute{at: r.at, in: m{}, to: toNeverNames.Replace(r.to)}
	maps.Copy(out.in, r.in)
	for name, v := range out.in {
		if id, ok := v.(string); ok && strings.HasPrefix(id, "ada/") {
			out.in[name] = toNeverNames.Replace(id)
		}
	}
	return out
}

// answerTo is all that an answer says, without what differs from one moment to the next.
func answerTo(r *apitest.Reply, names *strings.Replacer) string {
	headers := []string{}
	for name := range r.Header {
		headers = append(headers, name)
	}
	slices.Sort(headers)
	body := varying.ReplaceAllString(names.Replace(string(r.Body)), "?")
	length := r.Header.Get("Content-Length")
	if r.Status == http.StatusOK {
		length = ""
	}
	return fmt.Sprintf("%d %s %v %s %s", r.Status, length, headers, r.Header.Get("Cache-Control"), body)
}
