package httpapi_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
	"stoa/internal/httpapi"
	"stoa/internal/market/catalog"
)

// marker is a word that one version alone has, in each of its texts.
const marker = "zanzibar"

// versionRoute is a way to what a version holds.
type versionRoute struct {
	at string // an operation's id, or a pattern of the mux
	in m      // of an operation
	to string // the address of any other route
	// keeps are callers to whom it goes on saying what it said, each with the reason.
	keeps map[string]string
}

func (r versionRoute) String() string { return fmt.Sprint(r.at, " ", r.in, r.to) }

func (r versionRoute) ask(t *testing.T, c *apitest.Client) *apitest.Reply {
	if r.to != "" {
		return c.Raw(http.MethodGet, r.to, nil)
	}
	return send(c, operation(t, r.at), r.in)
}

const (
	theirsAlready = "what they have installed stays theirs, with its name"
	theirsToTake  = "what they sent and did is theirs to take away"
)

// versionOperations are the operations that hand out something of a version.
func versionOperations() (all []versionRoute) {
	add := func(op string, in ...m) {
		for _, one := range in {
			all = append(all, versionRoute{at: op, in: one})
		}
	}
	const letters, garden, v = "ada/letters", "ada/garden", "2.0.0"
	add("getTemplateDetail", m{"template_id": letters})
	add("getProfilePackCatalogDetail", m{"pack_id": garden})
	add("listTemplates", m{"query": marker}, m{"template_id": letters})
	add("listProfilePackCatalog", m{"query": marker}, m{"pack_id": garden})
	add("listPrompts", m{"query": marker})
	add("getItemPage", m{"item_id": letters}, m{"item_id": garden}, m{"item_id": "ada/like"}) // what is similar stands on the page of another
	add("getItemPicture", m{"item_id": letters, "name": "screenshots/" + marker + ".png"})
	add("getTrialPersonas", m{"item_id": letters, "version": v}, m{"item_id": letters}, m{"item_id": garden, "version": v}, m{"item_id": garden})
	add("installTemplate", m{"template_id": letters}, m{"template_id": letters, "install_options": m{"force_reinstall": true}})
	add("downloadTemplatePackage", m{"template_id": letters}, m{"template_id": garden}, m{"template_id": letters, "source_preference": "generated"})
	add("generatePromptBundle", m{"template_id": letters})
	add("exportItem", m{"item_id": letters, "version": v, "format": "card-png"}, m{"item_id": letters, "format": "card-v3"}, m{"item_id": garden, "version": v, "format": "card-png"}, m{"item_id": garden, "format": "dify"})
	add("getBotObjects", m{"item_id": letters, "version": v}, m{"item_id": letters}, m{"item_id": garden, "version": v, "with": "all"}, m{"item_id": garden})
	add("compareProfilePackCatalog", m{"pack_id": garden, "version": v}, m{"pack_id": garden, "version": v, "base_version": "1.0.0"}, m{"pack_id": garden, "version": "1.0.0", "base_version": v}, m{"pack_id": garden},
		m{"pack_id": "ada/like", "base_pack_id": garden, "base_version": v}, m{"pack_id": "ada/like", "base_pack_id": garden})
	add("downloadProfilePackPackage", m{"pack_id": garden, "version": v}, m{"pack_id": garden})
	for _, op := range []string{"listMemberInstallations", "refreshMemberInstallations"} {
		all = append(all, versionRoute{at: op, in: m{}, keeps: map[string]string{"owner": theirsAlready, "reviewer": theirsAlready, "member": theirsAlready}})
	}
	all = append(all, versionRoute{at: "exportAccount", keeps: map[string]string{"owner": theirsToTake}})
	return all
}

// versionless are the operations that take an item, a version or a submission and hand out nothing of what a version holds, or only
// to whom it belongs.
var versionless = map[string]string{
	"exchangeToken": "gives a token", "getMarketActivity": "counts", "getInstallPlan": "says what would be recorded", "generatePackage": "gives a digest of the latest",
	"requestTrial": "starts a clock", "getTrialStatus": "reads a clock", "listRatings": "are the raters' words", "saveRating": "takes in", "removeRating": "takes back",
	"answerRating": "takes in", "reportRating": "takes in", "uninstallMemberInstallation": "takes back", "submitTemplate": "takes in", "checkSubmission": "looks at what is sent",
	"saveExample": "takes in", "saveTemplateDraft": "takes in", "saveProfilePackImportChoices": "takes in", "submitProfilePack": "takes in", "previewProfilePack": "shows the member's own draft", "withdrawMemberItem": "is how a version is withdrawn",
	"getSubmissionThread": "TestThingsOfAnotherMember", "sendSubmissionMessage": "TestThingsOfAnotherMember", "getMemberSubmissionDetail": "TestThingsOfAnotherMember",
	"withdrawMemberSubmission": "TestThingsOfAnotherMember", "downloadMemberSubmissionPackage": "TestThingsOfAnotherMember", "getMemberProfilePackSubmissionDetail": "TestThingsOfAnotherMember",
	"withdrawMemberProfilePackSubmission": "TestThingsOfAnotherMember", "downloadMemberProfilePackSubmissionExport": "TestThingsOfAnotherMember",
	"listMemberSubmissions": "lists the member's own", "listMemberProfilePackSubmissions": "lists the member's own",
}

