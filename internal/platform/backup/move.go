package backup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// Move fills another store, of either engine, with everything that a store holds. A run that was interrupted, however, is
// gone on with by the next; until one has ended well, the target cannot be opened (store.ErrHalfMoved).
type Move struct {
	Store *store.Store // the source, which is only read
	Blobs blob.Store   // of the source
	// Database is the target, as store.Open is given it, and To takes its blobs. To may hold blobs of the source already.
	Database string
	To       blob.Store
	Clock    clock.Clock
	// Ready rebuilds what is not moved but derived from the rows: the search index.
	Ready func(ctx context.Context, target *store.Store) error
}

// Errors of whoever moves.
var (
	// ErrOtherSchema says that the source is not at the schema of this program.
	ErrOtherSchema = errors.New("the store is at another schema than this stoa")
	// ErrOtherBlobs says that the place for blobs holds some that are not the source's.
	ErrOtherBlobs = errors.New("the place for packages holds others already")
	// ErrChanged says that the source was written meanwhile, in a way that asks for another run.
	ErrChanged = errors.New("packages were deleted from the store while it was moved")
	// ErrDiffers says that the target does not hold what the source does.
	ErrDiffers = errors.New("the target differs from the source")
)

// Moved is what stands on both sides. Rows are those of one moment of the source, TakenAt.
type Moved struct {
	TakenAt time.Time    `json:"taken_at"`
	From    sqldb.Engine `json:"from_engine"`
	Into    sqldb.Engine `json:"to_engine"`
	Schema  int64        `json:"schema"`
	Already bool         `json:"already"` // the target had all rows before
	Rows    int64        `json:"rows"`
	Written int64        `json:"rows_written"` // by this run; the others were there
	// Digest is over a line "TABLE ROWS SHA256" for each table.
	Digest string       `json:"rows_sha256"`
	Tables []MovedTable `json:"tables"`
	Blobs  MovedBlobs   `json:"blobs"`
}

// MovedTable are the digests of a table's rows on both sides, as in a backup's manifest.
type MovedTable struct {
	Table  string `json:"table"`
	Rows   int64  `json:"rows"`
	Source string `json:"source_sha256"`
	Target string `json:"target_sha256"`
}

// MovedBlobs sums up the blobs that rows name.
type MovedBlobs struct {
	BlobSum       // that are the same on both sides
	Copied  int64 `json:"copied"` // by this run; the others were there
}

// Whole tells whether nothing was missing or damaged in the source.
func (m Moved) Whole() bool { return len(m.Blobs.Missing)+len(m.Blobs.Damaged) == 0 }

// Run moves what is not there yet and compares all of both sides. Without an error the target is whole, but for blobs that
// the source itself has lost (Moved.Whole).
func (m Move) Run(ctx context.Context, progress Progress) (Moved, error) {
	moving := &moving{Move: m, ctx: ctx, progress: progress}
	err := moving.run()
	if ctx.Err() != nil { // all that a driver says then is that its connection was cut
		err = ctx.Err()
	}
	return moving.Moved, err
}

func (m *moving) run() error {
	schema, err := m.Store.Schema(m.ctx)
	if err != nil {
		return err
	}
	m.From, m.Schema = m.Store.Engine(), schema.Current
	if schema.Current != schema.Newest {
		return fmt.Errorf("%w: it is at %d, this is %d", ErrOtherSchema, schema.Current, schema.Newest)
	}
	to, err := store.OpenMove(m.ctx, m.Database, m.Clock, m.noOthers)
	if errors.Is(err, store.ErrNotEmpty) {
		return m.again(err)
	}
	if err != nil {
		return err
	}
	return errors.Join(m.fill(to), to.Close())
}

// moving is a move on its way.
type moving struct {
	Move
	Moved
	ctx      context.Context
	progress Progress
}

// noOthers refuses a place for blobs that is somebody else's: two stores that share one remove each other's blobs.
func (m *moving) noOthers() error {
	return m.To.Each(m.ctx, time.Now().Add(24*time.Hour), func(digest string) error {
		there, err := m.Move.Blobs.Has(m.ctx, digest)
		if err == nil && !there {
			err = fmt.Errorf("%w: %s is not in the store that is moved", ErrOtherBlobs, digest)
		}
		return err
	})
}

func (m *moving) fill(to *store.Move) error {
	if err := m.rows(to); err != nil {
		return err
	}
	there, err := to.Snapshot(m.ctx)
	if err != nil {
		return err
	}
	m.Into = there.Engine
	differs, err := m.compare(there, false)
	if err = errors.Join(err, there.Close()); err != nil {
		return err
	}
	for _, table := range differs { // its pieces are not to be believed
		if err := to.Clear(m.ctx, table); err != nil {
			return err
		}
	}
	if len(differs) > 0 {
		return fmt.Errorf("%w in the rows of %v; the next run writes them again", ErrDiffers, differs)
	}
	target, err := to.Store(m.ctx)
	if err != nil {
		return err
	}
	if err := m.blobs(target); err != nil {
		return err
	}
	m.progress.tell("search index", 0, 0)
	if err := m.Ready(m.ctx, target); err != nil {
		return err
	}
	return to.Finish(m.ctx)
}

// again looks at a target that holds rows already: it is the end of a move, or it is refused.
func (m *moving) again(refused error) error {
	target, err := store.OpenAsIs(m.ctx, m.Database, m.Clock)
	if err != nil {
		return err
	}
	defer target.Close() //nolint:errcheck // it was only read
	if err := m.source(m.sumOnly); err != nil {
		return err
	}
	there, err := target.Snapshot(m.ctx)
	if err != nil {
		return err
	}
	m.Into = there.Engine
	differs, err := m.compare(there, true)
	if err = errors.Join(err, there.Close()); err != nil {
		return err
	}
	if len(differs) > 0 {
		return refused
	}
	m.Already = true
	return m.blobs(target)
}
