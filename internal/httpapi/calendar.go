package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"
)

// reminderCalendar sends a learner's calendar to whoever has its address: the token stands in the query, which no log has.
func (s *Server) reminderCalendar(w http.ResponseWriter, req *http.Request) {
	rec := w.(*recorder)
	userID, calendar, err := s.app.CalendarOf(req.Context(), req.URL.Query().Get("token"))
	if err != nil {
		s.fail(rec, req, err)
		return
	}
	rec.userID = userID
	calendar.Page = s.base(rec, req) + "/learn"
	h := w.Header()
	h.Set("Content-Type", "text/calendar; charset=utf-8")
	h.Set("Content-Disposition", `inline; filename="stoa.ics"`)
	h.Set("Cache-Control", "private, max-age=300")
	// Weak: the same events are written with the time of the day.
	h.Set("ETag", `W/"`+strconv.FormatUint(xxhash.Sum64(calendar.Document(time.Time{})), 16)+`"`)
	if req.Header.Get("If-None-Match") == h.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(calendar.Document(s.app.Clock()))
}
