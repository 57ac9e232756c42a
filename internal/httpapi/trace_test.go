package httpapi_test

import (
	"fmt"
	"slices"
	"testing"

	"stoa/internal/apitest"
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
