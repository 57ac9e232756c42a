package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/mail"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
	"stoa/internal/platform/webhook"
)

// Bounds of where members are told.
const (
	mailCodesPerDay = 5 // to addresses that may be a stranger's
	mailCodeTries   = 10
	mailCodeWindow  = time.Hour
	// FeedPath is where members' feeds are.
	FeedPath = "/notifications.atom"
	feedMost = 50
)

// NotificationKind is where a member is told of one kind.
type NotificationKind struct {
	Kind string `json:"kind"`
	core.Ways
}

// NotificationChoices are where a member is told of what.
type NotificationChoices struct {
	UserID string             `json:"user_id"`
	Kinds  []NotificationKind `json:"kinds"`
	Locale string             `json:"locale"`
	// MailOffered tells whether this server sends mails.
	MailOffered    bool   `json:"mail_offered"`
	MailTo         string `json:"mail_to"`
	MailConfirmed  bool   `json:"mail_confirmed"`
	MailProblem    string `json:"mail_problem"`
	WebhookURL     string `json:"webhook_url"`
	WebhookProblem string `json:"webhook_problem"`
	HasFeed        bool   `json:"has_feed"`
}

// GetNotificationChoices answers where the caller is told of what.
func (a *Accounts) GetNotificationChoices(ctx context.Context, c core.Caller, in AccountInput) (NotificationChoices, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return NotificationChoices{}, err
	}
	choice, err := a.choice(ctx, a.Store.Queries, userID)
	if err != nil {
		return NotificationChoices{}, err
	}
	out := NotificationChoices{
		UserID: userID, Kinds: kindsOf(choice), Locale: choice.Locale, MailOffered: a.Mail != nil, MailTo: choice.MailTo, MailConfirmed: choice.MailConfirmed,
		WebhookURL: choice.WebhookURL, HasFeed: choice.FeedHash != "",
	}
	if out.MailProblem, err = a.Store.DeliveryProblem(ctx, userID, core.WayMail); err != nil {
		return out, err
	}
	out.WebhookProblem, err = a.Store.DeliveryProblem(ctx, userID, core.WayWebhook)
	return out, err
}

func (a *Accounts) choice(ctx context.Context, q store.Queries, userID string) (memberdb.NotificationChoice, error) {
	choice, err := q.NotificationChoice(ctx, userID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return memberdb.NotificationChoice{UserID: userID, Ways: "{}", Locale: "en-US"}, nil
	}
	return choice, err
}

func kindsOf(choice memberdb.NotificationChoice) []NotificationKind {
	kinds := make([]NotificationKind, 0, len(core.NotificationKinds))
	for _, kind := range core.NotificationKinds {
		kinds = append(kinds, NotificationKind{kind, core.WaysOf(choice, kind)})
	}
	return kinds
}

// changeChoice changes where the caller is told, with an audit event.
func (a *Accounts) changeChoice(ctx context.Context, c core.Caller, userID, action string, change func(*store.Tx, *memberdb.NotificationChoice) error) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		choice, err := a.choice(ctx, tx.Queries, userID)
		if err == nil {
			err = change(tx, &choice)
		}
		if err == nil {
			err = tx.SetNotificationChoice(choice)
		}
		if err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: action, Status: "ok"}))
	})
}

// NotificationWaysInput says where the caller wants to be told of some kinds.
type NotificationWaysInput struct {
	UserID string             `json:"user_id"`
	Kinds  []NotificationKind `json:"kinds"`
	Locale string             `json:"locale"`
}

// NotificationWays are where a member is told of each kind.
type NotificationWays struct {
	UserID string             `json:"user_id"`
	Kinds  []NotificationKind `json:"kinds"`
}

// SetNotificationWays chooses where the caller is told of some kinds; the others stay as they are.
func (a *Accounts) SetNotificationWays(ctx context.Context, c core.Caller, in NotificationWaysInput) (NotificationWays, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return NotificationWays{}, err
	}
	out := NotificationWays{UserID: userID}
	err = a.changeChoice(ctx, c, userID, "notifications.ways_set", func(_ *store.Tx, choice *memberdb.NotificationChoice) error {
		chosen := map[string]core.Ways{}
		for _, k := range kindsOf(*choice) {
			chosen[k.Kind] = k.Ways
		}
		for _, k := range in.Kinds {
			if !slices.Contains(core.NotificationKinds, k.Kind) {
				return errs.Invalid("kinds", "names a kind that there is not")
			}
			chosen[k.Kind] = k.Ways
		}
		text, err := json.Marshal(chosen)
		if choice.Ways = string(text); in.Locale != "" {
			choice.Locale = in.Locale
		}
		out.Kinds = kindsOf(*choice)
		return err
	})
	return out, err
}

// NotificationFeedInput says whether the caller wants a feed.
type NotificationFeedInput struct {
	UserID string `json:"user_id"`
	On     bool   `json:"on"`
}

// NotificationFeed has the address of a feed, which is shown this once; "" for none.
type NotificationFeed struct {
	UserID string `json:"user_id"`
	URL    string `json:"url"`
}

// RenewNotificationFeed gives the caller's feed a new address and ends the earlier one, or ends it.
func (a *Accounts) RenewNotificationFeed(ctx context.Context, c core.Caller, in NotificationFeedInput) (NotificationFeed, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return NotificationFeed{}, err
	}
	out := NotificationFeed{UserID: userID}
	err = a.changeChoice(ctx, c, userID, "notifications.feed_renewed", func(_ *store.Tx, choice *memberdb.NotificationChoice) error {
		choice.FeedHash, out.URL = "", ""
		if in.On {
			token := account.NewToken()
			choice.FeedHash, out.URL = account.TokenHash(token), c.Origin+FeedPath+"?token="+token
		}
		return nil
	})
	return out, err
}

