package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"

	"stoa/internal/app/market/submit"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/llm"
)

// What is sent are events as OpenAI's interface streams them, so that a page reads its own server's and any other's alike.
type (
	chatEvent struct {
		Choices []chatChoice `json:"choices,omitempty"`
		Error   *chatFault   `json:"error,omitempty"`
	}
	chatChoice struct {
		Delta  chatDelta `json:"delta"`
		Finish *string   `json:"finish_reason"`
	}
	chatDelta struct {
		Content string     `json:"content,omitempty"`
		Tools   []chatTool `json:"tool_calls,omitempty"`
	}
	chatTool struct {
		Function chatFunction `json:"function"`
	}
	chatFunction struct {
		Name string `json:"name"`
	}
	// chatFault is why no more comes. Nothing of what the model's server said is in it.
	chatFault struct {
		Code    string `json:"code"`
		Status  int    `json:"status"`
		Message string `json:"message"`
	}
)

// trialChat streams what a model says. Faults of the model come as a last event, since by then the answer has begun.
func (r *request) trialChat() error {
	values, err := r.route.Input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := routes.Into[submit.TrialChatInput](values)
	if err != nil {
		return err
	}
	chat, err := r.server.app.BeginTrialChat(r.Context(), r.caller, in)
	if err != nil {
		return err
	}
	defer chat.Close()
	h := r.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies hold nothing back
	r.w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(r.w)
	send := func(e chatEvent) error {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := r.w.Write(append(append([]byte("data: "), text...), "\n\n"...)); err != nil {
			return err
		}
		_ = flush.Flush() // in tests without a connection there is nothing to flush
		return nil
	}
	err = chat.Stream(r.Context(), func(p llm.Piece) error {
		c := chatChoice{Delta: chatDelta{Content: p.Text}}
		if p.Tool != "" {
			c.Delta.Tools = []chatTool{{chatFunction{p.Tool}}}
		}
		if p.Finish != "" {
			c.Finish = &p.Finish
		}
		return send(chatEvent{Choices: []chatChoice{c}})
	})
	var fault *llm.Fault
	switch {
	case errors.As(err, &fault):
		_ = send(chatEvent{Error: &chatFault{fault.Code, fault.Status, fault.Text}}) // who has gone needs no reason
	case err == nil:
		_, _ = r.w.Write([]byte("data: [DONE]\n\n"))
	}
	return nil
}
