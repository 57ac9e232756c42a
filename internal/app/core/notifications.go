package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// The kinds of notification.
const (
	ToldApproved = "submission_approved"
	ToldRejected = "submission_rejected"
	ToldUpdate   = "update_available"
	ToldExpired  = "trial_expired"
	// ToldWithdrawn: what the member has installed is no longer in the catalog.
	ToldWithdrawn = "item_withdrawn"
	ToldVerdict   = "verdict_changed"
	// What others say of an item: its owner is told of a new rating, who rated of an answer, or that it was hidden.
	ToldRated    = "rating_received"
	ToldAnswered = "rating_answered"
	ToldHidden   = "rating_hidden"
	// ToldMessage: a reviewer has written about a submission.
	ToldMessage = "submission_message"
)

// Notification is a word to a member.
type Notification struct {
	ID      string `json:"id"`
	At      string `json:"at"`
	Kind    string `json:"kind"`
	Target  string `json:"target"`
	Message string `json:"message"`
	// ItemKind and SubmissionID say what it leads to, "" for none.
	ItemKind     catalog.Kind `json:"item_kind"`
	SubmissionID string       `json:"submission_id"`
}

// NotificationList is a page of notifications.
type NotificationList struct {
	Events     []Notification `json:"events"`
	Count      int            `json:"count"`
	NextCursor string         `json:"next_cursor"`
}

// ListNotifications answers the caller's own notifications, newest first.
func (a *Core) ListNotifications(ctx context.Context, c Caller, in PageInput) (NotificationList, error) {
	userID, err := c.Allowlisted(in.UserID)
	if err != nil {
		return NotificationList{}, err
	}
	before, err := ParseIDCursor(in.Cursor)
	if err != nil {
		return NotificationList{}, err
	}
	rows, err := a.Store.Notifications(ctx, userID, before, in.Size()+1)
	if err != nil {
		return NotificationList{}, err
	}
	out := NotificationList{Events: []Notification{}}
	if len(rows) > in.Size() {
		rows = rows[:in.Size()]
		out.NextCursor = rows[len(rows)-1].ID
	}
	for _, n := range rows {
		out.Events = append(out.Events, Notification{n.ID, clock.Text(clock.FromMicros(n.At)), n.Kind, n.Target, n.Message, catalog.Kind(n.ItemKind), n.SubmissionID})
	}
	out.Count = len(out.Events)
	return out, nil
}

// About is what a notification leads to: an item, or what a member has submitted.
type About struct {
	ItemID       string
	Kind         catalog.Kind
	SubmissionID string
}

// Page is where it is, as an address of the pages.
func (a About) Page() string {
	switch {
	case a.SubmissionID != "":
		return "/member?" + url.Values{"view": {"submissions"}, "kind": {string(a.Kind)}, "submission": {a.SubmissionID}}.Encode()
	case a.Kind == catalog.KindProfilePack:
		return "/market?" + url.Values{"pack": {a.ItemID}}.Encode()
	case a.Kind == catalog.KindTemplate:
		return "/market?" + url.Values{"item": {a.ItemID}}.Encode()
	}
	return "/member?view=notifications"
}

// Notify leaves a member a notification, and has it sent where they want it.
func Notify(tx *store.Tx, userID, kind string, about About, message string, args ...any) error {
	choice, err := tx.OwnNotificationChoice(userID)
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return err
	}
	ways := WaysOf(choice, kind)
	n := memberdb.Notification{
		ID: NewID(), UserID: userID, At: clock.Micros(tx.Now), Kind: kind, Target: about.ItemID, Message: fmt.Sprintf(message, args...),
		ItemKind: string(about.Kind), SubmissionID: about.SubmissionID, InPage: ways.Page, InFeed: ways.Feed,
	}
	if err := tx.AddNotification(n); err != nil {
		return err
	}
	d := memberdb.Delivery{UserID: userID, Kind: kind, Target: about.ItemID, Message: n.Message, Page: about.Page(), At: n.At}
	if ways.Mail && choice.MailConfirmed {
		d.ID, d.Way, d.Recipient = NewID(), WayMail, choice.MailTo
		if err := tx.AddDelivery(d); err != nil {
			return err
		}
	}
	if ways.Webhook && choice.WebhookURL != "" {
		d.ID, d.Way, d.Recipient = NewID(), WayWebhook, choice.WebhookURL
		return tx.AddDelivery(d)
	}
	return nil
}

// The ways in which something is sent.
const (
	WayMail    = "mail"
	WayWebhook = "webhook"
)

// NotificationKinds lists the kinds of notification, as pages show them.
var NotificationKinds = []string{ToldApproved, ToldRejected, ToldMessage, ToldUpdate, ToldWithdrawn, ToldVerdict, ToldExpired, ToldRated, ToldAnswered, ToldHidden}

// Ways say where a member is told of a kind.
type Ways struct {
	Page    bool `json:"page"`
	Feed    bool `json:"feed"`
	Mail    bool `json:"mail"`
	Webhook bool `json:"webhook"`
}

// WaysOf says where a member is told of a kind: on pages and in their feed, where they have chosen nothing.
func WaysOf(choice memberdb.NotificationChoice, kind string) Ways {
	chosen := map[string]Ways{}
	if choice.Ways != "" && json.Unmarshal([]byte(choice.Ways), &chosen) == nil {
		if ways, ok := chosen[kind]; ok {
			return ways
		}
	}
	return Ways{Page: true, Feed: true}
}
