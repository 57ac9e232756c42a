package member

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"stoa/client/contract"
	"stoa/internal/cli"
	"stoa/internal/platform/errs"
)

type notificationsCmd struct {
	List    notificationListCmd    `cmd:"" default:"withargs" help:"Show where you are told of what."`
	Recent  notificationRecentCmd  `cmd:"" help:"List what you were told, newest first."`
	Set     notificationSetCmd     `cmd:"" help:"Choose where you are told of one kind of news."`
	Feed    notificationFeedCmd    `cmd:"" help:"Make a private Atom feed of your notifications, or a new address for it."`
	Mail    notificationMailCmd    `cmd:"" help:"Set the address that mail goes to; a code is sent there."`
	Confirm notificationConfirmCmd `cmd:"" help:"Confirm the mail address with the code that was sent there."`
	Webhook notificationWebhookCmd `cmd:"" help:"Set the address that a signed webhook is sent to."`
}

type notificationListCmd struct {
	ServerFlags
}

// Run shows the choices.
func (c *notificationListCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	choices, err := contract.New(server).GetNotificationChoices(ctx, contract.GetNotificationChoicesParams{})
	if err != nil {
		return err
	}
	return o.Print(choices, func(w io.Writer) {
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "NEWS\tTOLD BY")
		for _, kind := range choices.Kinds {
			fmt.Fprintf(t, "%s\t%s\n", cli.Printable(kind.Kind), waysOf(kind))
		}
		t.Flush()
		mail := cmp.Or(choices.MailTo, "no address")
		if choices.MailTo != "" && !choices.MailConfirmed {
			mail += ", not confirmed"
		}
		if !choices.MailOffered {
			mail = "this server sends none"
		}
		fmt.Fprintf(w, "Mail: %s\nWebhook: %s\n", cli.Printable(mail), cli.Printable(cmp.Or(choices.WebhookURL, "none")))
		for _, problem := range []string{choices.MailProblem, choices.WebhookProblem} {
			if problem != "" {
				fmt.Fprintf(w, "The latest did not arrive: %s\n", cli.Printable(problem))
			}
		}
	})
}

// ways are the names of where one is told.
var ways = []string{"page", "feed", "mail", "webhook"}

func waysOf(kind contract.NotificationKind) string {
	var on []string
	for i, is := range []bool{kind.Page, kind.Feed, kind.Mail, kind.Webhook} {
		if is {
			on = append(on, ways[i])
		}
	}
	return cmp.Or(strings.Join(on, ", "), "nothing")
}

type notificationSetCmd struct {
	Kind string   `arg:"" name:"news" help:"The kind of news, as the list names it."`
	Ways []string `arg:"" help:"page, feed, mail and webhook, or nothing."`
	ServerFlags
}

// Run chooses.
func (c *notificationSetCmd) Run(ctx context.Context, o cli.Output) error {
	if len(c.Ways) == 1 && c.Ways[0] == "nothing" {
		c.Ways = nil
	}
	for _, way := range c.Ways {
		if !slices.Contains(ways, way) {
			return errs.Newf(errs.InvalidRequest, "%q is not one of %s or nothing.", way, strings.Join(ways, ", "))
		}
	}
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	has := func(way string) bool { return slices.Contains(c.Ways, way) }
	kind := contract.NotificationKind{Kind: c.Kind, Page: has("page"), Feed: has("feed"), Mail: has("mail"), Webhook: has("webhook")}
	chosen, err := contract.New(server).SetNotificationWays(ctx, contract.NotificationWaysRequest{Kinds: []contract.NotificationKind{kind}})
	if err != nil {
		return err
	}
	return o.Print(chosen, func(w io.Writer) { fmt.Fprintf(w, "%s: %s.\n", cli.Printable(c.Kind), waysOf(kind)) })
}

type notificationRecentCmd struct {
	Limit int64 `help:"At most so many, 200 at most." default:"20"`
	ServerFlags
}

