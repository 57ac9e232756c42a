package submit

import (
	"cmp"

	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
)

// bundleTexts are the texts of a bundle by language, and the language it was written in. What stands at
// its top counts as one more language, unless a language says the same: packages that Stoa makes repeat
// one of theirs there.
func bundleTexts(b pack.Bundle, title string) (map[string]catalog.Text, string) {
	locales := map[string]catalog.Text{}
	for tag, text := range b.Locales {
		if text.Title == "" {
			text.Title = cmp.Or(b.Title, title)
		}
		if text.Prompt == "" {
			text.Prompt = b.Prompt
		}
		locales[tag] = text
	}
	top := catalog.Text{Title: cmp.Or(b.Title, title), Description: b.Description, Prompt: b.Prompt}
	if top.Prompt == "" {
		return locales, ""
	}
	source := catalog.LocaleOf(top.Title + " " + top.Prompt)
	for tag, text := range locales {
		if text.Prompt == top.Prompt {
			return locales, tag
		}
	}
	if _, taken := locales[source]; !taken {
		locales[source] = top
	}
	return locales, source
}
