package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
)

const trace = "/api/runtime-request-trace"

func TestRequestTrace(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		ada.With("X-Request-Id", "first").With("User-Agent", "test/1").Post("/api/trial", m{"template_id": translator}).OK(t)
		ada.With("X-Request-Id", "first-2").Get("/api/templates/detail", "template_id", "nobody/has-this").Want(t, 404, "template_not_found")
		ada.With("X-Request-Id", "third").Post("/api/preferences/mode", m{"mode": "by_hand"}).Want(t, 400, "invalid_mode")
		bob.With("X-Request-Id", "bobs").Get("/api/preferences").OK(t)
		s.Nobody(t).With("X-Request-Id", "nobodys").Get("/api/preferences").Want(t, 401, "unauthorized")

		r := ada.Get(trace).OK(t)
		if got := r.All("data.records", "requestId"); !slices.Equal(got, []string{"third", "first-2", "first"}) {
			t.Fatalf("records: %v", got)
		}
		s1 := "data.summary."
		if r.Int(s1+"totalRequests") != 3 || r.Int(s1+"errorRequests") != 2 || r.At(s1+"errorRatioPct") != 66.6667 || r.Int(s1+"statusBuckets.2xx") != 1 || r.Int(s1+"statusBuckets.4xx") != 2 ||
			r.Str(s1+"lastErrorCode") != "invalid_mode" || r.Str(s1+"lastErrorPath") != "/api/preferences/mode" || r.Int(s1+"errorCodeCounts.template_not_found") != 1 {
			t.Errorf("summary: %v", r.At("data.summary"))
		}
		if r.Str("data.records.2.userAgent") != "test/1" || r.Str("data.records.2.remoteAddress") != "127.0.0.1" || r.Int("data.records.2.requestContentLength") <= 0 || r.Int("data.records.2.responseContentLength") <= 0 {
			t.Errorf("a record: %v", r.At("data.records.2"))
		}
		for _, tc := range []struct {
			query []string
			want  []string
		}{
			{[]string{"requestId", "first"}, []string{"first"}}, // exact, no prefix
			{[]string{"request_id", "third"}, []string{"third"}},
			{[]string{"requestId", "bobs"}, nil},
			{[]string{"requestId", "nobodys"}, nil},
			{[]string{"requestId", "fir%"}, nil},
			{[]string{"pathPrefix", "/api/pref"}, []string{"third"}},
			{[]string{"path_prefix", "/api/t"}, []string{"first-2", "first"}},
			{[]string{"pathPrefix", "/api/%"}, nil},
			{[]string{"statusAtLeast", "404"}, []string{"first-2"}},
			{[]string{"status_at_least", "400"}, []string{"third", "first-2"}},
			{[]string{"method", "post", "pathPrefix", "/api/trial"}, []string{"first"}},
			{[]string{"errorCode", "invalid_mode"}, []string{"third"}},
			{[]string{"error_code", "invalid_mode", "method", "GET"}, nil},
		} {
			// Every look is a request of its own: the filters above match none of them.
			r := ada.Get(trace, tc.query...).OK(t)
			if got := r.All("data.records", "requestId"); !slices.Equal(got, tc.want) || r.Int("data.summary.totalRequests") != len(tc.want) {
				t.Errorf("%v: %v, want %v", tc.query, got, tc.want)
			}
		}
		ada.Get(trace, "user_id", "bob").Want(t, 403, "permission_denied")
	})
}

func TestRequestTracePageByPage(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		var want []string
		for i := range 9 {
			id := fmt.Sprintf("r-%d", i)
			ada.With("X-Request-Id", id).Get("/api/preferences").OK(t)
			want = append([]string{id}, want...)
		}
		pages(t, ada, want, "records", "requestId", trace, "pathPrefix", "/api/preferences")
		r := ada.Get(trace, "pathPrefix", "/api/preferences", "limit", "2").OK(t)
		if r.Int("data.summary.totalRequests") != 9 || r.Int("data.summary.returnedRecords") != 2 {
			t.Errorf("summary: %v", r.At("data.summary"))
		}
	})
}

// Whatever strangers send and however it is answered, no more than a fixed number of records a second is kept of it, and a
// member's own are still found; the table has an upper bound.
func TestFloodsAreTracedAtAFixedRate(t *testing.T) {
	options := apitest.Options{RequestsPerSecond: 100, App: func(c *core.Config) { c.TraceBytes = 100 << 10 }} // 100 records
	apitest.Each(t, options, func(t *testing.T, s *apitest.Server) {
		stranger := s.Nobody(t)
		statuses := map[int]int{}
		for n := range 150 {
			for _, r := range []*apitest.Reply{
				stranger.Get(fmt.Sprint("/api/nothing/", n, strings.Repeat("x", 4000))), stranger.Do("HEAD", "/api/auth-info", nil),
				stranger.Do("PUT", "/api/health", nil), stranger.Get("/api/preferences"),
			} {
				statuses[r.Status]++
			}
		}
		for _, status := range []int{401, 404, 405, 429} {
			if statuses[status] == 0 {
				t.Errorf("the flood met no %d: %v", status, statuses)
			}
		}
		ada := s.As(t, "ada")
		ada.With("X-Request-Id", "mine").Get("/api/preferences").OK(t)
		if r := ada.Get(trace, "requestId", "mine").OK(t); r.Int("data.summary.totalRequests") != 1 {
			t.Errorf("a member's request is lost in the flood: %s", r.Body)
		}
		if n := s.Count(t, "request_trace WHERE user_id = ''"); n == 0 || n > 20 {
			t.Errorf("%d records of one second of a flood", n)
		}
		if n := s.Count(t, "request_trace WHERE length(path) > 256"); n != 0 {
			t.Errorf("%d records have a long path", n)
		}
		if s.App.TraceDropped() < 500 {
			t.Errorf("%d records were counted as dropped", s.App.TraceDropped())
		}
		for range 12 {
			s.Clock.Advance(time.Second)
			for range 20 {
				stranger.Get("/api/nothing")
			}
			ada.Get(trace).OK(t) // writes out the records
		}
		if err := s.App.SweepOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := s.Count(t, "request_trace"); n > 100+1 { // the record of the last request may be written after the sweep
			t.Errorf("%d records in a table of 100", n)
		}
		if s.App.TraceEvicted() == 0 {
			t.Error("nothing was counted as evicted")
		}
	})
}
