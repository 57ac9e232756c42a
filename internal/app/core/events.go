package core

import (
	"encoding/json"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// AuditEntry is what an operation writes into the audit log.
type AuditEntry struct {
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

// NewAuditEvent makes the audit line of something a caller did.
func NewAuditEvent(tx *store.Tx, c Caller, h AuditEntry) store.Event {
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
		EventID: NewID(), At: clock.Micros(tx.Now), Actor: c.UserID, Owner: owner, Task: h.Task, Action: h.Action, Kind: string(h.Kind),
		ItemID: h.ItemID, TargetID: h.Target, OK: !h.Failed, Status: h.Status, Detail: detail, RequestID: c.RequestID,
	}
}
