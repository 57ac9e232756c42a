package works

import (
	"slices"
	"testing"

	"stoa/internal/market/catalog"
	"stoa/internal/market/export"
)

func item(kind catalog.Kind) export.Item {
	return export.Item{ID: "ada/garden", Version: "1.0.0", Kind: kind, Title: "Garden"}
}

func find(list []Program, name string) (Program, bool) {
	i := slices.IndexFunc(list, func(p Program) bool { return p.Name == name })
	if i < 0 {
		return Program{}, false
	}
	return list[i], true
}

func TestATemplateWorksEverywhere(t *testing.T) {
	it := item(catalog.KindTemplate)
	it.AddTemplate("You tend a garden.", nil)
	list := Of(it, nil, "")
	for _, name := range []string{"AstrBot", "SillyTavern", "Claude Code, Codex, Copilot CLI", "Dify", "LobeChat"} {
		if p, ok := find(list, name); !ok || p.Verdict != Whole || len(p.Missing) != 0 {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if bot, _ := find(list, "AstrBot"); bot.Versions != astrBotSince || bot.Declared {
		t.Errorf("%+v", bot)
	}
}

func TestOfAPackEachProgramTakesWhatItHasAPlaceFor(t *testing.T) {
	sections := map[string]any{
		"personas": map[string]any{"entries": map[string]any{"gardener": map[string]any{"system_prompt": "You tend a garden."}}},
		"plugins":  map[string]any{"rain": map[string]any{"enabled": true}},
	}
	it := item(catalog.KindProfilePack)
	it.AddSections(sections)
	list := Of(it, sections, ">=4.25")
	bot, ok := find(list, "AstrBot")
	if !ok || bot.Verdict != Part || !slices.Equal(bot.Missing, []string{"plugins"}) || bot.Versions != ">=4.25" || !bot.Declared {
		t.Errorf("%+v", bot)
	}
	if tavern, ok := find(list, "SillyTavern"); !ok || tavern.Verdict != Part || !slices.Contains(tavern.Missing, "plugins") {
		t.Errorf("%+v", tavern)
	}
}

func TestWhatHasNoWordsWorksWithNothing(t *testing.T) {
	sections := map[string]any{"plugins": map[string]any{"rain": map[string]any{"enabled": true}}}
	it := item(catalog.KindProfilePack)
	it.AddSections(sections)
	if list := Of(it, sections, ""); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}