// versionNames are the names under which operations take what has versions.
var versionNames = []string{"item_id", "template_id", "pack_id", "submission_id", "version", "base_version", "base_pack_id"}

// versionFeeds are the other routes, by their pattern. {garden} and {letters} are their layers.
func versionFeeds() (all []versionRoute) {
	add := func(pattern string, to ...string) {
		for _, one := range to {
			all = append(all, versionRoute{at: pattern, to: one})
		}
	}
	const claw = "/feeds/clawhub/api/v1/"
	add("GET /market", "/market?item=ada/letters", "/market?pack=ada/garden")
	add("GET /feeds/git/marketplace.json", "/feeds/git/marketplace.json")
	add("GET /feeds/npm/{path...}", "/feeds/npm/@stoa/ada--garden", "/feeds/npm/@stoa/ada--garden/-/ada--garden-2.0.0.tgz", "/feeds/npm/@stoa/ada--letters", "/feeds/npm/@stoa/ada--letters/-/ada--letters-2.0.0.tgz")
	for _, root := range []string{"", "/feeds/skills", "/feeds/skills/by/{owner}"} {
		for _, folder := range []string{"agent-skills", "skills"} {
			at := root + "/.well-known/" + folder
			to := strings.ReplaceAll(at, "{owner}", "ada")
			add("GET "+at+"/index.json", to+"/index.json")
			add("GET "+at+"/{skill}/SKILL.md", to+"/watering/SKILL.md", to+"/x"+marker+"-grows/SKILL.md")
		}
	}
	add("GET /feeds/skills/api/search", "/feeds/skills/api/search?q="+marker)
	add("GET "+claw+"search", claw+"search?q="+marker)
	add("GET "+claw+"skills", claw+"skills")
	add("GET "+claw+"skills/{slug}", claw+"skills/ada--garden.x"+marker+"-grows")
	add("GET "+claw+"skills/{slug}/versions/{version}", claw+"skills/ada--garden.watering/versions/2.0.0")
	add("GET "+claw+"skills/{slug}/scan", claw+"skills/ada--garden.x"+marker+"-grows/scan")
	add("GET "+claw+"skills/{slug}/verify", claw+"skills/ada--garden.x"+marker+"-grows/verify?version=2.0.0")
	add("GET "+claw+"skills/{slug}/file", claw+"skills/ada--garden.watering/file?path=SKILL.md&version=2.0.0", claw+"skills/ada--garden.watering/file?path=SKILL.md", claw+"skills/ada--letters/file?path=SKILL.md&version=2.0.0")
	add("GET "+claw+"download", claw+"download?slug=ada--garden.watering&version=2.0.0", claw+"download?slug=ada--garden.watering&tag=latest", claw+"download?slug=ada--letters&version=2.0.0")
	add("GET /feeds/astrbot/plugins.json", "/feeds/astrbot/plugins.json")
	add("GET /feeds/astrbot/zip/{file}", "/feeds/astrbot/zip/ada--garden-2.0.0.zip", "/feeds/astrbot/zip/ada--letters-2.0.0.zip")
	const servers = "/feeds/mcp/v0.1/servers"
	add("GET "+servers, servers, servers+"?include_deleted=true")
	add("GET "+servers+"/{name}/versions", servers+"/local.stoa%2Fada.garden.weather/versions")
	add("GET "+servers+"/{name}/versions/{version}", servers+"/local.stoa%2Fada.garden.weather/versions/2.0.0", servers+"/local.stoa%2Fada.garden.weather/versions/latest")
	add("GET /feeds/cards/index.json", "/feeds/cards/index.json")
	add("GET /feeds/cards/{file}", "/feeds/cards/ada--garden.png", "/feeds/cards/ada--letters.v3.json", "/feeds/cards/ada--garden.v2.json")
	add("GET /feeds/lobe", "/feeds/lobe")
	for _, locale := range []string{"", ".en-US", ".zh-CN", ".ja-JP"} {
		add("GET /feeds/lobe/index"+locale+".json", "/feeds/lobe/index"+locale+".json")
	}
	add("GET /feeds/lobe/{file}", "/feeds/lobe/ada--garden.json")
	add("GET /feeds/dify/{file}", "/feeds/dify/ada--letters.yml", "/feeds/dify/ada--garden.yml")
	add("GET /v2/{path...}", "/v2/ada/garden/blobs/{garden}", "/v2/ada/letters/blobs/{letters}", "/v2/ada/letters/manifests/2.0.0", "/v2/ada/garden/manifests/latest")
	add("GET /feeds/stoa/items/{file}", "/feeds/stoa/items/ada--garden.json", "/feeds/stoa/items/ada--letters.json")
	add("GET /feeds/stoa/packs/{slug}/{file}", "/feeds/stoa/packs/ada--garden/2.0.0.zip", "/feeds/stoa/packs/ada--letters/2.0.0.zip")
	add("GET /feeds/atom/author/{name...}", "/feeds/atom/author/ada")
	add("GET /feeds/atom/tag/{name...}", "/feeds/atom/tag/plants")
	return all
}

