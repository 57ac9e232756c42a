package blob

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"stoa/internal/platform/errs"
)

// S3 keeps blobs in a bucket of an object store that speaks S3. A blob is one object, sha256/<digest> behind the prefix,
// written by one PUT whose signature covers the digest: the store itself refuses bytes that are not the blob's. What is
// on its way in stands in a folder of this machine.
type S3 struct {
	core    minio.Core
	at      Address
	staging string

	mu      sync.Mutex
	written time.Time // when Check wrote last
}

// Keys sign the calls to an object store. Empty ones mean those of the usual AWS variables and files, and on Amazon's own
// store those of the machine's role.
type Keys struct{ Access, Secret string }

const (
	tries       = 3 // of one call
	retryAfter  = 5 * time.Second
	writeProbes = 30 * time.Second // Check writes no more often, since every write is paid for
)

// OpenS3 opens the store at an address; staging is a folder of this machine, made when it is not there. It fails when the
// bucket cannot be written.
func OpenS3(ctx context.Context, at Address, keys Keys, staging string) (*S3, error) {
	if (keys.Access == "") != (keys.Secret == "") {
		return nil, errors.New("blob: of the two keys of the object store one is missing")
	}
	if err := os.MkdirAll(staging, 0o700); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	transport := &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: at.Timeout / tries, KeepAlive: 15 * time.Second}).DialContext,
		// A call that has been sent whole and is not answered is taken for lost.
		ResponseHeaderTimeout: at.Timeout, TLSHandshakeTimeout: at.Timeout / tries, ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, DisableCompression: true,
	}
	client, err := minio.New(at.Endpoint, &minio.Options{Creds: keys.chain(at), Secure: !at.Insecure, Region: at.Region, Transport: transport, MaxRetries: tries})
	if err != nil {
		return nil, fmt.Errorf("blob: the address of the object store cannot be used: %w", err)
	}
	s := &S3{core: minio.Core{Client: client}, at: at, staging: staging}
	if err := s.Check(ctx); err != nil {
		return nil, fmt.Errorf("blob: the bucket %s at %s cannot be written: %w", at.Bucket, at.Endpoint, cause(err))
	}
	return s, nil
}

func (k Keys) chain(at Address) *credentials.Credentials {
	if k.Access != "" {
		return credentials.NewStaticV4(k.Access, k.Secret, "")
	}
	chain := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if strings.HasSuffix(at.Endpoint, ".amazonaws.com") {
		chain = append(chain, &credentials.IAM{})
	}
	return credentials.NewChainCredentials(chain)
}

func (s *S3) name(digest string) string { return s.at.Prefix + "sha256/" + digest }

// Stage implements Store.
func (s *S3) Stage() (*Staged, error) { return stage(s.staging, s.keep) }

// Put implements Store.
func (s *S3) Put(ctx context.Context, r io.Reader) (digest string, size int64, err error) {
	return put(ctx, s, r)
}

// keep sends a staged file. Sending the same bytes twice does no harm, so it is tried again when an answer is lost.
func (s *S3) keep(ctx context.Context, staged *Staged, digest string) error {
	within, cancel := context.WithTimeout(ctx, tries*s.at.Timeout)
	defer cancel()
	sum, err := hex.DecodeString(digest)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		// A reader of its own for each try, which minio cannot rewind: what is left of a try that was given up may still be
		// reading the one before.
		body := struct{ io.Reader }{io.NewSectionReader(staged, 0, staged.size)}
		_, err = s.core.PutObject(within, s.at.Bucket, s.name(digest), body, staged.size, "", digest, minio.PutObjectOptions{
			ContentType: "application/octet-stream", CacheControl: "public, max-age=31536000, immutable",
			// Signed as a whole, not in chunks: what arrives is compared with the digest before it is kept.
			DisableContentSha256: true, UserMetadata: map[string]string{"x-amz-checksum-sha256": base64.StdEncoding.EncodeToString(sum)},
		})
		if err == nil || try == tries || !mayGoWell(err) {
			return trouble(ctx, err)
		}
		pause := time.NewTimer(firstPause << (try - 1))
		select {
		case <-pause.C:
		case <-within.Done():
			pause.Stop()
			return trouble(ctx, err)
		}
	}
}

// firstPause is before the second try; each later one is twice the one before.
const firstPause = 100 * time.Millisecond

// mayGoWell tells whether what failed may go well when it is tried again: not what the server refused for good.
func mayGoWell(err error) bool {
	status := minio.ToErrorResponse(err).StatusCode
	return status < 400 || status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// Open implements Store.
func (s *S3) Open(ctx context.Context, digest string) (Reader, error) {
	size, err := s.size(ctx, digest)
	if err != nil {
		return nil, err
	}
	return &remote{store: s, ctx: ctx, digest: digest, size: size}, nil
}

// Has implements Store.
func (s *S3) Has(ctx context.Context, digest string) (bool, error) {
	_, err := s.size(ctx, digest)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// size looks a blob up. One that a sweep has set aside comes back.
func (s *S3) size(ctx context.Context, digest string) (int64, error) {
	if !digestPattern.MatchString(digest) {
		return 0, ErrNotFound
	}
	info, err := s.stat(ctx, s.name(digest))
	if !errors.Is(err, ErrNotFound) {
		return info.Size, err
	}
	if info, err = s.stat(ctx, s.aside(digest)); err != nil {
		return 0, err
	}
	return info.Size, s.copy(ctx, s.aside(digest), s.name(digest))
}

func (s *S3) stat(ctx context.Context, name string) (minio.ObjectInfo, error) {
	within, cancel := context.WithTimeout(ctx, s.at.Timeout)
	defer cancel()
	info, err := s.core.StatObject(within, s.at.Bucket, name, minio.StatObjectOptions{})
	return info, trouble(ctx, err)
}

// Verify implements Store.
func (s *S3) Verify(ctx context.Context, digest string) error { return verify(ctx, s, digest) }

// Check implements Store. It writes a small object; when it did so a moment ago it only asks for the bucket.
func (s *S3) Check(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, s.at.Timeout)
	defer cancel()
	s.mu.Lock()
	fresh := time.Since(s.written) < writeProbes // the machine's clock: this is about load
	s.mu.Unlock()
	if fresh {
		there, err := s.core.BucketExists(within, s.at.Bucket)
		if err == nil && !there {
			err = errors.New("there is no such bucket")
		}
		return trouble(ctx, err)
	}
	_, err := s.core.PutObject(within, s.at.Bucket, s.at.Prefix+"health", strings.NewReader("ok"), 2, "", "", minio.PutObjectOptions{ContentType: "text/plain"})
	if err == nil {
		s.mu.Lock()
		s.written = time.Now()
		s.mu.Unlock()
	}
	return trouble(ctx, err)
}

// trouble tells what became of a call: ErrNotFound for what is not there, ctx's own error when the caller has gone, and
// otherwise service_unavailable, since whatever the object store says it is nothing that a member can fix.
func trouble(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if answer := minio.ToErrorResponse(err); answer.Code == minio.NoSuchKey {
		return ErrNotFound
	}
	e := errs.Wrap(errs.ServiceUnavailable, "The store of packages does not answer. Try again in a moment.", err)
	e.RetryAfter = retryAfter
	return e
}

// cause is what an operator is told instead of what a member is.
func cause(err error) error {
	if c := errors.Unwrap(err); c != nil {
		return c
	}
	return err
}
