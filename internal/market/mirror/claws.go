package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"stoa/internal/platform/fetch"
)

type claw struct {
	Slug        string `json:"slug"`
	DisplayName string `json:"displayName"`
	Summary     string `json:"summary"`
	Latest      struct {
		Version string `json:"version"`
	} `json:"latestVersion"`
	Tags map[string]string `json:"tags"`
	API  string            `json:"api,omitempty"`
}

// version is the newest one, "" where the source does not say.
func (c claw) version() string {
	if c.Latest.Version != "" {
		return c.Latest.Version
	}
	return c.Tags["latest"]
}

func listClaws(ctx context.Context, f *Session, base, cursor, _ string) (Page, error) {
	api, err := clawAPI(ctx, f, base)
	if err != nil {
		return Page{}, err
	}
	address := api + "/api/v1/skills?limit=100"
	if cursor != "" {
		address += "&cursor=" + url.QueryEscape(cursor)
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
		Next  string            `json:"nextCursor"`
	}
	if _, err := getJSON(ctx, f, address, "", maxPage, &list); err != nil {
		return Page{}, err
	}
	if list.Items == nil {
		return Page{}, refuse("this is no list of a ClawHub")
	}
	out := Page{Next: list.Next}
	var items []claw
	for _, raw := range list.Items {
		var c claw
		if json.Unmarshal(raw, &c) == nil && c.Slug != "" {
			items = append(items, c)
		}
	}
	blocked := map[string]bool{}
	for some := range slices.Chunk(items, verdictsAtOnce) {
		if err := verdicts(ctx, f, api, some, blocked); err != nil {
			return out, err
		}
	}
	for _, c := range items {
		c.API = api
		// What changes beside the newest version, such as a tag for testers, is nothing new.
		c.Latest.Version, c.Tags = c.version(), nil
		raw, err := json.Marshal(c)
		if err != nil {
			return out, err
		}
		if r, ok := ref(c.Slug, raw); ok {
			r.Withdrawn = blocked[c.Slug]
			out.Refs = append(out.Refs, r)
		}
	}
	return out, nil
}

// clawAPI is where a ClawHub says that its API is; it is asked once.
func clawAPI(ctx context.Context, f *Session, base string) (string, error) {
	if f.api != "" {
		return f.api, nil
	}
	var about struct {
		API string `json:"apiBase"`
	}
	if _, err := getJSON(ctx, f, base+"/.well-known/clawhub.json", "", maxPage, &about); err != nil {
		return "", err
	}
	api, err := resolve(base+"/", about.API)
	if err != nil || about.API == "" {
		return "", refuse("it does not say where its API is")
	}
	f.api = strings.TrimRight(api, "/")
	return f.api, nil
}

// verdictsAtOnce is how many verdicts ClawHub tells at once.
const verdictsAtOnce = 100

// verdicts asks which skills the source itself warns of. A registry from before there were verdicts knows of none.
func verdicts(ctx context.Context, f *Session, api string, page []claw, blocked map[string]bool) error {
	type asked struct {
		Slug    string `json:"slug"`
		Version string `json:"version"`
	}
	in := struct {
		Items []asked `json:"items"`
	}{}
	for _, c := range page {
		if version := c.version(); version != "" {
			in.Items = append(in.Items, asked{c.Slug, version})
		}
	}
	if len(in.Items) == 0 {
		return nil
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, err := f.Post(ctx, api+"/api/v1/skills/-/security-verdicts", "application/json", body, maxPage)
	var status *fetch.StatusError
	if errors.As(err, &status) && status.Unknown() {
		return nil
	}
	if err != nil {
		return err
	}
	var out struct {
		Items []struct {
			Slug     string `json:"slug"`
			Decision string `json:"decision"`
			Error    *struct {
				Code string `json:"code"`
			} `json:"error"`
		} `json:"items"`
	}
	if err := json.Unmarshal(answer.Body, &out); err != nil {
		return refuse("its verdicts cannot be read")
	}
	for _, v := range out.Items {
		// That it could not be found out is no verdict, unless it is that there is no such version any more.
		if v.Decision == "fail" && (v.Error == nil || v.Error.Code == "not_found" || v.Error.Code == "version_not_found") {
			blocked[v.Slug] = true
		}
	}
	return nil
}

func itemClaw(ctx context.Context, f *Session, base string, r Ref) (Item, error) {
	var c claw
	if err := json.Unmarshal(r.raw, &c); err != nil {
		return Item{}, refuse("its entry cannot be read")
	}
	query := url.Values{"slug": {c.Slug}}
	if c.Latest.Version != "" {
		query.Set("version", c.Latest.Version)
	}
	answer, err := f.Get(ctx, c.API+"/api/v1/download?"+query.Encode(), "", maxPackage)
	if err != nil {
		return Item{}, err
	}
	files, err := unpack(answer.Body)
	if err != nil {
		return Item{}, err
	}
	item, err := skillItem(c.Slug, c.Latest.Version, c.Summary, files, digest(answer.Body), base)
	if err == nil && c.DisplayName != "" {
		text := item.Document.Locales[item.Document.SourceLocale]
		text.Title = clip(oneLine(c.DisplayName), 200)
		item.Document.Locales[item.Document.SourceLocale] = text
	}
	return item, err
}
