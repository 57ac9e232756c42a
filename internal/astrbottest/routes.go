package astrbottest

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// refusal is an error of the bot's own rules. AstrBot answers many of them with status 200.
type refusal struct {
	status  int
	message string
}

func (e refusal) Error() string { return e.message }

func refuse(format string, args ...any) error {
	return refusal{http.StatusOK, fmt.Sprintf(format, args...)}
}

// routes registers the calls.
func (b *Bot) routes() {
	for pattern, f := range map[string]func(*http.Request) (any, error){
		"GET persona /personas":               b.listPersonas,
		"POST persona /personas":              b.createPersona,
		"PUT persona /personas/by-id":         b.updatePersona,
		"DELETE persona /personas/by-id":      b.deletePersona,
		"POST persona /personas/move":         b.movePersona,
		"POST persona /personas/reorder":      b.reorder,
		"GET skill /skills":                   b.listSkills,
		"POST skill /skills":                  b.uploadSkill,
		"GET skill /skills/file":              b.skillFile,
		"PUT skill /skills/file":              b.updateSkillFile,
		"GET skill /skills/files":             b.skillFiles,
		"PATCH skill /skills/by-name":         b.switchSkill,
		"DELETE skill /skills/by-name":        b.deleteSkill,
		"GET mcp /mcp/servers":                b.listServers,
		"POST mcp /mcp/servers":               b.addServer,
		"PUT mcp /mcp/servers/by-name":        b.updateServer,
		"DELETE mcp /mcp/servers/by-name":     b.deleteServer,
		"GET provider /providers":             b.listProviders,
		"POST provider /providers":            b.createProvider,
		"PUT provider /providers/by-id":       b.updateProvider,
		"DELETE provider /providers/by-id":    b.deleteProvider,
		"GET config /config-profiles/default": b.getConfig,
		"PUT config /config-profiles/default": b.putConfig,
	} {
		parts := strings.Fields(pattern)
		b.mux.HandleFunc(parts[0]+" /api/v1"+parts[2], b.handler(parts[1], f))
	}
}

func (b *Bot) handler(scope string, f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		var data any
		err := error(refusal{http.StatusUnauthorized, "Unauthorized"})
		switch {
		case r.Header.Get("X-API-Key") != b.key:
		case !slices.Contains(b.scopes, scope):
			err = refusal{http.StatusForbidden, "Insufficient API key scope"}
		default:
			b.tick++
			data, err = f(r)
		}
		w.Header().Set("Content-Type", "application/json")
		status, answer := http.StatusOK, map[string]any{"status": "ok", "message": nil, "data": data}
		if err != nil {
			answer = map[string]any{"status": "error", "message": err.Error(), "data": nil}
			if e := (refusal{}); errors.As(err, &e) {
				status = e.status
			}
		}
		w.WriteHeader(status)
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false) // AstrBot does not escape either
		_ = e.Encode(answer)
	}
}

func body(r *http.Request, into any) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return refusal{http.StatusUnprocessableEntity, "Invalid request body"}
	}
	return nil
}

func (b *Bot) now() string { return fmt.Sprintf("2026-11-22T00:00:00.%06d", b.tick) }

func (b *Bot) listPersonas(*http.Request) (any, error) {
	if b.personas == nil {
		return []*Persona{}, nil
	}
	return b.personas, nil
}

func (b *Bot) createPersona(r *http.Request) (any, error) {
	p := &Persona{Dialogs: []string{}}
	if err := body(r, p); err != nil {
		return nil, err
	}
	p.ID, p.Prompt = strings.TrimSpace(p.ID), strings.TrimSpace(p.Prompt)
	switch {
	case p.ID == "" || p.Prompt == "":
		return nil, refuse("人格ID不能为空")
	case len(p.Dialogs)%2 != 0:
		return nil, refuse("预设对话数量必须为偶数（用户和助手轮流对话）")
	case b.persona(p.ID) != nil:
		return nil, refuse("Persona with ID %s already exists.", p.ID)
	}
	p.CreatedAt, p.UpdatedAt = b.now(), b.now()
	b.personas = append(b.personas, p)
	return map[string]any{"persona": p}, nil
}

func (b *Bot) updatePersona(r *http.Request) (any, error) {
	var given map[string]json.RawMessage
	if err := body(r, &given); err != nil {
		return nil, err
	}
	var id string
	_ = json.Unmarshal(given["persona_id"], &id)
	p := b.persona(id)
	if p == nil {
		return nil, refuse("Persona with ID %s does not exist.", id)
	}
	next := *p
	for key, into := range map[string]any{"system_prompt": &next.Prompt, "begin_dialogs": &next.Dialogs, "tools": &next.Tools, "skills": &next.Skills, "custom_error_message": &next.ErrorMessage} {
		text, ok := given[key]
		if !ok || string(text) == "null" && (key == "system_prompt" || key == "begin_dialogs") {
			continue // as AstrBot: none means unchanged for these two
		}
		if string(text) == "null" || key == "tools" || key == "skills" {
			next.set(key)
		}
		if err := json.Unmarshal(text, into); err != nil {
			return nil, refusal{http.StatusUnprocessableEntity, "Invalid request body"}
		}
	}
	if len(next.Dialogs)%2 != 0 {
		return nil, refuse("预设对话数量必须为偶数（用户和助手轮流对话）")
	}
	next.UpdatedAt = b.now()
	*p = next
	return map[string]any{"message": "人格更新成功"}, nil
}