// elsewhere are the patterns of the mux that hand out nothing of a version, beside the operations of the contract.
var elsewhere = map[string]string{
	"GET /feeds/astrbot/plugins-md5.json": "is a digest of plugins.json", "GET /feeds/stoa/index.json": "names versions and digests",
	"GET /feeds/clawhub/api/v1/resolve": "names versions", "GET /feeds/clawhub/api/v1/skills/{slug}/versions": "names versions",
	"POST /feeds/clawhub/api/v1/skills/-/security-verdicts": "says which are there", "GET /.well-known/clawhub.json": "is an address", "GET /.well-known/clawdhub.json": "is an address",
	"GET /feeds/git/{path...}": "asked by gitSays", "POST /feeds/git/{path...}": "asked by gitSays", "/mcp": "asked by mcpSays", "/mcp/market": "asked by mcpSays",
	"GET /calendar.ics": "says how much a learner has due", "GET /{$}": "a page", "GET /member": "a page", "GET /learn": "a page", "GET /learn-worker.js": "a part of a page", "GET /trial/frame": "a part of a page", "GET /runtime": "a page", "/": "no page", "/api/": "no route", "GET /assets/": "files of the pages",
}

func TestEveryRouteToAVersionIsKnown(t *testing.T) {
	asked := map[string]bool{}
	for _, r := range slices.Concat(versionOperations(), versionFeeds()) {
		asked[r.at] = true
	}
	mounted := map[string]bool{}
	for _, op := range apitest.Operations() {
		mounted["op "+op.ID], mounted[op.Method+" "+op.Path], mounted[op.Path] = true, true, true
		takes := slices.ContainsFunc(versionNames, func(name string) bool { _, ok := op.Named(name); return ok })
		switch why := versionless[op.ID]; {
		case takes && !asked[op.ID] && why == "":
			t.Errorf("%s takes an item or a version, and is neither asked for one that was withdrawn nor said to hand out nothing", op.ID)
		case asked[op.ID] && why != "":
			t.Errorf("%s is asked and said to hand out nothing", op.ID)
		}
	}
	for id := range versionless {
		if !mounted["op "+id] {
			t.Errorf("there is no operation %s", id)
		}
	}
	s := feedServer(t)
	plain := regexp.MustCompile(`^(GET )?/(api/docs|api/openapi|console|oauth|\.well-known/oauth|sign-?in|api/sign-?in|api/trial|icon|favicon|robots|manifest|licen)|^(GET|POST) /oauth/|GET /notifications`)
	for _, pattern := range s.Handler.Patterns() {
		if !mounted[pattern] && !asked[pattern] && elsewhere[pattern] == "" && !plain.MatchString(pattern) {
			t.Errorf("%s is neither asked for a version that was withdrawn nor said to hand out nothing", pattern)
		}
		mounted["mux "+pattern] = true
	}
	for pattern := range elsewhere {
		if !mounted["mux "+pattern] {
			t.Errorf("nothing is mounted at %s", pattern)
		}
	}
}

