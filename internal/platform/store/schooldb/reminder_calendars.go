package schooldb

import (
	"context"

	"stoa/internal/platform/store/sqldb"
)

// ReminderCalendar is when and how a learner's calendar reminds of what is due.
type ReminderCalendar struct {
	UserID    string
	AtMinute  int // of the day
	TimeZone  string
	Locale    string
	Alarm     bool
	TokenHash string // "" for no calendar
}

const reminderColumns = `r.user_id, r.at_minute, r.time_zone, r.locale, r.alarm, r.token_hash`

func (r *ReminderCalendar) columns() []any {
	return []any{&r.UserID, &r.AtMinute, &r.TimeZone, &r.Locale, &r.Alarm, &r.TokenHash}
}

// ReminderCalendar gives what a learner has chosen, or ErrNotFound.
func (q Queries) ReminderCalendar(ctx context.Context, userID string) (r ReminderCalendar, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT `+reminderColumns+` FROM reminder_calendar r WHERE r.user_id = $1`, []any{userID}, r.columns()...)
	return r, err
}

// ReminderCalendarBy gives the calendar whose address has a token, by its hash; ErrNotFound for nobody's and where the account is
// disabled or is to be deleted.
func (q Queries) ReminderCalendarBy(ctx context.Context, hash string) (r ReminderCalendar, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT `+reminderColumns+` FROM reminder_calendar r JOIN account a ON a.user_id = r.user_id
		WHERE r.token_hash = $1 AND r.token_hash <> '' AND NOT a.disabled AND a.erase_at = 0`, []any{hash}, r.columns()...)
	return r, err
}

// SetReminderCalendar keeps what a learner has chosen.
func (tx *Tx) SetReminderCalendar(r ReminderCalendar) error {
	return tx.Exec(`INSERT INTO reminder_calendar (user_id, at_minute, time_zone, locale, alarm, token_hash) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (user_id) DO UPDATE SET at_minute = excluded.at_minute, time_zone = excluded.time_zone, locale = excluded.locale,
		alarm = excluded.alarm, token_hash = excluded.token_hash`, r.UserID, r.AtMinute, r.TimeZone, r.Locale, r.Alarm, r.TokenHash)
}
