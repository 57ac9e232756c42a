package mirror

import (
	"context"
	"encoding/json"
	"net/url"
)

type claw struct {
	Slug        string `json:"slug"`
	DisplayName string `json:"displayName"`
	Summary     string `json:"summary"`
	Latest      struct {
		Version string `json:"version"`
	} `json:"latestVersion"`
	API string `json:"api,omitempty"`
}

func listClaws(ctx context.Context, f Fetcher, base, cursor, _ string) (Page, error) {
	var about struct {
		API string `json:"apiBase"`
	}
	if _, err := getJSON(ctx, f, base+"/.well-known/clawhub.json", "", maxPage, &about); err != nil {
		return Page{}, err
	}
	api, err := resolve(base+"/", about.API)
	if err != nil || about.API == "" {
		return Page{}, refuse("it does not say where its API is")
	}
	address := api + "/api/v1/skills?limit=100"
	if cursor != "" {
		address += "&cursor=" + url.QueryEscape(cursor)
	}
	var list struct {
		Items []claw `json:"items"`
		Next  string `json:"nextCursor"`
	}
	if _, err := getJSON(ctx, f, address, "", maxPage, &list); err != nil {
		return Page{}, err
	}
	out := Page{Next: list.Next}
	blocked, err := verdicts(ctx, f, api, list.Items)
	if err != nil {
		return out, err
	}
	for _, c := range list.Items {
		c.API = api
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

// verdicts asks which skills the source itself warns of.
func verdicts(ctx context.Context, f Fetcher, api string, page []claw) (map[string]bool, error) {
	type asked struct {
		Slug    string `json:"slug"`
		Version string `json:"version"`
	}
	in := struct {
		Items []asked `json:"items"`
	}{}
	for _, c := range page {
		in.Items = append(in.Items, asked{c.Slug, c.Latest.Version})
	}
	blocked := map[string]bool{}
	if len(in.Items) == 0 {
		return blocked, nil
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	answer, err := f.Post(ctx, api+"/api/v1/skills/-/security-verdicts", body, maxPage)
	if err != nil {
		return nil, err
	}
	var out struct {
		Items []struct {
			asked
			Decision string `json:"decision"`
		} `json:"items"`
	}
	if err := json.Unmarshal(answer.Body, &out); err != nil {
		return nil, refuse("its verdicts cannot be read")
	}
	for _, v := range out.Items {
		blocked[v.Slug] = v.Decision == "fail"
	}
	return blocked, nil
}

func itemClaw(ctx context.Context, f Fetcher, base string, r Ref) (Item, error) {
	var c claw
	if err := json.Unmarshal(r.raw, &c); err != nil {
		return Item{}, refuse("its entry cannot be read")
	}
	query := url.Values{"slug": {c.Slug}, "version": {c.Latest.Version}}
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
