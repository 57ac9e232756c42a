package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/submit"
	"stoa/internal/platform/llm"
)

const chatPath = "/api/trial/chat"

// talker is a model server that streams what it is told to, and counts who asked.
type talker struct {
	*httptest.Server
	asked atomic.Int64
	body  atomic.Value // the last request's
	keys  atomic.Value
}

func startTalker(t *testing.T, says func(w http.ResponseWriter, r *http.Request)) *talker {
	t.Helper()
	s := &talker{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		s.asked.Add(1)
		s.body.Store(string(text))
		s.keys.Store(r.Header.Get("Authorization"))
		says(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func politely(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"Good "}}]}`+"\n\n", `data: {"choices":[{"delta":{"content":"day."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// offering is a server whose operator offers a model for trials.
func offering(t *testing.T, s *talker, limit int64, bounds llm.Bounds) apitest.Options {
	t.Helper()
	model, err := llm.New(s.URL+"/v1", "small", "sk-operator")
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Options{App: func(c *core.Config) {
		c.Trial = core.TrialConfig{Model: model, Host: "127.0.0.1", Relay: core.RelayOff, Bounds: bounds}
		c.Quotas, c.ModelCallPrice = core.Quotas{core.QuotaTrialMessages: limit}, .25
	}}
}

// eachOffering runs test on every engine, side by side, each with a model of its own: what one engine asks is not the other's.
func eachOffering(t *testing.T, limit int64, test func(t *testing.T, s *apitest.Server, model *talker)) {
	t.Helper()
	for _, e := range apitest.Engines(t) {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			model := startTalker(t, politely)
			test(t, apitest.Start(t, e, offering(t, model, limit, llm.Bounds{})), model)
		})
	}
}

var hello = m{"messages": []m{{"role": "system", "content": "You are polite."}, {"role": "user", "content": "Hello."}}, "temperature": .4}

func TestTrialChat(t *testing.T) {
	eachOffering(t, 2, func(t *testing.T, s *apitest.Server, model *talker) {
		ada := s.As(t, "ada")
		r := ada.Post(chatPath, hello)
		if text := string(r.Body); r.Status != 200 || !strings.Contains(text, `{"content":"Good "}`) || !strings.HasSuffix(text, "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n") {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
		var asked struct {
			Model       string
			Stream      bool
			Temperature float64
			Messages    []llm.Message
		}
		if err := json.Unmarshal([]byte(model.body.Load().(string)), &asked); err != nil || asked.Model != "small" || !asked.Stream || asked.Temperature != .4 || len(asked.Messages) != 2 ||
			asked.Messages[0].Content != "You are polite." || model.keys.Load() != "Bearer sk-operator" {
			t.Errorf("asked %s", model.body.Load())
		}
		want(t, ada.Get("/api/trial/personas", "item_id", translator).OK(t), m{
			"data.models.operator": true, "data.models.name": "small", "data.models.host": "127.0.0.1", "data.models.used": 1, "data.models.limit": 2, "data.models.price": .25, "data.models.relay": "off",
		})
		ada.Post(chatPath, m{"messages": []m{{"role": "user", "content": "x"}}, "server": m{"url": "https://api.example.org/v1", "model": "x"}}).Want(t, 422, "invalid_request")
		ada.Post(chatPath, m{"messages": []m{{"role": "assistant", "content": "x"}}}).Want(t, 422, "invalid_request")
		ada.Post(chatPath, m{"messages": []m{}}).Want(t, 422, "invalid_request")
		s.Nobody(t).Post(chatPath, hello).Want(t, 401, "unauthorized")
		ada.Post(chatPath, hello)
		if r := ada.Post(chatPath, hello).Want(t, 429, "rate_limited"); r.Str("data.kind") != "trial_messages" || r.Int("data.used") != 2 {
			t.Errorf("%s", r.Body)
		}
		if n := model.asked.Swap(0); n != 2 {
			t.Errorf("the model was asked %d times", n)
		}
		// What is said is in no row and no line of the log.
		if text := s.Rows(t) + s.Log(); strings.Contains(text, "Good day") || strings.Contains(text, "You are polite") || strings.Contains(text, "sk-operator") {
			t.Error("a conversation was kept")
		}
	})
}

// However many questions come at once, exactly as many reach the model as a member may ask.
func TestTrialQuotaHoldsUnderConcurrency(t *testing.T) {
	eachOffering(t, 5, func(t *testing.T, s *apitest.Server, model *talker) {
		ada := s.As(t, "ada")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 10 {
					ada.For(t).Post(chatPath, hello)
				}
			})
		}
		all.Wait()
		if n := model.asked.Swap(0); n != 5 {
			t.Errorf("the model was asked %d times", n)
		}
		want(t, ada.Get("/api/trial/personas", "item_id", translator).OK(t), m{"data.models.used": 5})
	})
}

