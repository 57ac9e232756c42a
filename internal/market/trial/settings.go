package trial

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"stoa/internal/market/export"
)

// Bounds of what is read from a stranger's settings.
const (
	deepest   = 12  // objects and lists inside each other
	hottest   = 2   // the highest temperature of OpenAI's interface
	longModel = 120 // characters of a model's name
)

// settings are those of a language model that decide how a persona answers.
type settings struct {
	temperature *float64
	model       string
}

// providers are the parts of an item that set up its model providers.
func providers(values []export.Value) []any {
	var out []any
	for _, v := range values {
		if strings.HasPrefix(v.Path, "provider") {
			out = append(out, v.Value)
		}
	}
	return out
}

// settingsIn looks through a document at any depth. A setting that is written in different ways is not known.
func settingsIn(document any) settings {
	temperatures, models := map[float64]bool{}, map[string]bool{}
	gather(document, 0, temperatures, models)
	var s settings
	if t, ok := only(temperatures); ok {
		s.temperature = &t
	}
	s.model, _ = only(models)
	return s
}

func only[T comparable](seen map[T]bool) (one T, ok bool) {
	if len(seen) != 1 {
		return one, false
	}
	for one = range seen {
		ok = true
	}
	return one, ok
}

func gather(v any, depth int, temperatures map[float64]bool, models map[string]bool) {
	if depth > deepest {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if !speaks(v) {
			return
		}
		for name, child := range v {
			if t, ok := number(child); ok && strings.EqualFold(name, "temperature") && t >= 0 && t <= hottest {
				temperatures[t] = true
			} else if m, ok := child.(string); ok && strings.EqualFold(name, "model") && named(m) {
				models[strings.TrimSpace(m)] = true
			} else {
				gather(child, depth+1, temperatures, models)
			}
		}
	case []any:
		for _, child := range v {
			gather(child, depth+1, temperatures, models)
		}
	}
}

// speaks is false for a provider that does not write answers: of vectors, of speech, of the order of passages.
func speaks(provider map[string]any) bool {
	for _, field := range []string{"provider_type", "type"} {
		kind, _ := provider[field].(string)
		for _, other := range []string{"embedding", "rerank", "text_to_speech", "speech_to_text", "tts", "stt"} {
			if strings.Contains(strings.ToLower(kind), other) {
				return false
			}
		}
	}
	return true
}

func named(model string) bool {
	model = strings.TrimSpace(model)
	return model != "" && utf8.RuneCountInString(model) <= longModel && !strings.ContainsAny(model, "\r\n")
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		t, err := v.Float64()
		return t, err == nil
	}
	return 0, false
}
