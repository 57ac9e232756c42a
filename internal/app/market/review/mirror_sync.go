package review

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/mirror"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/fetch"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

const (
	mirrorBatch  = 32 // entries in one transaction
	mirrorAtOnce = 4  // entries that are read at the same time
)

// mirrorRun is a sync of one mirror. What it has done is in the store after each batch, so that another process goes on with it.
type mirrorRun struct {
	app    *Service
	job    *core.Job
	from   *mirror.Session
	source mirror.Source
	m      marketdb.Mirror
	total  int // entries there are
	full   bool
	// Entries that could not be read this time, and those of them that are the source's own fault.
	broken, failed atomic.Int32
	pages          int       // that were read by this process
	partial        bool      // the list names only what changed
	until          time.Time // its turn ends; zero for never
}

// errTurnOver ends a turn.
var errTurnOver = errors.New("the mirror's turn is over")

// SyncMirror brings a mirror up to date with its source, or goes on with a sync that was stopped.
func (a *Service) SyncMirror(ctx context.Context, name string) (MirrorView, error) {
	return a.syncMirror(ctx, name, 0)
}

// syncMirror is SyncMirror that stops when it has taken a turn's time, so that a source that answers slowly keeps no other
// mirror waiting; it goes on with its next turn. A turn of 0 has no end.
func (a *Service) syncMirror(ctx context.Context, name string, turn time.Duration) (MirrorView, error) {
	var out MirrorView
	err := a.mirrorJob(ctx, name, func(d *core.Job, m marketdb.Mirror) error {
		r := &mirrorRun{app: a, job: d, from: mirror.NewSession(a.fetcher(m.Private), m.URL, a.Clock()), source: mirror.Source{Kind: mirror.Kind(m.Kind), URL: m.URL}, m: m}
		if turn > 0 {
			r.until = a.Clock().Add(turn)
		}
		problem := r.run(ctx)
		if errors.Is(problem, store.ErrLeaseLost) || ctx.Err() != nil {
			return problem
		}
		now := clock.Micros(a.Clock())
		r.m.NextAt, r.m.Problem = now+r.m.Every, ""
		if errors.Is(problem, errTurnOver) {
			r.m.NextAt, problem = now, nil
			if r.broken.Load() > 0 {
				r.m.NextETag = "" // they are asked for again, whatever the list says
			}
		}
		if problem != nil {
			r.m.Problem = told(problem)
			r.m.NextAt = now + min(r.m.Every, max(mirrorAgain, askedToWait(problem)).Microseconds())
		}
		if err := d.Write(ctx, func(tx *store.Tx) error { return tx.PutMirror(r.m) }); err != nil {
			return err
		}
		var err error
		if out, err = a.mirrorView(ctx, r.m); err != nil {
			return err
		}
		if problem != nil {
			return errs.Newf(errs.InvalidRequest, "The mirror %s could not be synced: %s", name, r.m.Problem)
		}
		return nil
	})
	return out, err
}

// askedToWait is how long a source wants to be left alone.
func askedToWait(problem error) time.Duration {
	var status *fetch.StatusError
	if errors.As(problem, &status) {
		return status.RetryAfter
	}
	return 0
}

// told is a problem in at most some hundred characters.
func told(err error) string {
	text := []rune(err.Error())
	return string(text[:min(len(text), 400)])
}

func (r *mirrorRun) run(ctx context.Context) error {
	counts, err := r.app.Store.MirrorCounts(ctx, r.m.Name)
	if err != nil {
		return err
	}
	for _, n := range counts {
		r.total += n
	}
	if !r.m.Running {
		r.m.Run++
		r.m.Running, r.m.Cursor, r.m.NextETag = true, "", ""
	}
	same, err := r.list(ctx, r.m.ETag)
	if err != nil {
		return err
	}
	if same {
		r.m.Running, r.m.SyncedAt = false, clock.Micros(r.app.Clock())
		return nil
	}
	if !r.partial {
		// Pages may move under their reader, who then misses an entry: what is not there is looked for once more.
		if missing, err := r.missing(ctx); err != nil {
			return err
		} else if missing && r.pages > 1 {
			r.m.Cursor = ""
			if _, err := r.list(ctx, ""); err != nil {
				return err
			}
		}
		if err := r.forget(ctx); err != nil {
			return err
		}
	}
	r.m.Running, r.m.Cursor, r.m.ETag, r.m.SyncedAt = false, "", r.m.NextETag, clock.Micros(r.app.Clock())
	if r.broken.Load() > 0 {
		r.m.ETag = ""
	}
	if r.full {
		r.m.ETag = ""
		return errs.Newf(errs.InvalidRequest, "the source lists more than %d items; the rest is left out", r.m.MaxItems)
	}
	return nil
}

