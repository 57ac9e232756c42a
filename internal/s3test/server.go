package s3test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"stoa/internal/platform/blob"
)

// Keys are those of every Server.
var Keys = blob.Keys{Access: "stoa-test", Secret: "not a secret at all"}

const bucket = "packages"

// Server is a running object store with one bucket.
type Server struct {
	Endpoint string // host:port, HTTP
}

// Start starts a store that is stopped when the test ends. Where its program must be there and is not, the test fails;
// elsewhere it is skipped.
func Start(t testing.TB) *Server {
	t.Helper()
	program, err := built()
	if err != nil {
		if os.Getenv("CI") == "true" || os.Getenv("STOA_TEST_REQUIRE") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	root, err := os.MkdirTemp("", "stoa-s3-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	for _, dir := range []string{"objects", "about"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		var s *Server
		if s, err = run(t, program, root); err == nil {
			return s
		}
	}
	t.Fatal(err)
	return nil
}

// built finds the program that `make .cache/bin/versitygw` builds, in the folder of the module, above the one in which a test runs.
func built() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		path := filepath.Join(dir, ".cache", "bin", "versitygw")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("the object store for tests is not built: run `make .cache/bin/versitygw`")
		}
		dir = filepath.Dir(dir)
	}
}

// run starts the program on a port that is free now; somebody else may take it first.
func run(t testing.TB, program, root string) (*Server, error) {
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{Endpoint: port.Addr().String()}
	port.Close()
	ctx, cancel := context.WithCancel(context.Background())
	// The sidecar, since not every file system keeps extended attributes.
	process := exec.CommandContext(ctx, program, "--port", s.Endpoint, "--quiet", "--keep-alive",
		"posix", "--sidecar", filepath.Join(root, "about"), filepath.Join(root, "objects"))
	process.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+Keys.Access, "ROOT_SECRET_KEY="+Keys.Secret)
	var said lockedBuffer
	process.Stdout, process.Stderr = &said, &said
	if err := process.Start(); err != nil {
		cancel()
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait() // ended by the cancel below, or too soon, which is seen as no answer
		close(ended)
	}()
	stop := func() {
		cancel()
		<-ended
	}
	if err := s.ready(ended); err != nil {
		stop()
		return nil, fmt.Errorf("%w\n%s", err, said.text())
	}
	t.Cleanup(stop)
	return s, nil
}

// ready waits until the store has made the bucket.
func (s *Server) ready(ended <-chan struct{}) error {
	client, err := minio.New(s.Endpoint, &minio.Options{Creds: credentials.NewStaticV4(Keys.Access, Keys.Secret, ""), Region: "us-east-1", MaxRetries: 1})
	if err != nil {
		return err
	}
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := client.MakeBucket(context.Background(), bucket, minio.MakeBucketOptions{})
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ended:
			return errors.New("the object store ended")
		case <-deadline:
			return fmt.Errorf("the object store does not answer: %w", err)
		}
	}
}

// Address is where a stoa command finds the store, through another endpoint when one is given.
func (s *Server) Address(endpoint, prefix string) string {
	if endpoint == "" {
		endpoint = s.Endpoint
	}
	return fmt.Sprintf("s3://%s/%s?endpoint=%s&insecure=true", bucket, prefix, endpoint)
}

// Blobs opens the store as a blob store. timeout bounds each call, 0 for the usual.
func (s *Server) Blobs(t testing.TB, endpoint, prefix, staging string, timeout time.Duration) *blob.S3 {
	t.Helper()
	at, err := blob.ParseAddress(s.Address(endpoint, prefix))
	if err != nil {
		t.Fatal(err)
	}
	if timeout != 0 {
		at.Timeout = timeout
	}
	b, err := blob.OpenS3(t.Context(), at, Keys, staging)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
