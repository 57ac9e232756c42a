package browse

import (
	"cmp"
	"context"

	"stoa/internal/app/core"
	"stoa/internal/market/apply"
	"stoa/internal/market/catalog"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/export"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// BotObjectsInput names an item that a member's page is to put into their running bot. Version "" is the latest.
type BotObjectsInput struct {
	UserID  string `json:"user_id"`
	ItemID  string `json:"item_id"`
	Version string `json:"version"`
	Locale  string `json:"locale"`
	With    string `json:"with"` // none, providers, config or all
}

// BotObjects is what an item brings into a running bot. The plan is made in the member's browser: nothing of the bot comes
// here, neither its texts nor its address nor its key.
type BotObjects struct {
	ItemID       string           `json:"item_id"`
	Kind         string           `json:"kind"`
	Version      string           `json:"version"`
	SHA256       string           `json:"sha256"`
	Locale       string           `json:"locale"` // the language of a template's prompt
	RiskLevel    string           `json:"risk_level"`
	WarningFlags []string         `json:"warning_flags"`
	Reach        disclosure.Reach `json:"reach"`
	Objects      []BotObject      `json:"objects"`
	Left         []export.Loss    `json:"left"`
}

// BotObject is one object with its value as JSON.
type BotObject struct {
	Kind  apply.Kind `json:"kind"`
	ID    string     `json:"id"`
	Value string     `json:"value"`
}

// GetBotObjects answers what a published item brings into a running bot: personas, skills and MCP servers, and
// models and settings of a pack where the member asks for them.
func (a *Service) GetBotObjects(ctx context.Context, c core.Caller, in BotObjectsInput) (BotObjects, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return BotObjects{}, err
	}
	if in.ItemID == "" {
		return BotObjects{}, errs.Invalid("item_id", "is missing")
	}
	v, e, kind, err := a.VersionFor(ctx, c.As(userID), in.ItemID, in.Version)
	if err != nil {
		return BotObjects{}, err
	}
	d := &v.Document
	out := BotObjects{
		ItemID: d.ID, Kind: string(kind), Version: d.Version, SHA256: Preferred(v, "").SHA256, Locale: c.Locale,
		RiskLevel: e.RiskLevel, WarningFlags: append([]string{}, e.WarningFlags...),
		Reach: disclosure.Report{}.Reach(), Objects: []BotObject{}, Left: []export.Loss{},
	}
	objects, left, err := a.broughtBy(ctx, c.As(userID), v, in.wants(), &out.Reach)
	if err != nil {
		return BotObjects{}, err
	}
	size := 0
	for _, o := range objects {
		size += len(o.Value)
		out.Objects = append(out.Objects, BotObject{o.Kind, o.ID, string(o.Value)})
	}
	if size > maxExport {
		return BotObjects{}, errs.Newf(errs.InvalidRequest, "What it brings is larger than %d MiB. `stoa apply` puts it into the bot from your own machine.", maxExport>>20)
	}
	out.Left = append(out.Left, left...)
	return out, a.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Action: "item.exported", Kind: kind, ItemID: e.ID, Status: "ok", Detail: map[string]any{"version": d.Version, "format": "astrbot"},
		}))
	})
}

func (in *BotObjectsInput) wants() apply.Wants {
	return apply.Wants{Providers: in.With == "providers" || in.With == "all", Config: in.With == "config" || in.With == "all"}
}

// broughtBy reads what a version brings, and how far the bot reaches by it.
func (a *Service) broughtBy(ctx context.Context, c core.Caller, v *CachedVersion, wants apply.Wants, reach *disclosure.Reach) ([]apply.Object, []export.Loss, error) {
	if v.Document.Kind == catalog.KindTemplate {
		text, _ := v.Document.Text(c.Locale)
		return apply.Template(cmp.Or(text.Title, v.Document.ID), text.Prompt)
	}
	done, err := a.Inspect(ctx, c.UserID)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	sections, err := a.SectionsOf(ctx, v, Preferred(v, "").SHA256)
	if err != nil {
		return nil, nil, err
	}
	if sections, err = a.Masked(sections); err != nil {
		return nil, nil, err
	}
	objects, left, found, err := apply.OfSections(sections, wants)
	*reach = found
	return objects, left, err
}
