package export

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"stoa/internal/market/pack"
)

// Format is a target.
type Format string

// The targets.
const (
	Prompt   Format = "prompt"   // the system prompts as text
	CardV2   Format = "card-v2"  // Character Card V2, JSON
	CardV3   Format = "card-v3"  // Character Card V3, JSON
	CardPNG  Format = "card-png" // V3 in a picture, with a V2 copy
	Skills   Format = "skill"    // SKILL.md folders
	Agents   Format = "agent"    // agents/, commands/, skills/ and .mcp.json of coding assistants
	Dify     Format = "dify"     // Dify DSL
	LobeChat Format = "lobechat" // LobeChat agent
	maxFiles        = 4_000      // of one export
	maxBytes        = 64 << 20   // of one export
	zipType         = "application/zip"
)

// Formats are all targets, in the order they are shown.
var Formats = []Format{Prompt, CardPNG, CardV3, CardV2, Skills, Agents, Dify, LobeChat}

// File is one file of an export.
type File struct {
	Path string // slash-separated, without .. or a leading slash
	Data []byte
}

// Result is an export: files and what they do not hold.
type Result struct {
	Format Format
	Files  []File
	Losses []Loss
}

// Options narrow an export.
type Options struct {
	Persona string // only the persona of this name; all otherwise
}

// Error is a request that cannot be met. Its text is fit to show.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Write writes the item in a format. The error is an *Error.
func Write(item Item, format Format, o Options) (Result, error) {
	left := []Loss{}
	if o.Persona != "" {
		kept := []Persona{}
		for _, p := range item.Personas {
			if p.Name == o.Persona {
				kept = append(kept, p)
			} else {
				left = append(left, Loss{p.Path, "Not asked for."})
			}
		}
		if len(kept) == 0 {
			return Result{}, &Error{fmt.Sprintf("There is no persona %q in it.", pack.Clean(o.Persona))}
		}
		item.Personas = kept
	}
	w := &writer{item: item, result: Result{Format: format, Losses: left}, names: names{}}
	switch format {
	case Prompt:
		w.prompts()
	case CardV2, CardV3, CardPNG:
		if err := w.cards(format); err != nil {
			return Result{}, err
		}
	case Skills:
		w.skillFolders()
	case Agents:
		if err := w.agentFiles(); err != nil {
			return Result{}, err
		}
	case Dify:
		if err := w.dify(); err != nil {
			return Result{}, err
		}
	case LobeChat:
		if err := w.lobechat(); err != nil {
			return Result{}, err
		}
	default:
		return Result{}, &Error{fmt.Sprintf("There is no format %q.", pack.Clean(string(format)))}
	}
	return w.end()
}

// writer gathers one export.
type writer struct {
	item   Item
	result Result
	names  names
	size   int
}

func (w *writer) file(path string, data []byte) {
	w.result.Files = append(w.result.Files, File{Path: path, Data: data})
	w.size += len(data)
}

func (w *writer) lose(path, reason string) {
	w.result.Losses = append(w.result.Losses, Loss{path, reason})
}

// loseFields reports the fields of a persona or skill that are not among those held.
func (w *writer) loseFields(path string, fields map[string]any, reason string, held ...string) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch {
		case slices.Contains(held, key):
		case !empty(fields[key]):
			w.lose(pack.AppendKey(path, key), reason)
		case forbids(key, fields[key]):
			w.lose(pack.AppendKey(path, key), "The persona may use none, and this format has no field to say so.")
		}
	}
}

// forbids tells whether an empty field of a persona says something: no list means all tools and skills of the bot, an empty
// list none of them.
func forbids(key string, v any) bool {
	list, isList := v.([]any)
	return isList && len(list) == 0 && (key == "tools" || key == "skills")
}

// loseServers and loseSkills report whole kinds that a target has no place for.
func (w *writer) loseServers(reason string) {
	for _, s := range w.item.Servers {
		w.lose(s.Path, reason)
	}
}

func (w *writer) loseSkills(reason string) {
	for _, s := range w.item.Skills {
		w.lose(s.Path, reason)
	}
}

// end reports what no writer holds and checks the bounds.
func (w *writer) end() (Result, error) {
	for _, v := range w.item.Rest {
		w.lose(v.Path, "Settings of a bot have no place in this format.")
	}
	if len(w.result.Files) == 0 {
		return Result{}, &Error{"It holds nothing that this format can carry: no persona, prompt or skill."}
	}
	if len(w.result.Files) > maxFiles || w.size > maxBytes {
		return Result{}, &Error{fmt.Sprintf("The export would be larger than %d files or %d MiB.", maxFiles, maxBytes>>20)}
	}
	slices.SortFunc(w.result.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(w.result.Losses, func(a, b Loss) int { return strings.Compare(a.Path, b.Path) })
	return w.result, nil
}

// mediaTypes of single files, by the end of their name.
var mediaTypes = []struct{ end, media string }{
	{".json", "application/json"}, {".png", "image/png"}, {".yml", "application/yaml"}, {".md", "text/markdown; charset=utf-8"}, {".txt", "text/plain; charset=utf-8"},
}

// Download gives the export as one file: the file itself when there is one, else a zip.
func (r *Result) Download(item Item) (name, media string, data []byte, err error) {
	if len(r.Files) == 1 && !strings.Contains(r.Files[0].Path, "/") {
		for _, m := range mediaTypes {
			if strings.HasSuffix(r.Files[0].Path, m.end) {
				return r.Files[0].Path, m.media, r.Files[0].Data, nil
			}
		}
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range r.Files {
		h := &zip.FileHeader{Name: f.Path, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(0o644)
		to, err := z.CreateHeader(h)
		if err != nil {
			return "", "", nil, fmt.Errorf("export: %w", err)
		}
		if _, err := to.Write(f.Data); err != nil {
			return "", "", nil, fmt.Errorf("export: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return "", "", nil, fmt.Errorf("export: %w", err)
	}
	base := slug(item.ID, 80)
	if base == "" {
		base = "export"
	}
	return base + "-" + string(r.Format) + ".zip", zipType, out.Bytes(), nil
}

// prompts writes each system prompt as a text file.
func (w *writer) prompts() {
	const reason = "A plain prompt is text alone."
	for i := range w.item.Personas {
		p := &w.item.Personas[i]
		w.file(w.names.pick(p.Name, w.item.ID)+".txt", []byte(p.Prompt))
		w.loseFields(p.Path, p.Fields, reason)
	}
	w.loseSkills(reason)
	w.loseServers(reason)
}