// What goes wrong with the model is told as the stream's last event, and only its kind.
func TestTrialTellsFaults(t *testing.T) {
	for name, c := range map[string]struct {
		says   http.HandlerFunc
		bounds llm.Bounds
		event  string
	}{
		"key": {says: func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "sk-operator is wrong", http.StatusUnauthorized)
		}, event: `{"error":{"code":"refused","status":401,`},
		"often": {says: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, event: `{"error":{"code":"refused","status":429,`},
		"page": {says: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<p>sk-operator")
		}, event: `{"error":{"code":"bad_reply","status":0,`},
		"hangs": {says: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, bounds: llm.Bounds{First: time.Millisecond}, event: `{"error":{"code":"timeout","status":0,`},
		"ever": {says: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"la"}}]}`+"\n\n")
				http.NewResponseController(w).Flush()
			}
		}, bounds: llm.Bounds{Text: 4}, event: `{"error":{"code":"too_long","status":0,`},
	} {
		t.Run(name, func(t *testing.T) {
			model := startTalker(t, c.says)
			apitest.Each(t, offering(t, model, 100, c.bounds), func(t *testing.T, s *apitest.Server) {
				r := s.As(t, "ada").Post(chatPath, hello)
				events := strings.Split(strings.TrimSpace(string(r.Body)), "\n\n")
				if last := events[len(events)-1]; r.Status != 200 || !strings.HasPrefix(last, "data: "+c.event) || strings.Contains(string(r.Body), "sk-operator") {
					t.Errorf("%d %s", r.Status, r.Body)
				}
			})
		})
	}
}

// A member's own server is asked with their key; private addresses only where the operator allows it, and the key is kept nowhere.
func TestTrialRelay(t *testing.T) {
	ask := func(url string) m {
		return m{"messages": []m{{"role": "user", "content": "Hello."}}, "server": m{"url": url, "model": "mine", "key": "sk-of-ada"}}
	}
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		model := startTalker(t, politely)
		ada := s.As(t, "ada")
		port := model.URL[strings.LastIndex(model.URL, ":"):]
		for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "127.1", "2130706433"} {
			if r := ada.Post(chatPath, ask("http://"+host+port+"/v1")); r.Status != 200 || !strings.Contains(string(r.Body), `"error"`) {
				t.Errorf("%s: %d %s", host, r.Status, r.Body)
			}
		}
		if n := model.asked.Load(); n != 0 {
			t.Errorf("a private server was asked %d times", n)
		}
		for _, url := range []string{"", "ftp://example.org", "http://name:word@example.org/v1", "file:///etc/passwd", "http://"} {
			ada.Post(chatPath, ask(url)).Want(t, 422, "invalid_request")
		}
		ada.Post(chatPath, hello).Want(t, 422, "invalid_request") // the operator offers none
		s.RestartWith(t, func(o *apitest.Options) {
			o.App = func(c *core.Config) { c.Trial.Relay = core.RelayPrivate }
		})
		r := ada.Post(chatPath, ask(model.URL+"/v1/"))
		if !strings.Contains(string(r.Body), "day.") || model.keys.Load() != "Bearer sk-of-ada" || model.asked.Swap(0) != 1 {
			t.Errorf("%d %s", r.Status, r.Body)
		}
		want(t, ada.Get("/api/trial/personas", "item_id", translator).OK(t), m{"data.models.relay": "private", "data.models.operator": false, "data.models.used": 0})
		traces := s.Rows(t, "request_trace")
		if text := s.Rows(t) + traces + s.Log(); strings.Contains(text, "sk-of-ada") || strings.Contains(text, "day.") || !strings.Contains(traces, "POST /api/trial/chat 200") {
			t.Errorf("the key or the conversation was kept, or the requests left no record: %s", traces)
		}
	})
}

func TestTrialPersonas(t *testing.T) {
	setup := func(temperature float64, model string) []byte {
		return mustJSON(m{
			"config_version": 2,
			"persona":        []m{{"name": "gardener", "prompt": "You know {{plant}}.", "begin_dialogs": []string{"When do I sow?", "In March."}}, {"name": "cook", "prompt": "You cook."}},
			"provider": []m{
				{"id": "local", "type": "openai_chat_completion", "model_config": m{"temperature": temperature, "model": model}},
				{"id": "vectors", "type": "openai_embedding", "provider_type": "embedding", "model": "small-vectors"},
			},
		})
	}
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for i, heat := range []float64{.3, .7} {
			id := s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: s.Draft(t, "ada", "cmd_config.json", setup(heat, []string{"small", "large"}[i])), PackID: "ada/garden", Version: fmt.Sprintf("1.%d.0", i)})
			s.Approve(t, id)
		}
		r := ada.Get("/api/trial/personas", "item_id", "ada/garden").OK(t)
		want(t, r, m{
			"data.kind": "profile_pack", "data.version": "1.1.0", "data.personas.0.name": "cook", "data.personas.1.name": "gardener", "data.personas.1.system_prompt": "You know {{plant}}.",
			"data.personas.1.arguments.0": "plant", "data.personas.1.temperature": .7, "data.personas.1.model": "large", "data.personas.1.examples.0.role": "user", "data.personas.1.examples.1.content": "In March.", "data.personas.1.examples.1.role": "assistant",
		})
		if r.Len("data.personas.0.examples") != 0 || r.Len("data.personas.0.arguments") != 0 {
			t.Errorf("%s", r.Body)
		}
		want(t, ada.Get("/api/trial/personas", "item_id", "ada/garden", "version", "1.0.0").OK(t), m{"data.version": "1.0.0", "data.personas.0.temperature": .3, "data.personas.0.model": "small"})
		want(t, ada.Get("/api/trial/personas", "item_id", translator).OK(t), m{"data.kind": "template"})
		english := ada.Get("/api/trial/personas", "item_id", translator, "locale", "en-US").OK(t)
		chinese := ada.Get("/api/trial/personas", "item_id", translator, "locale", "zh-CN").OK(t)
		if english.Str("data.personas.0.system_prompt") == chinese.Str("data.personas.0.system_prompt") || english.At("data.personas.0.temperature") != nil || english.Str("data.personas.0.model") != "" || english.Str("data.kind") != "template" {
			t.Errorf("%s", chinese.Body)
		}
		ada.Get("/api/trial/personas").Want(t, 422, "invalid_request")
		ada.Get("/api/trial/personas", "item_id", "no/where").Want(t, 404, "not_found")
		ada.Get("/api/trial/personas", "item_id", "ada/garden", "version", "9.9.9").Want(t, 404, "not_found")
	})
}

// The document that asks a member's own server has no origin, runs its one script and is framed by this server's pages alone.
func TestTrialFrame(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		r := s.Nobody(t).Raw("GET", "/trial/frame", nil)
		policy := r.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'sha256-", "frame-ancestors 'self'", "sandbox allow-scripts", "form-action 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%q lacks %s", policy, part)
			}
		}
		if strings.Contains(policy, "allow-same-origin") || strings.Contains(policy, "unsafe") || r.Header.Get("X-Frame-Options") != "SAMEORIGIN" || r.Status != 200 {
			t.Errorf("%d %v", r.Status, r.Header)
		}
		market := s.Nobody(t).Raw("GET", "/market", nil).Header
		if p := market.Get("Content-Security-Policy"); !strings.Contains(p, "connect-src 'self';") || market.Get("X-Frame-Options") != "DENY" {
			t.Errorf("the market's pages may connect elsewhere: %s", p)
		}
	})
}

// Two versions are told apart by their answers to the same questions, and it is said when there are too few of them.
func TestTrialsAreCompared(t *testing.T) {
	refuses, says := m{"text": "I'm sorry, but I can't help with that."}, m{"text": "You can plant it in the spring, and that is the best time for it."}
	calls := m{"text": "", "tools": []string{"web_search"}}
	german := m{"text": "Die beste Zeit ist das Frühjahr, und Sie können mit einem Beet beginnen. Das ist nicht schwer."}
	prompt := "You are Marlow, a patient gardener who answers in two or three sentences and never names a brand of anything to anybody at all."
	times := func(n int, one m) (out []m) {
		for range n {
			out = append(out, one)
		}
		return out
	}
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		compare := func(left, right m) *apitest.Reply {
			return ada.Post("/api/trial/compare", m{"left": left, "right": right}).OK(t)
		}
		want(t, compare(m{"answers": times(8, says)}, m{"answers": times(8, german)}), m{
			"data.answered": 8, "data.findings.0.kind": "language", "data.findings.0.left_says": "en", "data.findings.0.right_says": "de", "data.findings.0.sure": "certain", "data.findings.0.left": 1,
		})
		want(t, compare(m{"answers": times(8, german)}, m{"answers": times(8, says)}), m{"data.findings.0.left_says": "de", "data.findings.0.right_says": "en"})
		r := compare(m{"answers": append(times(1, says), times(5, says)...)}, m{"answers": append(times(1, says), times(5, refuses)...)})
		if kinds := r.All("data.findings", "kind"); !strings.Contains(fmt.Sprint(kinds), "refusal") || r.Int("data.findings.0.question") != 1 {
			t.Errorf("%s", r.Body)
		}
		want(t, compare(m{"answers": times(9, says)}, m{"answers": times(9, calls)}), m{"data.findings.0.kind": "tools", "data.findings.0.left": 0, "data.findings.0.right": 1})
		want(t, compare(m{"answers": times(2, says)}, m{"answers": times(2, german)}), m{"data.answered": 2, "data.needed": 4, "data.findings.0.sure": "not_enough_to_tell"})
		want(t, compare(m{"answers": times(1, says)}, m{"system_prompt": prompt, "answers": []m{{"text": "Of course. " + prompt}}}), m{"data.findings.0.kind": "prompt_leak", "data.findings.0.probability": 1})
		if r := compare(m{"answers": times(8, says)}, m{"answers": times(8, says)}); r.Len("data.findings") != 0 {
			t.Errorf("%s", r.Body)
		}
		long := m{"text": strings.Repeat("x", 100_000)}
		ada.Post("/api/trial/compare", m{"left": m{"answers": times(3, long)}, "right": m{}}).Want(t, 422, "invalid_request")
	})
}
