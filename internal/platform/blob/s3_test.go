package blob_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"stoa/internal/platform/blob"
	"stoa/internal/platform/errs"
	"stoa/internal/s3test"
)

// unavailable checks that an error is what the contract wants of a store that does not answer.
func unavailable(t *testing.T, err error) {
	t.Helper()
	if e, ok := errs.As(err); !ok || e.Code != errs.ServiceUnavailable || e.RetryAfter <= 0 {
		t.Errorf("%v is not service_unavailable with a time to try again", err)
	}
}

const patience = 300 * time.Millisecond

// A store that answers with errors or not at all is told so within a bound, and used again when it is back.
func TestS3Faults(t *testing.T) {
	server := s3test.Start(t)
	proxy := server.Proxy(t)
	s := server.Blobs(t, proxy.Endpoint, "", t.TempDir(), patience)
	digest := put(t, s, "kept before")
	for name, fault := range map[string]s3test.Fault{"errors": s3test.Error, "silence": s3test.Hang} {
		t.Run(name, func(t *testing.T) {
			proxy.Fail(fault, -1)
			for what, call := range map[string]func() error{
				"Put":   func() error { _, _, err := s.Put(t.Context(), strings.NewReader("lost "+name)); return err },
				"Open":  func() error { _, err := s.Open(t.Context(), digest); return err },
				"Has":   func() error { _, err := s.Has(t.Context(), digest); return err },
				"Check": func() error { return s.Check(t.Context()) },
				"Each":  func() error { return s.Each(t.Context(), time.Now(), func(string) error { return nil }) },
				"RemoveOld": func() error {
					_, err := s.RemoveOld(t.Context(), digest, time.Now().Add(time.Hour))
					return err
				},
			} {
				began := time.Now()
				unavailable(t, call())
				// Three times the patience and the waits between the tries.
				if took := time.Since(began); took > 3*patience+3*time.Second {
					t.Errorf("%s took %s", what, took)
				}
			}
			proxy.Fail(s3test.None, 0)
			if got := put(t, s, "lost "+name); !has(t, s, got) || !has(t, s, digest) {
				t.Error("after the fault")
			}
		})
	}
}

// One lost answer is nothing that anybody sees.
func TestS3TriesAgain(t *testing.T) {
	server := s3test.Start(t)
	proxy := server.Proxy(t)
	s := server.Blobs(t, proxy.Endpoint, "", t.TempDir(), time.Second)
	content := make([]byte, 1<<20)
	rand.Read(content)
	for name, fault := range map[string]s3test.Fault{"error": s3test.Error, "forgotten": s3test.Forget} {
		before := proxy.Failed()
		proxy.Fail(fault, 1)
		digest := put(t, s, string(content)+name)
		if proxy.Failed() != before+1 {
			t.Errorf("%s: %d calls failed", name, proxy.Failed()-before)
		}
		if err := s.Verify(t.Context(), digest); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A download that breaks off goes on where it was.
func TestS3ReadsOnWhereItBrokeOff(t *testing.T) {
	server := s3test.Start(t)
	proxy := server.Proxy(t)
	s := server.Blobs(t, proxy.Endpoint, "", t.TempDir(), time.Second)
	content := make([]byte, 300<<10)
	rand.Read(content)
	digest := put(t, s, string(content))
	file, err := s.Open(t.Context(), digest)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	proxy.Fail(s3test.Cut, 3)
	if got, err := io.ReadAll(file); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes of %d: %v", len(got), len(content), err)
	}
	if proxy.Failed() != 3 {
		t.Errorf("%d answers were cut", proxy.Failed())
	}
	proxy.Fail(s3test.Hang, -1)
	if _, err := file.Seek(10, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	_, err = file.Read(make([]byte, 10))
	unavailable(t, err)
}

// Whoever writes a blob while it is swept finds it again, even when the sweep took the new one away.
func TestS3SparesWhatIsWrittenAgain(t *testing.T) {
	s := s3test.Start(t).Blobs(t, "", "", t.TempDir(), 0)
	digest := put(t, s, "written again")
	// The sweep has looked at the old one's age; the upload comes between; the sweep takes the name away.
	if removed, err := s.RemoveOld(t.Context(), digest, time.Now().Add(time.Hour)); !removed || err != nil {
		t.Fatalf("%v %v", removed, err)
	}
	if err := s.Verify(t.Context(), digest); err != nil {
		t.Errorf("it does not come back: %v", err)
	}
}

// Bytes that were changed on the way are refused by the object store itself.
func TestS3RefusesChangedBytes(t *testing.T) {
	server := s3test.Start(t)
	proxy := server.Proxy(t)
	s := server.Blobs(t, proxy.Endpoint, "", t.TempDir(), time.Second)
	proxy.Fail(s3test.Alter, -1)
	digest, _, err := s.Put(t.Context(), strings.NewReader("not what arrives"))
	unavailable(t, err)
	proxy.Fail(s3test.None, 0)
	if has(t, s, digest) {
		t.Error("it is kept all the same")
	}
}

func TestS3AddressesAndKeys(t *testing.T) {
	for text, want := range map[string]string{
		"s3://b":                                     "s3.amazonaws.com",
		"s3://b?region=eu-west-1":                    "s3.eu-west-1.amazonaws.com",
		"s3://b/p/q?endpoint=h:1&insecure=true":      "h:1",
		"s3://b?endpoint=h&region=x&timeout=3s":      "h",
		"http://b":                                   "",
		"s3://":                                      "",
		"s3://key:secret@b":                          "",
		"s3://b?endpoint=http://h":                   "",
		"s3://b?endpoint=h&acces_key=x":              "",
		"s3://b?insecure=true":                       "",
		"s3://b?endpoint=h&insecure=perhaps":         "",
		"s3://b?endpoint=h&timeout=0":                "",
		"s3://b?endpoint=h&timeout=ten":              "",
		"s3://b?endpoint=%zz":                        "",
		"postgres://stoa:secret@db/stoa?region=a%3B": "",
	} {
		a, err := blob.ParseAddress(text)
		if (err != nil) != (want == "") || a.Endpoint != want {
			t.Errorf("%s: %q %v, want %q", text, a.Endpoint, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: the error shows a key: %v", text, err)
		}
	}
	if a, _ := blob.ParseAddress("s3://b/p/q/?endpoint=h"); a.Prefix != "p/q/" || a.Region != "us-east-1" || a.Timeout != blob.DefaultTimeout {
		t.Errorf("%+v", a)
	}
	server := s3test.Start(t)
	at, err := blob.ParseAddress(server.Address("", ""))
	if err != nil {
		t.Fatal(err)
	}
	at.Timeout = time.Second
	for _, keys := range []blob.Keys{{Access: s3test.Keys.Access, Secret: "another secret"}, {Access: "nobody", Secret: "whatever"}, {Access: "half"}} {
		if _, err := blob.OpenS3(t.Context(), at, keys, t.TempDir()); err == nil || keys.Secret != "" && strings.Contains(err.Error(), keys.Secret) {
			t.Errorf("%s: %v", keys.Access, err)
		}
	}
	at.Bucket = "nowhere"
	if _, err := blob.OpenS3(t.Context(), at, s3test.Keys, t.TempDir()); err == nil || errors.Is(err, blob.ErrNotFound) {
		t.Errorf("no bucket: %v", err)
	}
}
