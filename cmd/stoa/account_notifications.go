package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"stoa/client/contract"
	"stoa/internal/platform/errs"
)

type notificationsCmd struct {
	List notificationListCmd `cmd:"" default:"withargs" help:"Show where you are told of what."`
	Set  notificationSetCmd  `cmd:"" help:"Choose where you are told of one kind of news."`
}

type notificationListCmd struct {
	serverFlags
}

// Run shows the choices.
func (c *notificationListCmd) Run(ctx context.Context, o output) error {
	server, err := c.connect(o)
	if err != nil {
		return err
	}
	choices, err := contract.New(server).GetNotificationChoices(ctx, contract.GetNotificationChoicesParams{})
	if err != nil {
		return err
	}
	return o.print(choices, func(w io.Writer) {
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "NEWS\tTOLD BY")
		for _, kind := range choices.Kinds {
			fmt.Fprintf(t, "%s\t%s\n", printable(kind.Kind), waysOf(kind))
		}
		t.Flush()
		mail := either(choices.MailTo, "no address")
		if choices.MailTo != "" && !choices.MailConfirmed {
			mail += ", not confirmed"
		}
		if !choices.MailOffered {
			mail = "this server sends none"
		}
		fmt.Fprintf(w, "Mail: %s\nWebhook: %s\n", printable(mail), printable(either(choices.WebhookURL, "none")))
		for _, problem := range []string{choices.MailProblem, choices.WebhookProblem} {
			if problem != "" {
				fmt.Fprintf(w, "The latest did not arrive: %s\n", printable(problem))
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
	return either(strings.Join(on, ", "), "nothing")
}

type notificationSetCmd struct {
	Kind string   `arg:"" name:"news" help:"The kind of news, as the list names it."`
	Ways []string `arg:"" help:"page, feed, mail and webhook, or nothing."`
	serverFlags
}

// Run chooses.
func (c *notificationSetCmd) Run(ctx context.Context, o output) error {
	if len(c.Ways) == 1 && c.Ways[0] == "nothing" {
		c.Ways = nil
	}
	for _, way := range c.Ways {
		if !slices.Contains(ways, way) {
			return errs.Newf(errs.InvalidRequest, "%q is not one of %s or nothing.", way, strings.Join(ways, ", "))
		}
	}
	server, err := c.connect(o)
	if err != nil {
		return err
	}
	has := func(way string) bool { return slices.Contains(c.Ways, way) }
	kind := contract.NotificationKind{Kind: c.Kind, Page: has("page"), Feed: has("feed"), Mail: has("mail"), Webhook: has("webhook")}
	chosen, err := contract.New(server).SetNotificationWays(ctx, contract.NotificationWaysRequest{Kinds: []contract.NotificationKind{kind}})
	if err != nil {
		return err
	}
	return o.print(chosen, func(w io.Writer) { fmt.Fprintf(w, "%s: %s.\n", printable(c.Kind), waysOf(kind)) })
}
