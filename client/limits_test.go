package client_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/client"
	"stoa/client/contract"
)

// quick cuts every time limit down, and notes what it was.
func quick(limits *[]time.Duration) func(context.Context, time.Duration) (context.Context, context.CancelFunc) {
	return func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
		*limits = append(*limits, d)
		return context.WithTimeout(ctx, 20*time.Millisecond)
	}
}

// calls are one of each kind.
var calls = map[string]func(ctx context.Context, c *client.Client, dir string) error{
	"read": func(ctx context.Context, c *client.Client, _ string) error {
		_, err := c.Template(ctx, "x")
		return err
	},
	"login": func(ctx context.Context, c *client.Client, _ string) error {
		_, err := c.Login(ctx, "a", "b")
		return err
	},
	"policy": func(ctx context.Context, c *client.Client, _ string) error {
		return c.Governance(ctx, client.RunbookGet, nil, nil)
	},
	"remediation event": func(ctx context.Context, c *client.Client, _ string) error {
		return c.RecordRemediation(ctx, client.RemediationEvent{})
	},
	"list": func(ctx context.Context, c *client.Client, _ string) error {
		_, err := c.PackSubmissions(ctx, client.SubmissionFilter{})
		return err
	},
	"compare": func(ctx context.Context, c *client.Client, _ string) error {
		_, err := contract.New(c).CompareProfilePackCatalog(ctx, contract.CompareProfilePackCatalogParams{PackID: "x"})
		return err
	},
	"submit": func(ctx context.Context, c *client.Client, _ string) error {
		_, err := c.SubmitProfilePack(ctx, client.Pack{Options: client.SubmitOptions{UploadOptions: client.UploadOptions{IdempotencyKey: "k"}}})
		return err
	},
	"upload": func(ctx context.Context, c *client.Client, _ string) error {
		file := &client.File{Name: "x", Size: 10, Open: func() (io.ReadCloser, error) { return io.NopCloser(zeros(10)), nil }}
		_, err := c.ImportProfilePack(ctx, file, "k")
		return err
	},
	"download": func(ctx context.Context, c *client.Client, dir string) error {
		_, err := c.DownloadTemplate(ctx, "x", "", client.Download{Path: dir + "/x"})
		return err
	},
	"auto remediation": func(ctx context.Context, c *client.Client, _ string) error {
		var g client.Gate
		for range 3 {
			g.Refreshed(true)
		}
		return (&client.AutoRemediation{Client: c}).Run(ctx, &g).Err
	},
}

// A server that takes a request and never answers, or never finishes its answer, holds no call for longer than its limits.
func TestHangingServer(t *testing.T) {
	for name, begin := range map[string]func(http.ResponseWriter){
		"no answer": func(http.ResponseWriter) {},
		"half an answer": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"ok":true,"data":{`)
			_ = http.NewResponseController(w).Flush()
		},
	} {
		for kind, call := range calls {
			t.Run(name+" to "+kind, func(t *testing.T) {
				var limits []time.Duration
				c, pauses := fake(t, client.Options{Timeout: quick(&limits)}, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					begin(w)
					<-r.Context().Done()
				})
				err := call(t.Context(), c, t.TempDir())
				if err == nil || !strings.Contains(err.Error(), "has not answered within") {
					t.Error(err)
				}
				var total time.Duration
				for _, d := range append(limits, *pauses...) {
					total += d
				}
				bound := 2 * time.Minute
				switch kind {
				case "upload", "submit":
					bound = 4 * time.Minute
				case "download":
					bound = 25 * time.Minute // 64 MiB at 64 KiB/s
				}
				if total > bound || total == 0 {
					t.Errorf("it waits %v: %v and pauses %v", total, limits, *pauses)
				}
			})
		}
	}
}

// However long a server asks to wait, no call waits for more than a minute in all.
func TestRetryAfterIsCapped(t *testing.T) {
	for _, after := range []string{"61", "3600", "999999999999", "99999999999999999999999", "-1", "Fri, 31 Dec 9999 23:59:59 GMT", "45"} {
		for kind, call := range calls {
			c, pauses := fake(t, client.Options{}, func(w http.ResponseWriter, _ *http.Request) { fails(w, 429, "Retry-After", after) })
			err := call(t.Context(), c, t.TempDir())
			var refused *client.Error
			if !errors.As(err, &refused) || refused.RetryAfter < 0 {
				t.Errorf("%s on %s: %v", kind, after, err)
			}
			var total time.Duration
			for _, p := range *pauses {
				total += p
			}
			if kind != "auto remediation" && total > time.Minute || total > 2*time.Minute {
				t.Errorf("%s waits %v on %s", kind, *pauses, after)
			}
		}
	}
}

// An answer without end costs no more memory than a call allows, as it is or out of a gzip bomb.
func TestAnswersAreBounded(t *testing.T) {
	const size = 45 << 20
	line := `{"version":"1.0.0","published_at":"2026-01-01T00:00:00.000Z","sha256":"` + strings.Repeat("0", 64) + `"},`
	write := func(w io.Writer) {
		_, _ = io.WriteString(w, `{"ok":true,"data":{"template_id":"x","versions":[`)
		for n := 0; n < size; n += len(line) {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, `{}]}}`)
	}
	for name, handler := range map[string]http.HandlerFunc{
		"plain": func(w http.ResponseWriter, _ *http.Request) { write(w) },
		"gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			write(z)
			_ = z.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int32
			c, _ := fake(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
				n.Add(1)
				handler(w, r)
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := c.Template(t.Context(), "x")
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), "larger than 4 MiB") || n.Load() != 1 {
				t.Errorf("%d calls, %v", n.Load(), err)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 48<<20 {
				t.Errorf("%d MiB were allocated", grown>>20)
			}
		})
	}
}

// A redirect leads to no other origin: not to another port, not from https to http, whatever client is used.
func TestRedirectsStayWithinTheOrigin(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked, with %q", r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(plain.Close)
	secure := httptest.NewTLSServer(nil)
	t.Cleanup(secure.Close)
	var to string
	followed := 0
	secure.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			followed++
			_, _ = io.WriteString(w, `{"ok":true,"data":{"template_id":"x"}}`)
			return
		}
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	})
	c, err := client.New(secure.URL, client.Options{Token: "secret", HTTP: secure.Client()})
	if err != nil {
		t.Fatal(err)
	}
	for _, to = range []string{plain.URL, strings.Replace(secure.URL, "https:", "http:", 1), "//localhost:1/", "https://127.0.0.1/"} {
		_, err := c.Template(t.Context(), "x")
		if client.CodeOf(err) != "redirected" {
			t.Errorf("to %s: %v", to, err)
		}
	}
	to = "/moved"
	if _, err := c.Template(t.Context(), "x"); err != nil || followed != 1 {
		t.Error(err, followed)
	}
}

// A digest that is none is no reason to take whatever comes.
func TestDigestsFailClosed(t *testing.T) {
	c, _ := fake(t, client.Options{}, func(http.ResponseWriter, *http.Request) { t.Error("the server was asked") })
	for _, digest := range []string{"0", strings.Repeat("0", 63), strings.Repeat("0", 65), strings.Repeat("g", 64), strings.Repeat("0", 128)} {
		if _, err := c.DownloadTemplate(t.Context(), "x", "", client.Download{Path: t.TempDir() + "/x", SHA256: digest}); !errors.Is(err, client.ErrNoDigest) {
			t.Errorf("%s: %v", digest, err)
		}
	}
}
