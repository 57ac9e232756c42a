package mirror

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"stoa/internal/market/pack"
	"stoa/internal/platform/fetch"
)

// plugin is an entry of a plugin source of AstrBot.
type plugin struct {
	Author      string `json:"author"`
	Name        string `json:"name"`
	Version     string `json:"version"`
	Repo        string `json:"repo"`
	Desc        string `json:"desc"`
	DisplayName string `json:"display_name"`
	Download    string `json:"download_url"`
	Tags        words  `json:"tags"`
}

// words is a list of texts, or one text with commas, or whatever else somebody wrote there, which counts as none.
type words []string

// UnmarshalJSON never fails.
func (w *words) UnmarshalJSON(text []byte) error {
	var list []string
	var one string
	if json.Unmarshal(text, &list) == nil {
		*w = list
	} else if json.Unmarshal(text, &one) == nil && one != "" {
		*w = strings.Split(one, ",")
	}
	return nil
}

func listPlugins(ctx context.Context, f *Session, base, _, etag string) (Page, error) {
	sum := struct {
		MD5 string `json:"md5"`
	}{}
	// A source may say by a second document whether it has changed; one without is read whole.
	if _, err := getJSON(ctx, f, strings.TrimSuffix(base, ".json")+"-md5.json", "", maxPage, &sum); err == nil && sum.MD5 != "" {
		if sum.MD5 = "md5 " + sum.MD5; sum.MD5 == etag {
			return Page{ETag: etag, NotModified: true}, nil
		}
	}
	if strings.HasPrefix(etag, "md5 ") {
		etag = ""
	}
	answer, err := f.Get(ctx, base, etag, maxList)
	if err == nil {
		err = countValues(answer.Body, maxList)
	}
	if err != nil {
		return Page{}, err
	}
	all, err := pluginsOf(answer.Body)
	out := Page{ETag: answer.ETag, NotModified: answer.NotModified}
	if sum.MD5 != "" {
		out.ETag = sum.MD5
	}
	for _, id := range sortedNames(all) {
		if r, ok := ref(id, all[id]); ok && id != "$meta" {
			var p plugin
			if json.Unmarshal(all[id], &p) == nil {
				text, err := json.Marshal(p)
				if err != nil {
					return out, err
				}
				r.Stamp = stamp(text) // counts of stars and downloads are nothing new
			}
			out.Refs = append(out.Refs, r)
		}
	}
	return out, err
}

// pluginsOf reads a source: an object by the plugins' ids, or a list.
func pluginsOf(whole []byte) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if len(whole) == 0 || json.Unmarshal(whole, &all) == nil {
		return all, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(whole, &list) != nil {
		return nil, refuse("this is no source of plugins")
	}
	for _, raw := range list {
		var p plugin
		if json.Unmarshal(raw, &p) != nil || p.Name == "" {
			continue
		}
		id := p.Name
		if p.Author != "" {
			id = p.Author + "/" + p.Name
		}
		all[id] = raw
	}
	return all, nil
}

func itemPlugin(ctx context.Context, f *Session, base string, r Ref) (Item, error) {
	var p plugin
	err := json.Unmarshal(r.raw, &p)
	if p.Name == "" { // in the form before $meta the name stands before the entry
		p.Name = r.ID[strings.LastIndexByte(r.ID, '/')+1:]
	}
	if err != nil || p.Name == "" || p.Repo == "" {
		return Item{}, refuse("its entry lacks a name or a repository, or cannot be read")
	}
	row := map[string]any{"version": p.Version, "repo": p.Repo, "author": p.Author, "description": clip(p.Desc, 1000)}
	sections := map[string]any{pack.SectionPlugins: map[string]any{p.Name: row}}
	texts, sum := map[string]string{"entry.json": string(r.raw)}, digest(r.raw)
	if p.Download != "" {
		address, err := resolve(base, p.Download)
		if err != nil {
			return Item{}, err
		}
		answer, err := f.Get(ctx, address, "", maxPackage)
		if err != nil {
			return Item{}, err
		}
		files, err := unpack(answer.Body)
		if err != nil {
			return Item{}, err
		}
		sum = digest(answer.Body)
		row["sha256"] = sum
		skills := skillsIn(files)
		if len(skills) > 0 {
			sections[pack.SectionSkills] = skills
		}
		for name, text := range files {
			texts[name] = text
		}
	}
	title := p.DisplayName
	if title == "" {
		title = p.Name
	}
	item, err := packItem(title, p.Version, p.Desc, sections)
	item.Texts, item.Digest, item.Page = texts, sum, base
	item.Document.Maintainer = clip(oneLine(p.Author), 100)
	if u := p.Repo; fetch.Check(u) == nil {
		item.Page = u
	}
	for _, tag := range p.Tags[:min(len(p.Tags), 16)] {
		if tag = clip(oneLine(tag), 60); tag != "" && !slices.Contains(item.Document.Tags, tag) {
			item.Document.Tags = append(item.Document.Tags, tag)
		}
	}
	return item, err
}

// skillsIn finds the skills among the files of a plugin.
func skillsIn(files map[string]string) map[string]any {
	out := map[string]any{}
	for name, text := range files {
		if dir := path.Dir(name); path.Base(name) == "SKILL.md" && path.Dir(dir) == "skills" {
			out[path.Base(dir)] = map[string]any{"text": text}
		}
	}
	return out
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
