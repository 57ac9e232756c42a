package botfolder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"stoa/internal/market/apply"
	"stoa/internal/market/pack"
	"stoa/internal/market/strictjson"
)

// The files of a data folder.
const (
	configFile  = "cmd_config.json"
	serversFile = "mcp_server.json"
	skillsDir   = "skills"
	skillFile   = "SKILL.md"
	serversKey  = "mcpServers"
	maxFile     = 32 << 20 // bytes
)

// Folder is a data folder of an AstrBot, or a file of personas.
type Folder struct {
	root *os.Root
	name string // the whole path
	file string // the file of personas; "" for a data folder
}

// Open opens a data folder, the folder above it, or a file of personas, which need not be there yet. It must be closed.
func Open(place string) (*Folder, error) {
	whole, err := filepath.Abs(place)
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(filepath.Ext(whole), ".json") {
		root, err := os.OpenRoot(filepath.Dir(whole))
		if err != nil {
			return nil, fmt.Errorf("the folder of %s cannot be opened", filepath.Base(whole))
		}
		f := &Folder{root: root, name: whole, file: filepath.Base(whole)}
		if _, err := f.personas(); err != nil {
			f.Close()
			return nil, err
		}
		return f, nil
	}
	for _, dir := range []string{whole, filepath.Join(whole, "data")} {
		if _, err := os.Stat(filepath.Join(dir, configFile)); err != nil {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("the folder %s cannot be opened", dir)
		}
		return &Folder{root: root, name: dir}, nil
	}
	return nil, fmt.Errorf("%s is no data folder of an AstrBot (it has no %s) and no .json file of personas", place, configFile)
}

// Close ends the use of the folder.
func (f *Folder) Close() { _ = f.root.Close() } // every file was closed when it was written

// Name is the path, as the journal keeps it.
func (f *Folder) Name() string { return f.name }

// Without are the sections of packs that have no place here, with why.
func (f *Folder) Without() map[string]string {
	if f.file == "" {
		return map[string]string{pack.SectionPersonas: "AstrBot keeps its personas in its database; put them into the running bot with --bot."}
	}
	why := "A file of personas holds nothing else."
	return map[string]string{pack.SectionSkills: why, pack.SectionMCPServers: why, pack.SectionProviders: why, pack.SectionCore: why}
}

// Read answers the objects that are there.
func (f *Folder) Read(_ context.Context, keys []apply.Key) (map[apply.Key]apply.Value, error) {
	out := map[apply.Key]apply.Value{}
	read := map[string][]byte{} // files, each once
	for _, key := range keys {
		v, err := f.value(key, read)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		if out[key], err = apply.Canonical(v.of); err != nil {
			return nil, f.odd(key.ID)
		}
	}
	return out, nil
}

// found is a value that is there, which may be null.
type found struct{ of any }

func (f *Folder) value(key apply.Key, read map[string][]byte) (*found, error) {
	switch {
	case key.Kind == apply.KindPersona && f.file != "":
		list, err := f.personas()
		if err != nil {
			return nil, err
		}
		if i := list.find(key.ID); i >= 0 {
			return &found{personaValue(list.items[i])}, nil
		}
		return nil, nil
	case f.file != "" || key.Kind == apply.KindPersona:
		return nil, nil
	case key.Kind == apply.KindSkill:
		return f.skill(key.ID)
	}
	name, at, err := placeOf(key)
	if err != nil {
		return nil, err
	}
	text, ok := read[name]
	if !ok {
		if text, err = f.text(name); err != nil {
			return nil, err
		}
		read[name] = text
	}
	if len(text) == 0 {
		return nil, nil
	}
	tree, err := strictjson.Parse(text, 0)
	if err != nil {
		return nil, f.odd(name)
	}
	if key.Kind == apply.KindProvider {
		list, _ := tree.(map[string]any)["provider"].([]any)
		i := slices.IndexFunc(list, func(v any) bool { m, _ := v.(map[string]any); return m["id"] == key.ID })
		if i < 0 {
			return nil, nil
		}
		return &found{list[i]}, nil
	}
	for _, step := range at {
		m, _ := tree.(map[string]any)
		if tree, ok = m[step]; !ok {
			return nil, nil
		}
	}
	return &found{tree}, nil
}

