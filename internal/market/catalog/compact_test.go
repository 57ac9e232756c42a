package catalog

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/market/scan"
)

func TestCompactGivesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.OneOf(rapid.String(), rapid.StringN(0, 5000, -1), rapid.Just(string(aDetail("Keeps a library.")))).Draw(t, "text"))
		memory := make([]byte, 0, rapid.IntRange(0, 6000).Draw(t, "memory"))
		kept := CompactOf(text)
		got, err := kept.Detail(memory)
		if err != nil || string(got) != string(text) || kept.Len() != len(text) {
			t.Fatalf("%d bytes came back as %d, announced as %d: %v", len(text), len(got), kept.Len(), err)
		}
		if len(got) > 0 && len(got) <= cap(memory) && &got[0] != &memory[:1][0] {
			t.Fatal("the memory that was given was not used")
		}
	})
}

// What a detail says beside its own words must cost next to nothing.
func TestCompactIsSmall(t *testing.T) {
	text := aDetail("A librarian who finds books, answers questions about them and never lends what is not there.")
	if kept := len(CompactOf(text)); kept*3 > len(text) {
		t.Fatalf("%d of %d bytes", kept, len(text))
	}
}

func TestCompactOfNothingKept(t *testing.T) {
	for _, bad := range []Compact{nil, {0xff}, {0x05, 0x00}, Compact("not compressed")} {
		if got, err := bad.Detail(nil); err == nil && len(got) > 0 {
			t.Errorf("%q was read as %q", string(bad), got)
		}
	}
}

func aDetail(description string) []byte {
	const digest = "11afcf848a4d45958dd98e2448d61ab0b0ff146ccdaddc1b7f41d90d5e82a67e"
	p := Published{
		Document: Document{
			Kind: KindTemplate, ID: "community/library", Version: "1.2.0", Category: "education", Tags: []string{"books"}, Maintainer: "ann",
			SourceLocale: "en-US", Locales: map[string]Text{"en-US": {Title: "Library", Description: description, Prompt: "You keep a library."}},
			Scan: scan.Summary{Status: scan.Clean, ScannerVersion: scan.Version(), Mode: scan.Balanced, Digest: digest, Levels: []string{"L1"}, Compatibility: "degraded", RiskLevel: "low"},
		},
		Visibility: Community, Channel: ChannelOfficial, RiskLevel: "low", ReviewLabels: []string{"risk_low"}, PublishedAt: time.Unix(1.7e9, 0),
		Artifact: Artifact{ID: "artifact-1", SHA256: digest, Filename: "community__library-1.2.0.zip", Source: "uploaded_submission", SizeBytes: 1080},
		Versions: []VersionLine{{Version: "1.2.0", PublishedAt: "2026-03-10T01:40:09.317Z", SHA256: digest, SizeBytes: 1080, Source: "uploaded_submission", RiskLevel: "low", Latest: true}},
	}
	return p.Detail("en-US")
}

func BenchmarkCompactDetail(b *testing.B) {
	text := aDetail("A librarian who finds books, answers questions about them and never lends what is not there.")
	kept, memory := CompactOf(text), make([]byte, len(text))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := kept.Detail(memory); err != nil {
			b.Fatal(err)
		}
	}
}