// list reads the source's list from where it was left and does what is to be done about each entry; same is true when nothing
// has changed since etag.
func (r *mirrorRun) list(ctx context.Context, etag string) (same bool, err error) {
	seen := map[uint64]bool{}
	for {
		known := ""
		if r.m.Cursor == "" {
			known = etag
		}
		page, err := mirror.List(ctx, r.from, r.source, r.m.Cursor, known)
		if err != nil {
			return false, err
		}
		if page.NotModified {
			return true, nil
		}
		next := xxhash.Sum64String(page.Next)
		if r.pages++; r.pages > 2*r.m.MaxItems+mirrorPages || seen[next] {
			return false, errs.Newf(errs.InvalidRequest, "the list never ends: %d pages were read", r.pages)
		}
		if r.m.Cursor == "" {
			r.m.NextETag = page.ETag
		}
		if page.Mark != "" {
			r.m.NextETag = page.Mark
		}
		r.partial = page.Partial
		for batch := range slices.Chunk(page.Refs, mirrorBatch) {
			if err := r.batch(ctx, batch); err != nil {
				return false, err
			}
			if !r.until.IsZero() && r.app.Clock().After(r.until) {
				return false, errTurnOver // what was written is not read again
			}
		}
		if page.Next == "" {
			return false, nil
		}
		seen[next] = true
		r.m.Cursor = page.Next
		if err := r.job.Write(ctx, func(tx *store.Tx) error { return tx.PutMirror(r.m) }); err != nil {
			return false, err
		}
	}
}

// mirrorPages is how many pages may be read beyond one for each item that is taken.
const mirrorPages = 100

// missing tells whether this sync has not seen something that was there.
func (r *mirrorRun) missing(ctx context.Context) (bool, error) {
	for _, state := range []string{marketdb.MirrorPublished, marketdb.MirrorWaiting, marketdb.MirrorRefused} {
		rows, err := r.app.Store.MirrorEntries(ctx, r.m.Name, state, "", r.m.Run, 1)
		if err != nil || len(rows) > 0 {
			return len(rows) > 0, err
		}
	}
	return false, nil
}

// forget withdraws what the source does not list any more.
func (r *mirrorRun) forget(ctx context.Context) error {
	return r.app.eachMirrored(ctx, r.job, r.m.Name, r.m.Run, func(tx *store.Tx, e marketdb.MirrorEntry, item marketdb.Item) error {
		return r.gone(ctx, tx, e, item)
	})
}

// gone withdraws an entry that its source has no longer.
func (r *mirrorRun) gone(ctx context.Context, tx *store.Tx, e marketdb.MirrorEntry, item marketdb.Item) error {
	if e.State == marketdb.MirrorGone {
		return nil
	}
	if item.Visibility == catalog.Community {
		if err := r.app.withdrawItem(ctx, tx, core.Operator, item, marketdb.Withdrawal{Note: "Its source has it no longer.", ByMirror: true}); err != nil {
			return err
		}
	}
	e.State, e.Reason = marketdb.MirrorGone, ""
	if item.Visibility == catalog.Withdrawn {
		e.Reason = withdrawnHere
	}
	return tx.PutMirrorEntry(e)
}

// withdrawnHere is the reason of an entry that somebody here has withdrawn: it does not come back with its source.
const withdrawnHere = "withdrawn here"

// mirrorStep is what is done about one entry of the list.
type mirrorStep struct {
	entry   marketdb.MirrorEntry
	ref     mirror.Ref
	read    bool
	release *release // nil when nothing is to be published
	pending bool
	back    bool   // the item is to be seen again as it was
	gone    bool   // a list of changes says that the source has it no longer
	stands  string // the version, known here already, that the source shows
}

