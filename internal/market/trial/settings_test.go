package trial

import "testing"

func TestSettingsThatAProviderNames(t *testing.T) {
	type m = map[string]any
	chat := func(model string) m { return m{"type": "openai_chat_completion", "model_config": m{"model": model}} }
	for name, c := range map[string]struct {
		document any
		want     string
	}{
		"nothing":                  {nil, ""},
		"one":                      {[]any{chat("gpt-4o")}, "gpt-4o"},
		"the same twice":           {[]any{chat("gpt-4o"), chat(" gpt-4o ")}, "gpt-4o"},
		"two":                      {[]any{chat("gpt-4o"), chat("qwen3")}, ""},
		"vectors beside it":        {[]any{chat("gpt-4o"), m{"provider_type": "embedding", "model": "bge-m3"}}, "gpt-4o"},
		"speech alone":             {[]any{m{"type": "openai_tts_api", "model": "tts-1"}}, ""},
		"several lines":            {[]any{chat("a\nb")}, ""},
		"too long":                 {[]any{chat(string(make([]byte, longModel+1)))}, ""},
		"not a text":               {[]any{m{"model": 7}}, ""},
		"deeper than is looked at": {nested(chat("gpt-4o"), deepest+1), ""},
	} {
		if got := settingsIn(c.document).model; got != c.want {
			t.Errorf("%s: %q instead of %q", name, got, c.want)
		}
	}
	for _, c := range []struct {
		document any
		want     float64
	}{{m{"Temperature": .4}, .4}, {m{"temperature": 2.5}, -1}, {[]any{m{"temperature": .4}, m{"temperature": .5}}, -1}} {
		got := settingsIn(c.document).temperature
		if (got == nil) != (c.want < 0) || got != nil && *got != c.want {
			t.Errorf("%v: %v", c.document, got)
		}
	}
}

func nested(v any, depth int) any {
	for range depth {
		v = []any{v}
	}
	return v
}
