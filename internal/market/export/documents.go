package export

import (
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// dslVersion is the version of the Dify DSL that is written.
const dslVersion = "0.6.0"

var placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,29})\s*\}\}`)

// dify writes each persona as a chat application. No model is named: Dify takes the workspace's own.
func (w *writer) dify() error {
	for i := range w.item.Personas {
		p := &w.item.Personas[i]
		var form []any
		var seen []string
		for _, m := range placeholder.FindAllStringSubmatch(p.Prompt, -1) {
			if !slices.Contains(seen, m[1]) {
				seen = append(seen, m[1])
				form = append(form, map[string]any{"paragraph": map[string]any{"label": m[1], "variable": m[1], "required": false, "default": ""}})
			}
		}
		if form == nil {
			form = []any{}
		}
		doc := map[string]any{
			"version": dslVersion, "kind": "app", "dependencies": []any{},
			"app": map[string]any{
				"name": p.Name, "mode": "chat", "icon": "🤖", "icon_type": "emoji", "icon_background": "#E4FBCC",
				"description": w.item.Description, "use_icon_as_answer_icon": false,
			},
			"model_config": map[string]any{
				"pre_prompt": p.Prompt, "prompt_type": "simple", "opening_statement": p.text("first_mes"), "suggested_questions": []any{},
				"user_input_form": form, "agent_mode": map[string]any{"enabled": false, "tools": []any{}},
			},
		}
		text, err := yaml.Marshal(doc)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		w.file(w.names.pick(p.Name, w.item.ID)+".yml", text)
		w.loseFields(p.Path, p.Fields, "A Dify chat application has no field for it.", w.heldTexts(p, "first_mes")...)
	}
	w.loseSkills("A Dify document holds no skills.")
	w.loseServers("A Dify document holds no MCP servers; add them as tools in Dify.")
	return nil
}

// heldTexts are those fields that are texts.
func (w *writer) heldTexts(p *Persona, keys ...string) []string {
	var held []string
	for _, key := range keys {
		if p.text(key) != "" {
			held = append(held, key)
		}
	}
	return held
}

// lobechat writes each persona as an agent of LobeChat's index.
func (w *writer) lobechat() error {
	for i := range w.item.Personas {
		p := &w.item.Personas[i]
		name := w.names.pick(p.Name, w.item.ID)
		config := map[string]any{"systemRole": p.Prompt, "openingQuestions": []any{}, "plugins": []any{}, "knowledgeBases": []any{}}
		held := w.heldTexts(p, "first_mes")
		if s := p.text("first_mes"); s != "" {
			config["openingMessage"] = s
		}
		if dialogs := p.Dialogs(); len(dialogs) > 0 {
			var shots []any
			for i, text := range dialogs {
				shots = append(shots, map[string]any{"role": []string{"user", "assistant"}[i%2], "content": text})
			}
			config["fewShots"] = shots
			held = append(held, "begin_dialogs")
		}
		tags, _ := p.texts("tags")
		if len(tags) > 0 {
			held = append(held, "tags")
		} else {
			tags = w.item.Tags
		}
		meta := map[string]any{"title": p.Name, "description": w.item.Description, "avatar": "🤖", "tags": orEmpty(tags)}
		if w.item.Category != "" {
			meta["category"] = w.item.Category
		}
		doc := map[string]any{
			"schemaVersion": 1, "identifier": name, "author": w.item.Author, "homepage": w.item.URL, "knowledgeCount": 0, "pluginCount": 0,
			"tokenUsage": EstimateTokens(p.Prompt), "config": config, "meta": meta,
		}
		if len(w.item.PublishedAt) >= len("2006-01-02") {
			doc["createdAt"] = w.item.PublishedAt[:len("2006-01-02")]
		}
		text, err := pretty(doc)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		w.file(name+".json", text)
		w.loseFields(p.Path, p.Fields, "A LobeChat agent has no field for it.", held...)
	}
	w.loseSkills("A LobeChat agent holds no skills.")
	w.loseServers("A LobeChat agent holds no MCP servers; add them as plugins in LobeChat.")
	return nil
}

// EstimateTokens is a rough count for any tokenizer: four bytes of ASCII or one other character are a token.
func EstimateTokens(text string) int {
	ascii, other := 0, 0
	for _, r := range text {
		if r < 0x80 {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}
