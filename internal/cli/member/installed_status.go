package member

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"stoa/client"
	"stoa/client/contract"
	"stoa/internal/cli"
	"stoa/internal/market/apply"
)

// Upkeep is how something that the member has compares with the catalog.
type Upkeep struct {
	Item       string   `json:"item"`
	Version    string   `json:"version"`
	Latest     string   `json:"latest,omitempty"`
	Status     string   `json:"status"` // current, outdated, pinned, waiting, withdrawn, taken_down, changed or judged_again
	Until      string   `json:"until,omitempty"`
	Since      string   `json:"since,omitempty"`  // of withdrawn, taken_down and judged_again
	Reason     string   `json:"reason,omitempty"` // likewise
	RiskBefore string   `json:"risk_before,omitempty"`
	RiskLevel  string   `json:"risk_level,omitempty"` // of the member's version
	Warnings   []string `json:"warning_flags,omitempty"`
	update     bool     // an update of all takes the latest version
}

// The statuses.
const (
	isCurrent   = "current"
	isOutdated  = "outdated"
	isPinned    = "pinned"
	isWaiting   = "waiting"
	isWithdrawn = "withdrawn"    // the catalog no longer has the item
	isTakenDown = "taken_down"   // the catalog no longer has this version
	isChanged   = "changed"      // the catalog has other bytes under this version
	isJudged    = "judged_again" // the risk of this version is another than it was
)

// Bad tells whether the member should act for their safety.
func (u *Upkeep) Bad() bool {
	return u.Status == isWithdrawn || u.Status == isTakenDown || u.Status == isChanged || u.Status == isJudged && u.RiskLevel != "low"
}

// Sentence says the status to people, with the ways back.
func (u *Upkeep) Sentence(remove, replace string) string {
	switch u.Status {
	case isOutdated:
		return "version " + u.Latest + " is out"
	case isPinned:
		return "version " + u.Latest + " is out; pinned"
	case isWaiting:
		return "version " + u.Latest + " is out; it waits until " + u.Until
	case isWithdrawn:
		return "WITHDRAWN from the catalog" + u.why() + "; " + remove
	case isTakenDown:
		return "THIS VERSION WAS TAKEN DOWN" + u.why() + "; " + replace
	case isChanged:
		return "THE CATALOG HAS OTHER BYTES under this version; do not trust it before you asked the operator"
	case isJudged:
		if u.Latest != u.Version {
			remove = replace + ", " + remove
		}
		return fmt.Sprintf("JUDGED AGAIN: its risk was %s and is %s%s; %s", u.RiskBefore, u.RiskLevel, u.why(), remove)
	}
	return "current"
}

// why is when and why, as far as that is known.
func (u *Upkeep) why() string {
	out := ""
	if at, err := time.Parse(time.RFC3339, u.Since); err == nil {
		out = " on " + at.UTC().Format(time.DateOnly)
	}
	if u.Reason != "" {
		out += " (" + u.Reason + ")"
	}
	return out
}

// Look compares something that the member has with the catalog. known is what the server says of what they have installed.
func Look(ctx context.Context, server *client.Client, i apply.Installed, hold apply.Hold, known map[string]contract.Installation) (Upkeep, error) {
	u := Upkeep{Item: i.ID, Version: i.Version, Status: isCurrent}
	notice := known[i.ID]
	item, err := server.Template(ctx, i.ID)
	if i.Kind == "profile_pack" {
		item, err = server.ProfilePack(ctx, i.ID)
	}
	if code := client.CodeOf(err); code == "template_not_found" || code == "profile_pack_not_published" {
		u.Status, u.Since, u.Reason = isWithdrawn, notice.NoticeAt, notice.NoticeReason
		return u, nil
	}
	if err != nil {
		return u, err
	}
	u.Latest, u.RiskLevel, u.Warnings = item.Version, item.RiskOf(i.Version), item.WarningFlags
	u.age(item, hold)
	digest := item.Digest(i.Version)
	switch {
	case !item.Has(i.Version) && len(item.Versions) > 0:
		u.Status, u.update = isTakenDown, true
		for _, w := range item.Withdrawn {
			if w.Version == i.Version {
				u.Since, u.Reason = w.At, w.Note
			}
		}
	case digest != "" && digest != i.SHA256:
		u.Status, u.update = isChanged, false
	case notice.Version == i.Version && notice.Notice == isJudged:
		u.Status, u.RiskBefore, u.RiskLevel, u.Since, u.Reason = isJudged, notice.RiskBefore, notice.RiskLevel, notice.NoticeAt, notice.NoticeReason
	case notice.Version != i.Version && i.Risk != "" && u.RiskLevel != "" && i.Risk != u.RiskLevel: // the server does not know that the member has this version
		u.Status, u.RiskBefore = isJudged, i.Risk
	}
	return u, nil
}