// versionPack is toolPack whose second version has the marker in each text.
func versionPack(id, version string) string {
	word := map[string]string{"2.0.0": marker}[version]
	return apitest.Line(m{
		"id": id, "version": version, "pack_type": "extension_pack", "category": "garden", "tags": []string{"plants", "x" + word}, "author": "Ada",
		"locales": m{"en-US": m{"title": "Garden " + word, "description": "Helps with a garden. " + word}},
		"sections": m{
			"skills": m{
				"watering":            m{"text": "---\nname: watering\ndescription: When plants need water " + word + ".\n---\n\n# Watering\n\nVersion " + version + ".\n"},
				"x" + word + "-grows": m{"text": "---\nname: x" + word + "-grows\ndescription: About " + word + ".\n---\n\n# Grows\n"},
			},
			"personas":    m{"entries": m{"gardener": m{"system_prompt": "You are a gardener of " + word + ".", "begin_dialogs": []string{"Hi", "Hello " + word}}}},
			"mcp_servers": m{"weather": m{"command": "npx", "args": []string{"-y", "weather-mcp"}, "env": m{"STATION": word}}},
		},
	})
}

// Whoever asks for a version that its author took out, or for one of an item that was taken down, gets nothing of it by any route,
// whoever they are. Each route is first seen to hand it out.
func TestNothingHandsOutAWithdrawnVersion(t *testing.T) {
	heavy(t)
	apitest.Each(t, apitest.Options{HTTP: func(c *httpapi.Config) { c.Feeds = httpapi.FeedNames() }}, func(t *testing.T, s *apitest.Server) {
		routes := slices.Concat(versionOperations(), versionFeeds())
		callers := publishTwice(t, s)
		layers := strings.NewReplacer("{garden}", ociDigest(t, s, "garden"), "{letters}", ociDigest(t, s, "letters"))
		for i := range routes {
			routes[i].to = layers.Replace(routes[i].to)
		}
		commits := map[string]string{}
		for _, name := range []string{"items/ada/garden", "items/ada/letters", "owners/ada", "categories/garden"} {
			commits[name] = gitHead(t, s, name)
		}
		look := func() findings { return lookEverywhere(t, s, routes, commits, callers) }
		found := look()
		for _, r := range routes {
			if !found.any(r.String()) {
				t.Errorf("%s hands nothing out of the version that stands, so that it proves nothing", r)
			}
		}
		for name := range commits {
			if !found.any("git " + name) {
				t.Errorf("git %s hands nothing out", name)
			}
		}
		keeps := map[string]map[string]string{}
		for _, r := range routes {
			keeps[r.String()] = r.keeps
		}
		nothing := func(when string) {
			t.Helper()
			for where, who := range look() {
				for name := range who {
					if keeps[where][name] == "" {
						t.Errorf("%s, %s says to the %s what it holds", when, where, name)
					}
				}
			}
		}
		items := map[string]string{"ada/letters": "template", "ada/garden": "profile_pack"}
		set := func(withdrawn bool, version string) {
			t.Helper()
			for id, kind := range items {
				callers["owner"].Post("/api/member/items/withdraw", m{"kind": kind, "item_id": id, "version": version, "withdrawn": withdrawn, "note": "It is wrong."}).OK(t)
			}
			s.Settle()
		}
		set(true, "2.0.0")
		nothing("withdrawn by its author")
		s.Restart(t)
		nothing("withdrawn by its author, after a start")
		set(false, "2.0.0")
		set(true, "")
		nothing("the item withdrawn by its author")
		set(false, "")
		for id, kind := range items {
			if err := s.App.WithdrawItem(t.Context(), catalog.Kind(kind), id, "It asks for passwords."); err != nil {
				t.Fatal(err)
			}
		}
		s.Settle()
		nothing("taken down")
	})
}

// publishTwice publishes a template and a pack in two versions, the second with the marker, and gives those who ask: a stranger, the
// owner, a reviewer and a member, all but the first with the second version installed.
func publishTwice(t *testing.T, s *apitest.Server) map[string]*apitest.Client {
	t.Helper()
	callers := map[string]*apitest.Client{"stranger": s.Nobody(t), "owner": s.As(t, "ada"), "reviewer": s.As(t, "cyn"), "member": s.As(t, "bob")}
	if err := s.App.GrantRole(t.Context(), "cyn", "reviewer"); err != nil {
		t.Fatal(err)
	}
	publish(t, s, "ada", versionPack("ada/garden", "1.0.0"), versionPack("ada/like", "1.0.0"))
	publishLetters(t, s, "1.0.0", "plain")
	publish(t, s, "ada", versionPack("ada/garden", "2.0.0"))
	publishLetters(t, s, "2.0.0", marker)
	for name, c := range callers {
		if name != "stranger" {
			for _, id := range []string{"ada/letters", "ada/garden"} {
				c.Post("/api/templates/install", m{"template_id": id}).OK(t)
			}
		}
	}
	return callers
}