// placeOf is the file and the path in it where an object lies.
func placeOf(key apply.Key) (name string, at []string, err error) {
	switch key.Kind {
	case apply.KindServer:
		return serversFile, []string{serversKey, key.ID}, nil
	case apply.KindProvider:
		return configFile, nil, nil
	case apply.KindConfig:
		return configFile, strings.Split(key.ID, "."), nil
	}
	return "", nil, fmt.Errorf("a folder has no %s", key.Kind)
}

// skill reads a SKILL.md. Other files beside it are the member's own and are neither compared nor touched.
func (f *Folder) skill(name string) (*found, error) {
	text, err := f.text(path.Join(skillsDir, name, skillFile))
	if err != nil || text == nil {
		return nil, err
	}
	return &found{map[string]any{"text": string(text)}}, nil
}

// text is a file's bytes; nil when it is not there.
func (f *Folder) text(name string) ([]byte, error) {
	info, err := f.root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s cannot be read", path.Join(filepath.ToSlash(f.dir()), name))
	}
	text, err := f.root.ReadFile(name)
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}

func (f *Folder) dir() string {
	if f.file != "" {
		return filepath.Dir(f.name)
	}
	return f.name
}

func (f *Folder) odd(what string) error {
	return fmt.Errorf("%s in %s is not in a form that is known; nothing was done", pack.Clean(what), f.dir())
}

// Write brings one object from before to after.
func (f *Folder) Write(_ context.Context, key apply.Key, _, after apply.Value) error {
	switch key.Kind {
	case apply.KindSkill:
		return f.writeSkill(key.ID, after)
	case apply.KindPersona:
		return f.writePersona(key.ID, after)
	}
	name, at, err := placeOf(key)
	if err != nil {
		return err
	}
	text, err := f.text(name)
	if err != nil {
		return err
	}
	d := read(text)
	if key.Kind == apply.KindProvider {
		return f.writeProvider(d, key.ID, after)
	}
	if key.Kind == apply.KindServer && !d.has(serversKey) {
		if after == nil {
			return nil
		}
		at, after = at[:1], fmt.Appendf(nil, "{%s:%s}", quote(key.ID), after)
	}
	next, ok := withMember(d.body, at, after)
	if !ok {
		return fmt.Errorf("%s has no place for %s", name, key.ID)
	}
	return f.put(name, d.written(next))
}

func (f *Folder) writeProvider(d document, id string, after apply.Value) error {
	var config struct {
		Provider []json.RawMessage `json:"provider"`
	}
	if json.Unmarshal(d.body, &config) != nil {
		return f.odd(configFile)
	}
	list := elements{items: config.Provider, name: func(item json.RawMessage) string {
		var p struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(item, &p)
		return p.ID
	}}
	list.set(id, json.RawMessage(after))
	next, ok := withMember(d.body, []string{"provider"}, list.text())
	if !ok {
		return f.odd(configFile)
	}
	return f.put(configFile, d.written(next))
}

func (f *Folder) writeSkill(name string, after apply.Value) error {
	dir := path.Join(skillsDir, name)
	if after == nil {
		err := f.root.Remove(path.Join(dir, skillFile))
		_ = f.root.Remove(dir) // unless something of the member's is in it
		return err
	}
	var v struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(after, &v); err != nil {
		return err
	}
	if err := f.root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return f.put(path.Join(dir, skillFile), []byte(v.Text))
}

// put writes a file beside itself and puts it in its place.
func (f *Folder) put(name string, text []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := f.root.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	temp := name + ".stoa-new"
	file, err := f.root.OpenFile(temp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = f.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, f.root.Remove(temp))
	}
	return nil
}