// Run lists.
func (c *notificationRecentCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	list, err := contract.New(server).ListNotifications(ctx, contract.ListNotificationsParams{Limit: &c.Limit})
	if err != nil {
		return err
	}
	return o.Print(list, func(w io.Writer) {
		if len(list.Events) == 0 {
			fmt.Fprintln(w, "You have no notifications.")
			return
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		for _, one := range list.Events {
			fmt.Fprintf(t, "%s\t%s\t%s\n", cli.Printable(one.At), cli.Printable(one.Target), cli.Printable(one.Message))
		}
		t.Flush()
	})
}

type notificationFeedCmd struct {
	Off bool `help:"End the feed; its address answers nothing any more."`
	ServerFlags
}

// Run makes or ends the feed.
func (c *notificationFeedCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	made, err := contract.New(server).RenewNotificationFeed(ctx, contract.NotificationFeedRequest{On: !c.Off})
	if err != nil {
		return err
	}
	return o.Print(made, func(w io.Writer) {
		if c.Off {
			fmt.Fprintln(w, "The feed has ended.")
			return
		}
		fmt.Fprintln(w, cli.Printable(made.URL))
		fmt.Fprintln(o.Err, "Shown once; whoever has the address reads your notifications. An earlier address no longer works.")
	})
}

type notificationMailCmd struct {
	Address string `arg:"" optional:"" help:"Your mail address."`
	Off     bool   `help:"Send no mail any more."`
	ServerFlags
}

// Run sets the address, or removes it.
func (c *notificationMailCmd) Run(ctx context.Context, o cli.Output) error {
	if c.Off == (c.Address != "") {
		return errs.Newf(errs.InvalidRequest, "Give the mail address, or --off to remove it.")
	}
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	set, err := contract.New(server).SetNotificationMail(ctx, contract.NotificationMailRequest{Address: c.Address})
	if err != nil {
		return err
	}
	return o.Print(set, func(w io.Writer) {
		switch {
		case c.Off:
			fmt.Fprintln(w, "No mail is sent any more.")
		case set.MailConfirmed:
			fmt.Fprintf(w, "Mail goes to %s.\n", cli.Printable(set.MailTo))
		default:
			fmt.Fprintf(w, "A code was sent to %s. Confirm it: stoa account notifications confirm CODE\n", cli.Printable(set.MailTo))
		}
	})
}

type notificationConfirmCmd struct {
	Code string `arg:"" help:"The eight digits of the mail."`
	ServerFlags
}

// Run confirms.
func (c *notificationConfirmCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	set, err := contract.New(server).ConfirmNotificationMail(ctx, contract.ConfirmMailRequest{Code: c.Code})
	if err != nil {
		return err
	}
	return o.Print(set, func(w io.Writer) {
		fmt.Fprintf(w, "Confirmed: %s. Choose what is mailed: stoa account notifications set NEWS page mail\n", cli.Printable(set.MailTo))
	})
}

type notificationWebhookCmd struct {
	URL string `arg:"" optional:"" help:"The address; it must be reachable from the server."`
	Off bool   `help:"Send no webhook any more."`
	ServerFlags
}

// Run sets the webhook, or removes it.
func (c *notificationWebhookCmd) Run(ctx context.Context, o cli.Output) error {
	if c.Off == (c.URL != "") {
		return errs.Newf(errs.InvalidRequest, "Give the address of the webhook, or --off to remove it.")
	}
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	made, err := contract.New(server).SetNotificationWebhook(ctx, contract.NotificationWebhookRequest{URL: c.URL})
	if err != nil {
		return err
	}
	return o.Print(made, func(w io.Writer) {
		if c.Off {
			fmt.Fprintln(w, "No webhook is sent any more.")
			return
		}
		fmt.Fprintln(w, cli.Printable(made.Secret))
		fmt.Fprintln(o.Err, "Shown once: the secret that every webhook is signed with.")
	})
}
