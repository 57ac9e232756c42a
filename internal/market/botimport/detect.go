package botimport

import (
	"path"
	"slices"
	"strings"

	"stoa/internal/market/pack"
)

// isWrappedProfile tells a profile pack that was zipped with the folder around it.
func isWrappedProfile(name string) bool {
	dir, file := path.Split(name)
	return file != "" && path.Base(dir) == "sections" && path.Ext(file) == ".json" && pack.KnownSection(strings.TrimSuffix(file, ".json"))
}

// skipped reports what was not read of a folder.
func (b *builder) skipped(f *Folder) {
	if n := len(f.Skipped); n > 0 {
		b.rep.add(Field{
			SourcePath: "links, devices and tool folders", Outcome: Omitted, Count: n,
			Note: "not followed or not looked into: " + strings.Join(some(f.Skipped[:min(n, 5)]), ", "),
		})
	}
}

// isJunk tells what systems and editors leave in folders.
func isJunk(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(name, "__MACOSX/") || strings.Contains(name, "/__MACOSX/") || strings.HasPrefix(base, "._") || base == ".DS_Store" || base == "Thumbs.db" ||
		strings.HasPrefix(name, ".git/") || strings.Contains(name, "/.git/")
}

// someConfig finds a configuration of another name, -1 when there is none. Folders of skills may hold any JSON.
func (b *builder) someConfig(names []string) int {
	if slices.ContainsFunc(names, isSkillFile) {
		return -1
	}
	tried := 0
	return slices.IndexFunc(names, func(name string) bool {
		if tried == maxTried || !strings.EqualFold(path.Ext(name), ".json") || strings.Count(name, "/") > 1 {
			return false
		}
		tried++
		return b.looksLikeConfig(name)
	})
}

// looksLikeConfig tries one JSON file.
func (b *builder) looksLikeConfig(name string) bool {
	body, err := b.files.Read(name, maxConfigBytes)
	if err != nil {
		return false
	}
	v, err := parse(body)
	_, version := cardData(v)
	return err == nil && version == "" && isConfig(v) && len(object(v)) > 1
}

func isMarkdown(name string, body []byte) bool {
	ext := strings.ToLower(path.Ext(name))
	front, _ := frontMatter(string(decoded(body)))
	return ext == ".md" || ext == ".markdown" || first(front, "name") != ""
}