// FeedOf gives whose feed has a token, and what is in it, newest first.
func (a *Accounts) FeedOf(ctx context.Context, token string) (userID string, all []core.Notification, err error) {
	choice, err := a.Store.FeedOwner(ctx, account.TokenHash(token))
	if errors.Is(err, sqldb.ErrNotFound) {
		return "", nil, errs.New(errs.NotFound, "There is no such feed. Its address may have been renewed.")
	}
	if err != nil {
		return "", nil, err
	}
	rows, err := a.Store.FeedNotifications(ctx, choice.UserID, feedMost)
	for _, n := range rows {
		all = append(all, core.Notification{ID: n.ID, At: clock.Text(clock.FromMicros(n.At)), Kind: n.Kind, Target: n.Target, Message: n.Message})
	}
	return choice.UserID, all, err
}

// NotificationMailInput names where mails go; "" is nowhere.
type NotificationMailInput struct {
	UserID  string `json:"user_id"`
	Address string `json:"address"`
	Code    string `json:"code"`
}

// NotificationMail is where mails go.
type NotificationMail struct {
	UserID    string `json:"user_id"`
	MailTo    string `json:"mail_to"`
	Confirmed bool   `json:"mail_confirmed"`
}

// SetNotificationMail names where the caller's mails go. Until they give the code that is sent there, nothing else is.
func (a *Accounts) SetNotificationMail(ctx context.Context, c core.Caller, in NotificationMailInput) (NotificationMail, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return NotificationMail{}, err
	}
	out := NotificationMail{UserID: userID, MailTo: in.Address}
	if in.Address != "" {
		if a.Mail == nil {
			return out, errs.New(errs.PermissionDenied, "This server sends no mails. Its operator can set a mail server.").With("error", string(errs.PermissionDenied))
		}
		if _, err := mail.Address(in.Address); err != nil {
			return out, errs.Invalid("address", "is not a mail address such as ada@example.org")
		}
		if err := a.spendBudget(ctx, "Enough codes were sent today. Try again tomorrow.", budget{"mailcode\x1f" + userID, mailCodesPerDay, 24 * time.Hour}); err != nil {
			return out, err
		}
	}
	n, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil {
		return out, err
	}
	code := fmt.Sprintf("%08d", n)
	err = a.changeChoice(ctx, c, userID, "notifications.mail_set", func(tx *store.Tx, choice *memberdb.NotificationChoice) error {
		choice.MailTo, choice.MailConfirmed, choice.MailCodeHash = in.Address, false, ""
		if in.Address == "" {
			return nil
		}
		choice.MailCodeHash = account.TokenHash(userID + "\x1f" + code)
		return tx.AddDelivery(memberdb.Delivery{ID: core.NewID(), UserID: userID, Way: core.WayMail, Recipient: in.Address, Kind: mailCode, Message: code, At: clock.Micros(tx.Now)})
	})
	return out, err
}

// mailCode is the kind of the mail that asks whether an address is the member's.
const mailCode = "mail_code"

// ConfirmNotificationMail proves by the code that was sent that the address is the caller's.
func (a *Accounts) ConfirmNotificationMail(ctx context.Context, c core.Caller, in NotificationMailInput) (NotificationMail, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return NotificationMail{}, err
	}
	if err := a.spendBudget(ctx, "Too many wrong codes. Try again in an hour.", budget{"mailcodetry\x1f" + userID, mailCodeTries, mailCodeWindow}); err != nil {
		return NotificationMail{}, err
	}
	out := NotificationMail{UserID: userID, Confirmed: true}
	err = a.changeChoice(ctx, c, userID, "notifications.mail_confirmed", func(_ *store.Tx, choice *memberdb.NotificationChoice) error {
		hash := account.TokenHash(userID + "\x1f" + in.Code)
		if choice.MailCodeHash == "" || subtle.ConstantTimeCompare([]byte(hash), []byte(choice.MailCodeHash)) != 1 {
			return errs.Invalid("code", "is not the code that was sent last")
		}
		choice.MailConfirmed, choice.MailCodeHash, out.MailTo = true, "", choice.MailTo
		return nil
	})
	return out, err
}

// NotificationWebhookInput names where messages go; "" is nowhere.
type NotificationWebhookInput struct {
	UserID string `json:"user_id"`
	URL    string `json:"url"`
}

// NotificationWebhook is where messages go, and what they are signed with; Secret is shown this once.
type NotificationWebhook struct {
	UserID string `json:"user_id"`
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

// SetNotificationWebhook names where the caller's messages go, with a new secret.
func (a *Accounts) SetNotificationWebhook(ctx context.Context, c core.Caller, in NotificationWebhookInput) (NotificationWebhook, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return NotificationWebhook{}, err
	}
	out := NotificationWebhook{UserID: userID, URL: in.URL}
	if in.URL != "" {
		if err := webhook.CheckURL(in.URL, a.PrivateWebhooks); err != nil {
			return out, errs.Invalid("url", err.Error())
		}
		out.Secret = webhook.NewSecret()
	}
	err = a.changeChoice(ctx, c, userID, "notifications.webhook_set", func(_ *store.Tx, choice *memberdb.NotificationChoice) error {
		choice.WebhookURL, choice.WebhookSecret = out.URL, out.Secret
		return nil
	})
	return out, err
}
