package botimport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"stoa/internal/market/archive"
	"stoa/internal/market/pack"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// maxSingle bounds a file that is not a zip.
const maxSingle = 20 << 20

// accepted is what to do, for those whose file was not understood.
const accepted = "Stoa reads: profile packs; AstrBot backups, cmd_config.json and abconf_*.json; character cards (PNG, JSON, CHARX); folders of SKILL.md or Markdown; MCP server lists."

// Read reads a setup from a file of any accepted kind. sha256 is the digest of the file's bytes in hex, worked out when
// it is "". limits bound a zip. Errors that a person can act on are invalid_profile_pack_payload with a reason.
func Read(ctx context.Context, filename, sha256 string, r io.ReaderAt, size int64, limits archive.Limits) (*Draft, error) {
	head := make([]byte, 4)
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if sha256 == "" {
		if sha256, err = digest(contextReader{ctx, io.NewSectionReader(r, 0, size)}); err != nil {
			return nil, err
		}
	}
	d := newDraft(filename, sha256)
	if n == 4 && (string(head) == "PK\x03\x04" || string(head) == "PK\x05\x06") {
		a, err := archive.Open(r, size, limits)
		if err != nil {
			return nil, pack.RefusedArchive(errs.InvalidProfilePackPayload, err)
		}
		return d.fromFiles(ctx, a)
	}
	if size > maxSingle {
		return nil, refuse(pack.ReasonFileTooLarge, filename, "A file that is not a zip may have at most 20 MiB.")
	}
	body := make([]byte, size)
	if _, err := r.ReadAt(body, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return d.fromBytes(ctx, body)
}

// ReadFolder reads a setup from a bot's folder, or a folder of skills, on the member's own machine.
func ReadFolder(ctx context.Context, name string, f *Folder) (*Draft, error) {
	d := newDraft(name, "")
	d.Source.Type = TypeFolder
	return d.fromFiles(ctx, f)
}

func digest(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func newDraft(filename, sha string) *Draft {
	filename = pack.Clean(path.Base(strings.ReplaceAll(filename, "\\", "/")))
	if filename == "" || filename == "." || filename == "/" {
		filename = "upload"
	}
	return &Draft{HostVersion: "any", PluginCompat: "*", Source: Source{Filename: filename, SHA256: strings.ToLower(sha)}}
}

// fromFiles reads a zip or a folder.
func (d *Draft) fromFiles(ctx context.Context, files Files) (*Draft, error) {
	names := slices.Sorted(slices.Values(files.Names()))
	if pack.IsProfile(files) {
		return d.ready(ctx, files)
	}
	b := newBuilder(ctx, files)
	if f, ok := files.(*Folder); ok {
		b.skipped(f)
	}
	if l, ok := findLayout(files); ok {
		if d.Source.Type == "" {
			d.Source.Type = TypeBackup
		}
		return d.finish(ctx, b, b.astrbot(&l, d))
	}
	if slices.ContainsFunc(names, isWrappedProfile) {
		return d.ready(ctx, files) // which says what is wrong with it
	}
	names = slices.DeleteFunc(names, isJunk)
	if files.Size("card.json") >= 0 {
		if data, version := cardData(b.json("card.json", "card.json")); version != "" {
			d.Source.Type = TypeCardZip
			b.card(data, version, "card.json")
			if len(names) > 1 {
				b.cardPart("assets/", len(names)-1, "pictures and sounds do not travel in a profile pack")
			}
			return d.finish(ctx, b, b.finishPersonas())
		}
	}
	if files.Size("bundle.json") >= 0 {
		return nil, refuse(pack.ReasonUnknownSetup, "bundle.json", "This is a template package. Submit it as a template.")
	}
	if i := b.someConfig(names); i >= 0 {
		cfg := object(b.json(names[i], names[i]))
		d.Source.Type = TypeOtherConfig
		d.Source.Filename = path.Base(names[i])
		return d.finish(ctx, b, b.configFile(cfg, d))
	}
	servers := b.serverFiles(names)
	switch {
	case slices.ContainsFunc(names, isSkillFile) && b.skillFolders(names):
		d.Source.Type = TypeSkills
	case b.pictureCards(names): // Markdown beside cards is notes about them
		d.Source.Type = TypeCardZip
	case b.skillFolders(names):
		d.Source.Type = TypeSkills
	case servers:
		d.Source.Type = TypeMCP
	default:
		return nil, refuse(pack.ReasonUnknownSetup, "", "Nothing in here is a bot's setup that can be imported. "+accepted)
	}
	b.convertedExtensions()
	return d.finish(ctx, b, b.finishPersonas())
}

func (b *builder) convertedExtensions() {
	if b.sum.SkillCount > 0 {
		b.rep.issue(pack.IssueSkillsConverted, pack.SectionSkills, "")
	}
	if b.sum.MCPServerCount > 0 {
		b.rep.issue(pack.IssueMCPConverted, pack.SectionMCPServers, "")
	}
}

// fromBytes reads a file that is no zip.
func (d *Draft) fromBytes(ctx context.Context, body []byte) (*Draft, error) {
	b := newBuilder(ctx, single{d.Source.Filename, body})
	name := d.Source.Filename
	switch trimmed := strings.TrimSpace(string(decoded(body[:min(len(body), 4096)]))); {
	case len(body) == 0:
		return nil, refuse(pack.ReasonNothingToImport, name, "The file is empty. Choose another one.")
	case strings.HasPrefix(string(body), pngMagic):
		card, err := cardInPNG(body)
		if err != nil {
			return nil, refuse(pack.ReasonUnreadable, name, "The picture cannot be read: "+err.Error()+".")
		}
		if card == nil {
			return nil, refuse(pack.ReasonUnknownSetup, name, "The picture holds no character card (no text chunk ccv3 or chara). Export the card again as PNG; some sites strip the card from pictures.")
		}
		v, err := parse(card)
		if err != nil {
			return nil, refuse(pack.ReasonUnreadable, name, "The character card in the picture is not valid JSON: "+why(err)+".")
		}
		data, version := cardData(v)
		if version == "" {
			return nil, refuse(pack.ReasonUnknownSetup, name, "The JSON in the picture is no character card of version 1, 2 or 3.")
		}
		d.Source.Type = TypeCardPNG
		b.card(data, version, name)
		return d.finish(ctx, b, b.finishPersonas())
	case strings.HasPrefix(trimmed, "{"), strings.HasPrefix(trimmed, "["):
		return d.fromJSON(ctx, b, body)
	case isMarkdown(name, body):
		set := skillSet{b: b}
		fallback := ""
		if !isSkillFile(name) {
			fallback = strings.TrimSuffix(name, path.Ext(name))
		}
		set.skill(name, name, fallback, nil)
		d.Source.Type = TypeSkills
		b.convertedExtensions()
		return d.finish(ctx, b, b.finishPersonas())
	}
	return nil, refuse(pack.ReasonUnknownSetup, name, "This file is no setup that can be imported. "+accepted)
}

// fromJSON tells the kinds of JSON files apart by their members.
func (d *Draft) fromJSON(ctx context.Context, b *builder, body []byte) (*Draft, error) {
	name := d.Source.Filename
	if len(body) > maxConfigBytes {
		return nil, refuse(pack.ReasonFileTooLarge, name, "A JSON file may have at most 8 MiB.")
	}
	v, err := parse(body)
	if err != nil {
		return nil, refuse(pack.ReasonUnreadable, name, pack.Clean(name)+" is not valid JSON: "+why(err)+".")
	}
	data, version := cardData(v)
	servers, key := mcpServers(v)
	switch {
	case version != "" && !isConfig(v):
		d.Source.Type = TypeCardJSON
		b.card(data, version, name)
	case isConfig(v):
		d.Source.Type = TypeOtherConfig
		if isProfile(name) {
			d.Source.Type = TypeProfile
		} else if strings.Contains(strings.ToLower(name), "cmd_config") {
			d.Source.Type = TypeConfig
		}
		return d.finish(ctx, b, b.configFile(object(v), d))
	case servers != nil:
		d.Source.Type = TypeMCP
		b.servers(servers, inside(name, key))
		b.convertedExtensions()
	case len(personaJSON(v)) > 0:
		d.Source.Type = TypePersonas
		at := name + ":personas"
		for i, item := range personaJSON(v) {
			b.persona(item, pack.AppendIndex(at, i), nil)
		}
		b.rep.issue(pack.IssueConverted, pack.SectionPersonas, "")
	default:
		return nil, refuse(pack.ReasonUnknownSetup, name, "This JSON is no bot's setup: it has none of the members of AstrBot's configuration (provider, provider_settings, platform, plugin_set, …), of a character card, a persona or an MCP list. "+accepted)
	}
	return d.finish(ctx, b, b.finishPersonas())
}

// ready accepts a profile pack that was made already.
func (d *Draft) ready(ctx context.Context, files Files) (*Draft, error) {
	p, err := pack.ReadProfile(ctx, files)
	if err != nil {
		return nil, pack.RefusedArchive(errs.InvalidProfilePackPayload, err)
	}
	m := p.Manifest
	d.Source.Type, d.Profile, d.Sections = TypePack, p, p.Sections
	d.PackType, d.PackID, d.Version, d.HostVersion, d.PluginCompat, d.Capabilities = m.PackType, m.PackID, m.Version, m.HostVersion, m.PluginCompat, m.Capabilities
	d.Issues = pack.Diagnose(m, p.Sections, pack.Host{})
	rep := newReporter()
	for _, name := range m.Sections {
		rep.mapped("sections/"+name+".json", name)
	}
	d.Report = rep.close()
	d.Summary = summarize(p.Sections)
	if d.Source.SHA256 == "" {
		return d, d.fingerprint()
	}
	return d, nil
}

// fingerprint stands for the digest of a file where there is a folder.
func (d *Draft) fingerprint() error {
	text, err := strictjson.Canonical(d.Sections)
	if err != nil {
		return err
	}
	d.Source.SHA256, err = digest(strings.NewReader(string(text)))
	return err
}
