package member

import (
	"context"
	"fmt"
	"io"

	"stoa/client/contract"
	"stoa/internal/cli"
	"stoa/internal/platform/errs"
)

type calendarCmd struct {
	Show    calendarShowCmd    `cmd:"" default:"withargs" help:"Show when your calendar reminds you."`
	Set     calendarSetCmd     `cmd:"" help:"Choose when and how your calendar reminds you."`
	Address calendarAddressCmd `cmd:"" help:"Make a private address that calendar programs subscribe to, or a new one."`
}

type calendarShowCmd struct {
	ServerFlags
}

// Run shows the choice.
func (c *calendarShowCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	calendar, err := contract.New(server).GetReminderCalendar(ctx, contract.GetReminderCalendarParams{})
	if err != nil {
		return err
	}
	return printCalendar(o, calendar)
}

func printCalendar(o cli.Output, calendar contract.ReminderCalendar) error {
	return o.Print(calendar, func(w io.Writer) {
		state, alarm := "off", "without an alert"
		if calendar.On {
			state = "on"
		}
		if calendar.Alarm {
			alarm = "with an alert"
		}
		fmt.Fprintf(w, "The calendar is %s: at %s in %s, %s, in %s.\n", state, cli.Printable(calendar.TimeOfDay), cli.Printable(calendar.TimeZone), alarm, cli.Printable(calendar.Locale))
	})
}

type calendarSetCmd struct {
	Time     string `help:"Time of day." placeholder:"HH:MM"`
	Zone     string `help:"Time zone, such as Europe/Berlin." placeholder:"ZONE"`
	Language string `help:"Language of the events: en-US, zh-CN or ja-JP." placeholder:"LANGUAGE"`
	Alarm    *bool  `negatable:"" help:"Have the calendar alert you at that time."`
	ServerFlags
}

// Run chooses.
func (c *calendarSetCmd) Run(ctx context.Context, o cli.Output) error {
	if c.Time == "" && c.Zone == "" && c.Language == "" && c.Alarm == nil {
		return errs.Newf(errs.InvalidRequest, "Say what to set: --time, --zone, --language or --alarm.")
	}
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	calendar, err := contract.New(server).SetReminderCalendar(ctx, contract.ReminderCalendarRequest{TimeOfDay: c.Time, TimeZone: c.Zone, Locale: c.Language, Alarm: c.Alarm})
	if err != nil {
		return err
	}
	return printCalendar(o, calendar)
}

type calendarAddressCmd struct {
	Off bool `help:"End the calendar; its address answers nothing any more."`
	ServerFlags
}

// Run makes or ends the address.
func (c *calendarAddressCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	made, err := contract.New(server).RenewReminderCalendar(ctx, contract.ReminderAddressRequest{On: !c.Off})
	if err != nil {
		return err
	}
	return o.Print(made, func(w io.Writer) {
		if c.Off {
			fmt.Fprintln(w, "The calendar has ended.")
			return
		}
		fmt.Fprintln(w, cli.Printable(made.URL))
		fmt.Fprintln(o.Err, "Shown once; whoever has the address sees how much is due. An earlier address no longer works.")
	})
}
