package blob

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// An object store cannot take an old object away on the condition that nobody writes it meanwhile: the same bytes have the
// same ETag. So a blob that no row names is first copied aside and then removed, and what stands aside is removed by a later
// sweep, when it is old there too and still nobody names it. Whoever wrote the blob between the look at its age and its
// removal finds it again: reading a blob that is gone brings back the one that stands aside.

func (s *S3) aside(digest string) string { return s.at.Prefix + "aside/" + digest }

// SweepTemporary implements Store.
func (s *S3) SweepTemporary(before time.Time) (n int, err error) {
	return sweepTemporary(s.staging, before)
}

// Each implements Store. Blobs that stand aside come too, and first: what is set aside meanwhile waits for the next time.
func (s *S3) Each(ctx context.Context, before time.Time, yield func(digest string) error) error {
	for _, folder := range []string{s.at.Prefix + "aside/", s.at.Prefix + "sha256/"} {
		listing, cancel := context.WithCancel(ctx)
		err := s.each(listing, folder, before, yield)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *S3) each(ctx context.Context, folder string, before time.Time, yield func(digest string) error) error {
	for object := range s.core.ListObjectsIter(ctx, s.at.Bucket, minio.ListObjectsOptions{Prefix: folder, Recursive: true}) {
		if object.Err != nil {
			return trouble(ctx, object.Err)
		}
		digest := strings.TrimPrefix(object.Key, folder)
		if !digestPattern.MatchString(digest) || !object.LastModified.Before(before) {
			continue
		}
		if err := yield(digest); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Remove implements Store.
func (s *S3) Remove(ctx context.Context, digest string) error {
	if !digestPattern.MatchString(digest) {
		return ErrNotFound
	}
	return errors.Join(s.remove(ctx, s.name(digest)), s.remove(ctx, s.aside(digest)))
}

// RemoveOld implements Store. What is taken out of the way stays aside until a sweep finds it old there.
func (s *S3) RemoveOld(ctx context.Context, digest string, before time.Time) (removed bool, err error) {
	if !digestPattern.MatchString(digest) {
		return false, ErrNotFound
	}
	old := func(name string) (bool, error) {
		info, err := s.stat(ctx, name)
		if errors.Is(err, ErrNotFound) {
			return false, nil
		}
		return err == nil && info.LastModified.Before(before), err
	}
	if is, err := old(s.aside(digest)); err != nil {
		return false, err
	} else if is {
		if err := s.remove(ctx, s.aside(digest)); err != nil {
			return false, err
		}
		removed = true
	}
	is, err := old(s.name(digest))
	if err != nil || !is {
		return removed, err
	}
	if err := s.copy(ctx, s.name(digest), s.aside(digest)); err != nil {
		return removed, err
	}
	return true, s.remove(ctx, s.name(digest))
}

func (s *S3) remove(ctx context.Context, name string) error {
	within, cancel := context.WithTimeout(ctx, s.at.Timeout)
	defer cancel()
	err := trouble(ctx, s.core.RemoveObject(within, s.at.Bucket, name, minio.RemoveObjectOptions{}))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// copy has the object store copy an object. The copy's age begins at zero.
func (s *S3) copy(ctx context.Context, from, to string) error {
	within, cancel := context.WithTimeout(ctx, tries*s.at.Timeout)
	defer cancel()
	_, err := s.core.Client.CopyObject(within, minio.CopyDestOptions{Bucket: s.at.Bucket, Object: to}, minio.CopySrcOptions{Bucket: s.at.Bucket, Object: from})
	return trouble(ctx, err)
}