func (r *mirrorRun) batch(ctx context.Context, refs []mirror.Ref) error {
	steps, err := r.plan(ctx, refs)
	if err != nil || len(steps) == 0 {
		return err
	}
	reading, together := errgroup.WithContext(ctx)
	reading.SetLimit(mirrorAtOnce)
	for i := range steps {
		if steps[i].read {
			reading.Go(func() error { return r.read(together, &steps[i]) })
		}
	}
	if err := reading.Wait(); err != nil {
		return err
	}
	return r.job.Write(ctx, func(tx *store.Tx) error {
		for i := range steps {
			if err := r.write(ctx, tx, &steps[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// plan says which entries of a batch are new or changed and gives new ones their ids here.
func (r *mirrorRun) plan(ctx context.Context, refs []mirror.Ref) ([]mirrorStep, error) {
	var steps []mirrorStep
	ours := map[string]bool{}
	for _, ref := range refs {
		e, err := r.app.Store.MirrorEntry(ctx, r.m.Name, ref.ID)
		isNew := errors.Is(err, sqldb.ErrNotFound)
		if err != nil && !isNew {
			return nil, err
		}
		if ref.Withdrawn && r.partial && !isNew { // of a whole list it is one that no sync has seen since
			steps = append(steps, mirrorStep{entry: e, ref: ref, gone: true})
		}
		if ref.Withdrawn || ours["\x00"+ref.ID] || !isNew && e.Run == r.m.Run && e.Stamp == ref.Stamp {
			continue // for the source gone, listed twice, or done before this process began
		}
		ours["\x00"+ref.ID] = true
		if isNew {
			if r.total >= r.m.MaxItems {
				r.full = true
				continue
			}
			r.total++
			var failed error
			slug := mirror.Slug(ref.ID, func(slug string) bool {
				there, err := r.app.Store.MirrorTaken(ctx, r.m.Name+"/"+slug)
				failed = errors.Join(failed, err)
				return err == nil && there || ours[slug]
			})
			if failed != nil {
				return nil, failed
			}
			ours[slug] = true
			e = marketdb.MirrorEntry{Mirror: r.m.Name, UpstreamID: ref.ID, Kind: catalog.KindProfilePack, ItemID: r.m.Name + "/" + slug}
		}
		e.Run = r.m.Run
		steps = append(steps, mirrorStep{entry: e, ref: ref, read: isNew || e.Stamp != ref.Stamp || e.State == marketdb.MirrorGone})
	}
	return steps, nil
}

// read reads and scans one entry and says what becomes of it.
func (r *mirrorRun) read(ctx context.Context, s *mirrorStep) error {
	item, err := mirror.Read(ctx, r.from, r.source, s.ref)
	var refused *mirror.Refused
	if err == nil {
		err = r.app.judge(ctx, &r.m, s, item)
	}
	if errors.As(err, &refused) {
		s.release = nil
		s.entry.State, s.entry.Reason = marketdb.MirrorRefused, told(refused)
		err = nil
	}
	if err == nil {
		s.entry.Stamp = s.ref.Stamp
		return nil
	}
	if ctx.Err() != nil || !r.goesOn(err) {
		return err
	}
	// One entry that its source cannot serve does not hold up the others; it is read again with the next sync.
	r.broken.Add(1)
	if s.entry.State == "" {
		s.entry.State, s.entry.Reason = marketdb.MirrorRefused, told(err)
	}
	s.release, s.back = nil, false
	return nil
}

// goesOn tells whether the other entries can be read though one could not.
func (r *mirrorRun) goesOn(err error) bool {
	var away *mirror.AwayError
	if errors.As(err, &away) && away.Elsewhere {
		return true // a host that the source sends its readers to
	}
	var status *fetch.StatusError
	if !errors.As(err, &away) && (!errors.As(err, &status) || status.TooMany()) {
		return false
	}
	return r.failed.Add(1) <= mirrorBroken
}

// mirrorBroken is how many entries a source may fail to serve before the sync is given up for now.
const mirrorBroken = 20

// write writes down what was decided. What somebody here has withdrawn stays so.
func (r *mirrorRun) write(ctx context.Context, tx *store.Tx, s *mirrorStep) error {
	item, err := tx.Item(ctx, s.entry.Kind, s.entry.ItemID)
	there := err == nil
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return err
	}
	if s.gone {
		return r.gone(ctx, tx, s.entry, item)
	}
	switch {
	case s.entry.State == marketdb.MirrorRefused:
		if there && item.Visibility == catalog.Community && s.read {
			// What is in the catalog is no longer what the source has, and what the source has is not taken.
			if err := r.app.withdrawItem(ctx, tx, core.Operator, item, marketdb.Withdrawal{Note: "What its source has now is not taken here.", ByMirror: true}); err != nil {
				return err
			}
		}
	case s.release == nil && !s.back:
	case there && item.Visibility == catalog.Withdrawn && s.entry.Reason != returning && !withdrawnByMirror(item):
		s.entry.State, s.entry.Reason = marketdb.MirrorRefused, withdrawnHere
		return tx.PutMirrorEntry(s.entry)
	default:
		s.entry.Reason = ""
		if there && item.Visibility == catalog.Withdrawn {
			if err := r.app.restoreItem(ctx, tx, core.Operator, item); err != nil {
				return err
			}
		}
		if s.stands != "" {
			if err := r.app.showMirrored(ctx, tx, s.entry, s.stands); err != nil {
				return err
			}
		}
		if s.release != nil {
			if err := r.app.take(ctx, tx, s.release, s.pending); err != nil {
				return err
			}
		}
	}
	if s.entry.Reason == returning {
		s.entry.Reason = ""
	}
	return tx.PutMirrorEntry(s.entry)
}

// withdrawnByMirror tells whether nobody here took an item out: its source did, or with the mirror that was removed it went.
func withdrawnByMirror(item marketdb.Item) bool {
	return item.Facts.Withdrawal != nil && item.Facts.Withdrawal.ByMirror
}

// returning marks an entry that was gone at its source and is there again, until it is written.
const returning = "returning"
