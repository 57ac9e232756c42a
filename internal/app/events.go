package app

import (
	"encoding/json"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// happened is what an operation writes into the audit log.
type happened struct {
	Owner  string // whose doing it is; "" means the caller
	Task   bool   // shown to the owner among their tasks
	Action string
	Kind   catalog.Kind
	ItemID string
	Target string
	Failed bool
	Status string
	Detail map[string]any
}

// event makes the audit line of something a caller did.
func event(tx *store.Tx, c Caller, h happened) store.Event {
	owner := h.Owner
	if owner == "" {
		owner = c.UserID
	}
	detail := "{}"
	if len(h.Detail) > 0 {
		if b, err := json.Marshal(h.Detail); err == nil {
			detail = string(b)
		}
	}
	return store.Event{
		EventID: newID(), At: clock.Micros(tx.Now), Actor: c.UserID, Owner: owner, Task: h.Task, Action: h.Action, Kind: string(h.Kind),
		ItemID: h.ItemID, TargetID: h.Target, OK: !h.Failed, Status: h.Status, Detail: detail, RequestID: c.RequestID,
	}
}

// failure is the audit line of an upload that came to nothing. of.itemID must be fit for the log: see loggable.
func failure(tx *store.Tx, c Caller, of uploadOf, action string, kind catalog.Kind, jobID string, code errs.Code) store.Event {
	return event(tx, c, happened{
		Owner: of.userID, Task: true, Action: action, Kind: kind, ItemID: of.itemID, Target: jobID, Failed: true, Status: "failed",
		Detail: map[string]any{"error": string(code), "filename": of.filename},
	})
}
