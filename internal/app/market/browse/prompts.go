package browse

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/install"
	"stoa/internal/market/prompting"
	"stoa/internal/platform/store/sqldb"
)

// Prompt is a template as an assistant offers it: its texts in one language and what it asks for.
type Prompt struct {
	Name        string           `json:"name"` // the template's id
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Version     string           `json:"version"`
	Arguments   []PromptArgument `json:"arguments"`
	Installed   bool             `json:"installed"`
	Featured    bool             `json:"featured"`
}

// PromptArgument is a place of a prompt that its user fills in.
type PromptArgument struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
}

// PromptList are the prompts that a caller is offered, by name.
type PromptList struct {
	Count   int      `json:"count"`
	Prompts []Prompt `json:"prompts"`
}

// PromptsInput chooses the language.
type PromptsInput struct {
	Locale string `json:"locale"`
}

const (
	featuredPrompts  = 100  // that are offered at most
	installedPrompts = 200  // the latest
	keptPrompts      = 8192 // in memory
)

// promptKey names what a version says in one language.
type promptKey struct {
	seq             int64
	version, locale string
}

type promptCache = otter.Cache[promptKey, Prompt]

func newPromptCache() *promptCache {
	return otter.Must(&otter.Options[promptKey, Prompt]{MaximumSize: keptPrompts})
}

// ListPrompts answers the featured templates, and to a member those that they have installed too.
func (a *Service) ListPrompts(ctx context.Context, c core.Caller, _ PromptsInput) (PromptList, error) {
	out := PromptList{Prompts: []Prompt{}}
	if err := a.Cache.wait(ctx); err != nil {
		return out, err
	}
	yes := true
	page, err := a.Cache.templates.Query(catalog.Query{Filter: catalog.Filter{Featured: &yes}, Limit: featuredPrompts, Viewer: c.Viewer()})
	if err != nil {
		return out, err
	}
	for _, hit := range page.Hits {
		if err := a.offer(ctx, &out, c, hit.Seq, false); err != nil {
			return out, err
		}
	}
	if c.Role != core.Public {
		rows, err := a.Store.Installations(ctx, c.UserID, 0, "", installedPrompts)
		if err != nil {
			return out, err
		}
		for _, row := range rows {
			if catalog.Kind(row.Kind) != catalog.KindTemplate {
				continue
			}
			if err := a.offer(ctx, &out, c, row.Seq, true); err != nil {
				return out, err
			}
		}
	}
	slices.SortFunc(out.Prompts, func(a, b Prompt) int { return cmp.Compare(a.Name, b.Name) })
	out.Count = len(out.Prompts)
	return out, nil
}

// PromptsStamp differs when what ListPrompts answers a caller may differ.
func (a *Service) PromptsStamp(ctx context.Context, c core.Caller) (string, error) {
	if err := a.Cache.wait(ctx); err != nil {
		return "", err
	}
	stamp := strconv.FormatUint(a.Cache.templates.ContentGeneration(), 36)
	if c.Role == core.Public {
		return stamp, nil
	}
	installed, err := a.Store.InstallationsStamp(ctx, c.UserID)
	return stamp + " " + installed, err
}

// offer adds a template that the caller may see, or marks it as installed when it is there already.
func (a *Service) offer(ctx context.Context, list *PromptList, c core.Caller, seq int64, installed bool) error {
	e, ok := a.Cache.templates.BySeq(seq)
	if !ok || !e.VisibleTo(c.Viewer()) {
		return nil
	}
	if i := slices.IndexFunc(list.Prompts, func(p Prompt) bool { return p.Name == e.ID }); i >= 0 {
		list.Prompts[i].Installed = list.Prompts[i].Installed || installed
		return nil
	}
	p, err := a.prompt(ctx, e, c.Locale)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil // gone meanwhile
	}
	p.Installed, p.Featured = installed, e.Featured
	list.Prompts = append(list.Prompts, p)
	return err
}

func (a *Service) prompt(ctx context.Context, e catalog.Entry, locale string) (Prompt, error) {
	key := promptKey{e.Seq, e.Version, locale}
	if p, ok := a.prompts.GetIfPresent(key); ok {
		return p, nil
	}
	version, err := a.Cache.Version(ctx, e.Seq, e.Version)
	if err != nil {
		return Prompt{}, err
	}
	text, _ := version.Document.Text(locale)
	p := Prompt{Name: e.ID, Title: text.Title, Description: text.Description, Version: e.Version, Arguments: []PromptArgument{}}
	for _, name := range prompting.Arguments(text.Prompt) {
		p.Arguments = append(p.Arguments, PromptArgument{name, true})
	}
	a.prompts.Set(key, p) // a version never changes
	return p, nil
}

// InstallPlanInput says what would be installed and how.
type InstallPlanInput struct {
	UserID           string `json:"user_id"`
	TemplateID       string `json:"template_id"`
	Locale           string `json:"locale"`
	SourcePreference string `json:"source_preference"`
	ForceReinstall   bool   `json:"force_reinstall"`
	Sections         string `json:"selected_sections"` // with commas between
}

// GetInstallPlan answers what an installation would do, and writes nothing.
func (a *Service) GetInstallPlan(ctx context.Context, c core.Caller, in InstallPlanInput) (InstallResult, error) {
	o := install.Options{Preflight: true, ForceReinstall: in.ForceReinstall, SourcePreference: in.SourcePreference}
	if in.Sections != "" {
		o.SelectedSections = strings.Split(in.Sections, ",")
	}
	return a.InstallTemplate(ctx, c, InstallInput{UserID: in.UserID, TemplateID: in.TemplateID, Locale: in.Locale, Options: o})
}
