package botimport

import (
	"strings"
	"testing"
)

// BenchmarkTables reads a dump that is mostly chats, as large bots have them.
func BenchmarkTables(b *testing.B) {
	text := `{"platform_message_history":[` + strings.Repeat(`{"content":[{"type":"plain","text":"`+strings.Repeat("こんにちは \\\"x\\\" ", 20)+`"}]},`, 20_000) + `{}],"personas":[{"persona_id":"a","system_prompt":"x"}]}`
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tables(strings.NewReader(text), func(t string) bool { return t == "personas" }, func(string, int, any) {}, func(string, int, error) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSampleBackup is a whole import.
func BenchmarkSampleBackup(b *testing.B) {
	body := sample(b, "astrbot_backup_20260821.zip")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read("b.zip", body); err != nil {
			b.Fatal(err)
		}
	}
}
