package school

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/learning/path"
	"stoa/internal/learning/reminder"
	"stoa/internal/platform/account"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
	"stoa/internal/platform/store/sqldb"
)

// CalendarPath is where learners' calendars are.
const CalendarPath = "/calendar.ics"

// ReminderCalendar is when and how a learner's calendar reminds of what is due.
type ReminderCalendar struct {
	UserID   string `json:"user_id"`
	On       bool   `json:"on"`
	At       string `json:"timeOfDay"`
	TimeZone string `json:"timeZone"`
	Locale   string `json:"locale"`
	Alarm    bool   `json:"alarm"`
}

// usualReminder is what holds before a learner has chosen.
var usualReminder = schooldb.ReminderCalendar{AtMinute: 18 * 60, TimeZone: "UTC", Locale: "en-US"}

func shownReminder(r *schooldb.ReminderCalendar) ReminderCalendar {
	return ReminderCalendar{UserID: r.UserID, On: r.TokenHash != "", At: fmt.Sprintf("%02d:%02d", r.AtMinute/60, r.AtMinute%60), TimeZone: r.TimeZone, Locale: r.Locale, Alarm: r.Alarm}
}

// reminderOf is what a learner has chosen, or what holds before.
func reminderOf(ctx context.Context, q store.Queries, userID string) (schooldb.ReminderCalendar, error) {
	r, err := q.ReminderCalendar(ctx, userID)
	if errors.Is(err, sqldb.ErrNotFound) {
		r, err = usualReminder, nil
		r.UserID = userID
	}
	return r, err
}

// GetReminderCalendar answers when and how the caller's calendar reminds.
func (a *School) GetReminderCalendar(ctx context.Context, c core.Caller, in core.OwnInput) (ReminderCalendar, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ReminderCalendar{}, err
	}
	r, err := reminderOf(ctx, a.Store.Queries, userID)
	return shownReminder(&r), err
}

// changeReminder changes a learner's calendar, with an audit event.
func (a *School) changeReminder(ctx context.Context, c core.Caller, userID, action string, change func(*schooldb.ReminderCalendar)) (ReminderCalendar, error) {
	var r schooldb.ReminderCalendar
	err := a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if r, err = reminderOf(ctx, tx.Queries, userID); err != nil {
			return err
		}
		change(&r)
		if err := tx.SetReminderCalendar(r); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: action, Status: "ok"}))
	})
	return shownReminder(&r), err
}

// ReminderCalendarInput says when and how the caller's calendar is to remind; what is not named stays.
type ReminderCalendarInput struct {
	UserID   string `json:"user_id"`
	At       string `json:"timeOfDay"`
	TimeZone string `json:"timeZone"`
	Locale   string `json:"locale"`
	Alarm    *bool  `json:"alarm"`
}

// SetReminderCalendar chooses when and how the caller's calendar reminds.
func (a *School) SetReminderCalendar(ctx context.Context, c core.Caller, in ReminderCalendarInput) (ReminderCalendar, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ReminderCalendar{}, err
	}
	if _, err := learner.ZoneNamed(in.TimeZone); err != nil {
		return ReminderCalendar{}, errs.Invalid("timeZone", "is no time zone: name one as in Europe/Berlin")
	}
	var at time.Time
	if in.At != "" {
		if at, err = time.Parse("15:04", in.At); err != nil {
			return ReminderCalendar{}, errs.Invalid("timeOfDay", "is no time of day such as 07:30")
		}
	}
	return a.changeReminder(ctx, c, userID, "reminders.set", func(r *schooldb.ReminderCalendar) {
		if in.At != "" {
			r.AtMinute = at.Hour()*60 + at.Minute()
		}
		if in.TimeZone != "" {
			r.TimeZone = in.TimeZone
		}
		if in.Locale != "" {
			r.Locale = in.Locale
		}
		if in.Alarm != nil {
			r.Alarm = *in.Alarm
		}
	})
}

// ReminderAddressInput says whether the caller wants a calendar.
type ReminderAddressInput struct {
	UserID string `json:"user_id"`
	On     bool   `json:"on"`
}

// ReminderAddress has the address of a calendar, which is shown this once; "" for none.
type ReminderAddress struct {
	UserID string `json:"user_id"`
	URL    string `json:"url"`
}

// RenewReminderCalendar gives the caller's calendar a new address and ends the earlier one, or ends it.
func (a *School) RenewReminderCalendar(ctx context.Context, c core.Caller, in ReminderAddressInput) (ReminderAddress, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ReminderAddress{}, err
	}
	out, hash := ReminderAddress{UserID: userID}, ""
	if in.On {
		token := account.NewToken()
		hash, out.URL = account.TokenHash(token), c.Origin+CalendarPath+"?token="+token
	}
	_, err = a.changeReminder(ctx, c, userID, "reminders.renewed", func(r *schooldb.ReminderCalendar) { r.TokenHash = hash })
	return out, err
}

// ReminderBy gives what the learner has chosen whose calendar's address has a token.
func (a *School) ReminderBy(ctx context.Context, token string) (schooldb.ReminderCalendar, error) {
	r, err := a.Store.ReminderCalendarBy(ctx, account.TokenHash(token))
	if errors.Is(err, sqldb.ErrNotFound) {
		err = errs.New(errs.NotFound, "There is no such calendar. Its address may have been renewed.")
	}
	return r, err
}

// Calendar is a learner's calendar, without the page it leads to.
func (a *School) Calendar(ctx context.Context, r schooldb.ReminderCalendar) (calendar reminder.Calendar, err error) {
	calendar = reminder.Calendar{Name: fmt.Sprintf("stoa-%016x", xxhash.Sum64String(r.UserID)), Locale: r.Locale, Alarm: r.Alarm}
	calendar.Days, err = a.dueDays(ctx, &r, a.Clock())
	return calendar, err
}

// dueDays says what a learner is to be reminded of on which day. A day has what the pages will show as due when its time has come,
// without what was due on the day before; today has all that is due now, and what becomes due until its time.
func (a *School) dueDays(ctx context.Context, r *schooldb.ReminderCalendar, now time.Time) ([]reminder.Day, error) {
	zone, err := learner.ZoneNamed(r.TimeZone)
	if err != nil {
		return nil, err
	}
	g, err := a.Curriculum(ctx, r.UserID)
	if err != nil {
		return nil, err
	}
	known, err := a.States.Of(ctx, r.UserID)
	if err != nil {
		return nil, err
	}
	view, err := learner.View(g, known, now)
	if err != nil {
		return nil, err
	}
	defer learner.Done(g, view)
	times := reminder.Times(now, r.AtMinute, zone)
	days := make([]reminder.Day, len(times))
	for i := range days {
		days[i].At = times[i]
		if times[i].Before(now) {
			times[i] = now
		}
	}
	for i := range view.Concepts {
		c := &view.Concepts[i]
		for day, at := range times {
			if path.IsDue(c, at) {
				days[day].Due++
				days[day].Minutes += known.PathTraits.Minutes(path.Quiz, c.Letters)
				break
			}
		}
	}
	return days, nil
}
