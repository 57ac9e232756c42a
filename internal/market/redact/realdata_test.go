package redact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

const sharedData = "../../../../../shared/data"

// dataFile opens shared test data, which stands beside the repository on the project's machines.
func dataFile(t testing.TB, name string) []byte {
	for _, root := range []string{os.Getenv("STOA_SHARED_DATA"), sharedData, "../../../../shared/data", "/work/shared/data"} {
		if text, err := os.ReadFile(root + "/" + name); root != "" && err == nil {
			return text
		}
	}
	t.Skip("no shared data here")
	return nil
}

// botSecrets are the places of the configuration's secrets, and botLeft the names like a secret's that are none.
var botSecrets = []string{
	"astrbot_core.dashboard.jwt_secret",
	"astrbot_core.dashboard.password",
	"astrbot_core.platform[0].appid",
	"astrbot_core.platform[0].secret",
	"astrbot_core.platform[1].telegram_token",
	"astrbot_core.platform[2].corpid",
	"astrbot_core.platform[2].encoding_aes_key",
	"astrbot_core.platform[2].secret",
	"astrbot_core.platform[2].token",
	"astrbot_core.platform[3].app_id",
	"astrbot_core.platform[3].app_secret",
	"astrbot_core.provider_settings.file_extract.moonshotai_api_key",
	"astrbot_core.provider_settings.websearch_tavily_key[0]",
	"astrbot_core.provider_sources[0].custom_headers.X-Api-Key",
	"astrbot_core.provider_sources[0].key[0]",
	"astrbot_core.provider_sources[0].key[1]",
	"astrbot_core.provider_sources[0].proxy",
	"astrbot_core.provider_sources[1].key[0]",
}

// A configuration in the real format: every secret is masked and nothing else.
func TestRealConfiguration(t *testing.T) {
	text := bytes.TrimPrefix(dataFile(t, "bots/cmd_config.json"), []byte("\xEF\xBB\xBF"))
	var tree any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	e := New()
	result, err := e.Sections(map[string]any{"astrbot_core": tree}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, m := range result.Masked {
		paths = append(paths, m.Path)
	}
	slices.Sort(paths)
	if !slices.Equal(paths, botSecrets) {
		t.Errorf("masked %q", paths)
	}
	if f := e.Verify([]byte(asJSON(result.Sections["astrbot_core"])), "astrbot_core.json", result.Known); len(f) > 0 {
		t.Errorf("left: %v", f)
	}
	if f := e.Verify(text, "astrbot_core.json", nil); len(f) != len(botSecrets) {
		t.Errorf("the verifier sees %d of %d", len(f), len(botSecrets))
	}
	scan := e.NewText("cmd_config.json")
	_, _ = scan.Write(text)
	if n := len(scan.Findings()); n != len(botSecrets) {
		t.Errorf("as a text: %d of %d: %v", n, len(botSecrets), scan.Findings())
	}
}

// Real prompts hold next to nothing that looks like a credential.
func TestRealPromptsAreLeft(t *testing.T) {
	t.Parallel()
	text := dataFile(t, "catalog/agents.jsonl")
	e := New()
	templates, masks, hashes := 0, 0, 0
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var tree map[string]any
		if err := json.Unmarshal(lines.Bytes(), &tree); err != nil {
			t.Fatal(err)
		}
		templates++
		result, err := e.Sections(map[string]any{"t": tree}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range result.Masked {
			// The one template that holds real credentials: an example with hashes of passwords.
			if tree["id"] == "prisma" && m.Length == 60 && m.Rule == "key-name" {
				hashes++
				continue
			}
			masks++
			t.Logf("%v: %s %s (%d bytes)", tree["id"], m.Path, m.Why, m.Length)
		}
	}
	scan := e.NewText("agents.jsonl")
	_, _ = scan.Write(text)
	for _, f := range scan.Findings() {
		if f.Length == 60 {
			continue
		}
		masks++
		line := strings.Split(string(text), "\n")[f.Line-1]
		t.Logf("as a text: %v %.80q", f, string([]rune(line)[max(0, f.Column-41):f.Column+38]))
	}
	t.Logf("%d templates, %d hashes of passwords, %d other masks", templates, hashes, masks)
	if masks > 0 || hashes > 6 {
		t.Error("real prompts were touched")
	}
}
