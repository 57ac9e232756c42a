package scan

import (
	"bytes"
	"testing"
)

func BenchmarkScan(b *testing.B) {
	for name, line := range map[string]string{
		"English": "You are a careful gardener who answers questions about plants, soil and the weather of the coming week. Keep it short.\n",
		"Chinese": "你是一位经验丰富的园艺师，请回答关于植物、土壤和下周天气的问题，并且尽量简短。\n",
		"code":    "func (s *Server) handle(w http.ResponseWriter, r *http.Request) error { return s.store.Read(r.Context(), func(tx *Tx) error { return nil }) }\n",
	} {
		text := bytes.Repeat([]byte(line), 1<<20/len(line))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s := NewScan(Options{})
				_, _ = s.File("x.md", RolePrompt).Write(text)
				s.Finish()
			}
		})
	}
}