// age compares a version with the latest, by the hold on the item.
func (u *Upkeep) age(item client.Item, hold apply.Hold) {
	if item.Version == u.Version {
		return
	}
	if u.Status = isPinned; hold.Pin {
		return
	}
	u.Status, u.update = isOutdated, true
	for _, v := range item.Versions {
		at, err := time.Parse(time.RFC3339, v.PublishedAt)
		if ready := at.AddDate(0, 0, hold.Wait); v.Version == item.Version && err == nil && hold.Wait > 0 && time.Now().Before(ready) {
			u.Status, u.Until, u.update = isWaiting, ready.UTC().Format(time.DateOnly), false
		}
	}
}

// Noticed is what the server says of what the member has installed, by item; nothing when it cannot be asked, since every
// command goes on without.
func Noticed(ctx context.Context, server *client.Client) map[string]contract.Installation {
	out := map[string]contract.Installation{}
	if server == nil {
		return out
	}
	list, err := cli.Listed(func(cursor string) ([]contract.Installation, string, error) {
		page, err := contract.New(server).ListMemberInstallations(ctx, contract.ListMemberInstallationsParams{Limit: new(int64(200)), Cursor: cursor})
		return page.Installations, page.NextCursor, err
	})
	if err != nil {
		return out
	}
	for _, i := range list {
		out[i.TemplateID] = i
	}
	return out
}

// warn says what became of things that the member has installed, each once, on whatever command comes to the server next.
func warn(ctx context.Context, o cli.Output, server *client.Client) {
	file, err := credentialsFile()
	if err != nil || server == nil {
		return
	}
	file = filepath.Join(filepath.Dir(file), "noticed.json")
	said := map[string]string{}
	if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &said) != nil {
		said = map[string]string{}
	}
	fresh := false
	for id, i := range Noticed(ctx, server) {
		key, now := server.URL()+" "+id, i.Notice+" "+i.NoticeAt
		if i.Notice == "" || said[key] == now {
			continue
		}
		said[key], fresh = now, true
		u := Upkeep{Item: id, Version: i.Version, Latest: i.Version, Status: i.Notice, Since: i.NoticeAt, Reason: i.NoticeReason, RiskBefore: i.RiskBefore, RiskLevel: i.RiskLevel}
		if i.Notice == isWithdrawn && i.Published { // others of its versions stand
			u.Status = isTakenDown
		}
		fmt.Fprintf(o.Err, "stoa: %s %s, which you have installed: %s\n", cli.Printable(id), cli.Printable(i.Version),
			cli.Printable(u.Sentence("`stoa apply --remove "+id+"` takes it out of a bot, `stoa verify --installed DIR` looks at a folder",
				"`stoa update "+id+"` puts version "+i.LatestVersion+" in its place in a bot, `stoa install "+id+" DIR` in a folder")))
	}
	if text, err := json.Marshal(said); err == nil && fresh {
		_ = os.WriteFile(file, text, 0o600) // it is said again otherwise
	}
}