func publishLetters(t *testing.T, s *apitest.Server, version, word string) {
	t.Helper()
	bundle := m{"template_id": "ada/letters", "version": version, "title": "Letters " + word, "description": "Writes letters, " + word + ".", "prompt": "You write letters of " + word + ".", "tags": []string{"plants"}}
	files := map[string]string{"bundle.json": string(mustJSON(bundle)), "screenshots/" + word + ".png": picture(t, 9, 9)}
	in := submit.TemplateInput{TemplateID: "ada/letters", Version: version}
	s.Approve(t, s.SubmitPackage(t, "ada", in, apitest.Zip(t, files)))
	s.Clock.Advance(time.Minute)
}

// findings are the callers to whom a route says the marker, by route.
type findings map[string]map[string]bool

func (f findings) any(where string) bool { return len(f[where]) > 0 }

func (f findings) note(where, who string, says bool) {
	if says && f[where] == nil {
		f[where] = map[string]bool{}
	}
	if says {
		f[where][who] = true
	}
}

func lookEverywhere(t *testing.T, s *apitest.Server, routes []versionRoute, commits map[string]string, callers map[string]*apitest.Client) findings {
	t.Helper()
	out := findings{}
	for who, c := range callers {
		for _, r := range routes {
			a := r.ask(t, c)
			says := a.Status == 200 && (saysMarker(a.Body, 3) || r.at == "getItemPicture")
			out.note(r.String(), who, says)
		}
		for name, commit := range commits {
			out.note("git "+name, who, gitSays(c, name, commit))
		}
		for _, id := range []string{"ada/letters", "ada/garden"} {
			for _, call := range append(mcpCalls, `"tools/call","params":{"name":"compare","arguments":{"id":"{id}","version":"2.0.0"}}`) {
				says := strings.Contains(mcpSays(t, s, c.Token, strings.NewReplacer("{id}", id, "query\":\"secret", "query\":\""+marker).Replace(call)), "of "+marker)
				out.note("mcp "+id+" "+call, who, says)
			}
		}
	}
	return out
}

func ociDigest(t *testing.T, s *apitest.Server, name string) string {
	t.Helper()
	var manifest struct{ Layers []struct{ Digest string } }
	feedJSON(t, s, "/v2/ada/"+name+"/manifests/2.0.0", &manifest)
	return manifest.Layers[0].Digest
}

func gitHead(t *testing.T, s *apitest.Server, name string) string {
	t.Helper()
	_, body := feedGet(t, s, "/feeds/git/"+name+".git/info/refs?service=git-upload-pack", "")
	commit := regexp.MustCompile(`([0-9a-f]{40}) `).FindSubmatch(body)
	if commit == nil {
		t.Fatalf("git %s has no commit: %s", name, body)
	}
	return string(commit[1])
}

// gitSays asks for a commit by its name, as a client that knows it does.
func gitSays(c *apitest.Client, name, commit string) bool {
	body := "0032want " + commit + "\n00000009done\n"
	r := c.With("Content-Type", "application/x-git-upload-pack-request").Raw(http.MethodPost, "/feeds/git/"+name+".git/git-upload-pack", []byte(body))
	return r.Status == 200 && saysMarker(r.Body, 2)
}

var inBase64 = regexp.MustCompile(`[A-Za-z0-9+/]{40,}={0,2}`)

// saysMarker looks for the marker in what came, and in what is packed in it: archives, the objects of git, Base64.
func saysMarker(b []byte, deep int) bool {
	if bytes.Contains(bytes.ToLower(b), []byte(marker)) {
		return true
	}
	if deep == 0 {
		return false
	}
	if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
		inner, _ := io.ReadAll(z)
		return saysMarker(inner, deep-1)
	}
	if z, err := zip.NewReader(bytes.NewReader(b), int64(len(b))); err == nil {
		for _, f := range z.File {
			file, err := f.Open()
			if err != nil {
				continue
			}
			inner, _ := io.ReadAll(file)
			if saysMarker(inner, deep-1) {
				return true
			}
		}
		return false
	}
	for i := range len(b) - 1 {
		if b[i] != 0x78 || (int(b[i])<<8|int(b[i+1]))%31 != 0 {
			continue
		}
		if z, err := zlib.NewReader(bytes.NewReader(b[i:])); err == nil {
			if inner, _ := io.ReadAll(z); bytes.Contains(inner, []byte(marker)) {
				return true
			}
		}
	}
	for _, text := range inBase64.FindAll(b, -1) {
		inner := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		if n, err := base64.StdEncoding.Decode(inner, text); err == nil && saysMarker(inner[:n], deep-1) {
			return true
		}
	}
	return false
}