// set clears a field before it is read again.
func (p *Persona) set(key string) {
	switch key {
	case "tools":
		p.Tools = nil
	case "skills":
		p.Skills = nil
	case "custom_error_message":
		p.ErrorMessage = nil
	}
}

func (b *Bot) deletePersona(r *http.Request) (any, error) {
	id := r.URL.Query().Get("persona_id")
	if b.persona(id) == nil {
		return nil, refuse("Persona with ID %s does not exist.", id)
	}
	b.personas = slices.DeleteFunc(b.personas, func(p *Persona) bool { return p.ID == id })
	return nil, nil
}

func (b *Bot) movePersona(r *http.Request) (any, error) {
	var in struct {
		ID     string  `json:"persona_id"`
		Folder *string `json:"folder_id"`
	}
	if err := body(r, &in); err != nil {
		return nil, err
	}
	if p := b.persona(in.ID); p != nil {
		p.Folder = in.Folder
	}
	return nil, nil
}

func (b *Bot) reorder(r *http.Request) (any, error) {
	var in struct {
		Items []struct {
			ID        string `json:"id"`
			SortOrder int    `json:"sort_order"`
		} `json:"items"`
	}
	if err := body(r, &in); err != nil {
		return nil, err
	}
	for _, item := range in.Items {
		if p := b.persona(item.ID); p != nil {
			p.SortOrder = item.SortOrder
		}
	}
	return nil, nil
}

var skillName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

func (b *Bot) listSkills(*http.Request) (any, error) {
	rows := []any{}
	for _, name := range slices.Sorted(maps.Keys(b.skills)) {
		rows = append(rows, map[string]any{"name": name, "active": b.skills[name].Active, "source_type": "local"})
	}
	return map[string]any{"skills": rows, "runtime": "local"}, nil
}

func (b *Bot) uploadSkill(r *http.Request) (any, error) {
	f, h, err := r.FormFile("file")
	if err != nil {
		return nil, refuse("Missing file")
	}
	text, err := io.ReadAll(f)
	if err != nil || !strings.HasSuffix(h.Filename, ".zip") {
		return nil, refuse("Only .zip files are supported")
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, refuse("File is not a zip file")
	}
	files, name := map[string]string{}, ""
	for _, e := range z.File {
		dir, rest, ok := strings.Cut(e.Name, "/")
		if !ok || name != "" && dir != name || !skillName.MatchString(dir) {
			return nil, refuse("Invalid skill archive")
		}
		name = dir
		c, err := e.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(c)
		if err != nil {
			return nil, err
		}
		files[rest] = string(content)
	}
	if _, ok := files["SKILL.md"]; !ok {
		return nil, refuse("SKILL.md not found in the skill folder.")
	}
	if b.skills[name] != nil {
		return nil, refuse("Skill already exists.")
	}
	b.skills[name] = &Skill{Files: files, Active: true}
	return map[string]any{"name": name}, nil
}

func (b *Bot) skill(name string) (*Skill, error) {
	if s := b.skills[name]; s != nil {
		return s, nil
	}
	return nil, refuse("Local skill not found")
}

func (b *Bot) skillFile(r *http.Request) (any, error) {
	s, err := b.skill(r.URL.Query().Get("skill_name"))
	if err != nil {
		return nil, err
	}
	content, ok := s.Files[r.URL.Query().Get("path")]
	if !ok {
		return nil, refuse("Skill file not found")
	}
	return map[string]any{"content": content, "size": len(content), "editable": true}, nil
}

func (b *Bot) updateSkillFile(r *http.Request) (any, error) {
	var in struct {
		Name    string `json:"skill_name"`
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	if err := body(r, &in); err != nil {
		return nil, err
	}
	s, err := b.skill(in.Name)
	if err != nil {
		return nil, err
	}
	if _, ok := s.Files[in.Path]; !ok || len(in.Content) > 512<<10 {
		return nil, refuse("Skill file not found")
	}
	s.Files[in.Path] = in.Content
	return nil, nil
}

func (b *Bot) skillFiles(r *http.Request) (any, error) {
	s, err := b.skill(r.URL.Query().Get("skill_name"))
	if err != nil {
		return nil, err
	}
	entries := []any{}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		entries = append(entries, map[string]any{"name": name, "path": name, "type": "file"})
	}
	return map[string]any{"entries": entries}, nil
}

func (b *Bot) switchSkill(r *http.Request) (any, error) {
	var in struct {
		Name    string `json:"skill_name"`
		Enabled bool   `json:"enabled"`
	}
	if err := body(r, &in); err != nil {
		return nil, err
	}
	s, err := b.skill(in.Name)
	if err == nil {
		s.Active = in.Enabled
	}
	return nil, err
}

func (b *Bot) deleteSkill(r *http.Request) (any, error) {
	name := r.URL.Query().Get("skill_name")
	_, err := b.skill(name)
	delete(b.skills, name)
	return nil, err
}
