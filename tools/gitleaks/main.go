// Command gitleaks writes the rules of the pinned gitleaks module as data for internal/market/redact.
//
// It is a module of its own, because gitleaks brings 70 modules and cannot be tidied beside Stoa's. To take
// a newer version: go get github.com/zricethezav/gitleaks/v8@latest && go mod tidy && go run . && go test ./...
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

const target = "../../internal/market/redact/detect/gitleaks.json"

// allowlist is what gitleaks calls one: what looks like a finding and is none.
type allowlist struct {
	Condition   string   `toml:"condition" json:"condition,omitempty"`
	RegexTarget string   `toml:"regexTarget" json:"regex_target,omitempty"`
	Paths       []string `toml:"paths" json:"paths,omitempty"`
	Regexes     []string `toml:"regexes" json:"regexes,omitempty"`
	StopWords   []string `toml:"stopwords" json:"stopwords,omitempty"`
}

type rule struct {
	ID          string      `toml:"id" json:"id"`
	Description string      `toml:"description" json:"-"`
	Regex       string      `toml:"regex" json:"regex,omitempty"`
	Path        string      `toml:"path" json:"path,omitempty"`
	SecretGroup int         `toml:"secretGroup" json:"secret_group,omitempty"`
	Entropy     float64     `toml:"entropy" json:"entropy,omitempty"`
	Keywords    []string    `toml:"keywords" json:"keywords,omitempty"`
	Allowlists  []allowlist `toml:"allowlists" json:"allowlists,omitempty"`
}

type ruleFile struct {
	Allowlist allowlist `toml:"allowlist" json:"allowlist"`
	Rules     []rule    `toml:"rules" json:"rules"`
}

func main() {
	text, err := render()
	if err == nil {
		err = os.WriteFile(target, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// render gives the rules as JSON, one rule a line, so that a new version reads well in a diff.
func render() ([]byte, error) {
	var f ruleFile
	if err := toml.Unmarshal([]byte(config.DefaultConfig), &f); err != nil {
		return nil, err
	}
	for i := range f.Rules {
		if f.Rules[i].ID == "gcp-api-key" {
			f.Rules[i].Allowlists = nil // real keys of public samples: other scanners would take this file for a leak
		}
	}
	f.Allowlist.Paths = nil // what a repository holds beside its texts; a package has no such files
	var out bytes.Buffer
	enc := func(v any) error {
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		err := e.Encode(v)
		out.Truncate(out.Len() - 1)
		return err
	}
	out.WriteString("{\"allowlist\": ")
	if err := enc(f.Allowlist); err != nil {
		return nil, err
	}
	out.WriteString(",\n\"rules\": [\n")
	for i, r := range f.Rules {
		if i > 0 {
			out.WriteString(",\n")
		}
		if err := enc(r); err != nil {
			return nil, err
		}
	}
	out.WriteString("\n]}\n")
	return out.Bytes(), nil
}
