package marketdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"stoa/internal/market/catalog"
	"stoa/internal/market/ranking"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Item is a published template or profile pack: what its latest version says. Times in µs.
type Item struct {
	Seq           int64
	Kind          catalog.Kind
	ItemID        string
	Owner         string
	Visibility    catalog.Visibility
	Version       string
	Category      string
	Maintainer    string
	SourceChannel string
	PackType      string
	RiskLevel     string
	Featured      bool
	FeaturedNote  string
	FeaturedAt    int64
	PublishedAt   int64
	ChangedAt     int64
	// ChangeNo is the number of the item's last change; see ItemsAfter.
	ChangeNo int64
	// Revision counts the changes of what search finds; the search index carries the same number.
	Revision int64
	Facts    ItemFacts
	// Ranking is filled by ItemsAfter alone.
	Ranking ranking.Counts
}

// ItemFacts are the lists of an item. SQL never looks into them.
type ItemFacts struct {
	Tags         []string `json:"tags"`
	ReviewLabels []string `json:"review_labels"`
	WarningFlags []string `json:"warning_flags"`
	FoldedTitles []string `json:"folded_titles"` // as the ranking of a search compares them
	Names        []string `json:"names"`         // the folded titles as they stand, for text filters
	ReviewNote   string   `json:"review_note"`
	Republish    bool     `json:"republish,omitempty"`   // a mirrored item that the feeds show
	FeaturedBy   string   `json:"featured_by,omitempty"` // who featured it last, or took that back
	// Withdrawal is nil while the item is in the catalog, and of what was withdrawn before it was kept.
	Withdrawal *Withdrawal `json:"withdrawal,omitempty"`
	// WithdrawnVersions are versions that the author took out while others stay.
	WithdrawnVersions map[string]Withdrawal `json:"withdrawn_versions,omitempty"`
}

// Withdrawal says why an item or a version left the catalog.
type Withdrawal struct {
	At       int64  `json:"at"` // µs
	Note     string `json:"note"`
	ByAuthor bool   `json:"by_author,omitempty"` // who may also put it back
	ByMirror bool   `json:"by_mirror,omitempty"` // a sync followed the source, or the mirror was removed
}

const itemColumns = `seq, kind, item_id, owner, visibility, version, category, maintainer, source_channel, pack_type, risk_level, featured, featured_note, featured_at, published_at, changed_at, revision, facts, change_no`

func scanItem(rows *sql.Rows, i *Item, more ...any) error {
	var facts string
	dest := append([]any{
		&i.Seq, &i.Kind, &i.ItemID, &i.Owner, &i.Visibility, &i.Version, &i.Category, &i.Maintainer, &i.SourceChannel,
		&i.PackType, &i.RiskLevel, &i.Featured, &i.FeaturedNote, &i.FeaturedAt, &i.PublishedAt, &i.ChangedAt, &i.Revision, &facts, &i.ChangeNo,
	}, more...)
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	return json.Unmarshal([]byte(facts), &i.Facts)
}

// Item gives one item by kind and id, or ErrNotFound.
func (q Queries) Item(ctx context.Context, kind catalog.Kind, itemID string) (Item, error) {
	var i Item
	found := false
	err := sqldb.ScanAll(ctx, q.Q, `SELECT `+itemColumns+` FROM item WHERE kind = $1 AND item_id = $2`, []any{string(kind), itemID}, func(rows *sql.Rows) error {
		found = true
		return scanItem(rows, &i)
	})
	if err == nil && !found {
		err = sqldb.ErrNotFound
	}
	return i, err
}

// ItemName gives an item's id and kind, or ErrNotFound.
func (q Queries) ItemName(ctx context.Context, seq int64) (itemID string, kind catalog.Kind, owner string, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT item_id, kind, owner FROM item WHERE seq = $1`, []any{seq}, &itemID, &kind, &owner)
	return itemID, kind, owner, err
}

// AllItems is the change number before the first.
const AllItems = -1

// ItemsAfter hands every item whose last change has a higher number to yield, with its engagement. The numbers are in the
// order of the commits: whoever has seen one has seen, or can never see, every lower one.
func (q Queries) ItemsAfter(ctx context.Context, changeNo int64, yield func(Item, catalog.Engagement)) error {
	return sqldb.ScanAll(ctx, q.Q, `SELECT i.seq, i.kind, i.item_id, i.owner, i.visibility, i.version, i.category, i.maintainer, i.source_channel,
		i.pack_type, i.risk_level, i.featured, i.featured_note, i.featured_at, i.published_at, i.changed_at, i.revision, i.facts, i.change_no,
		e.trial_requests, e.installs, e.prompt_generations, e.package_generations, e.community_submissions, e.last_activity_at,
		COALESCE(s.counted, 0), COALESCE(s.stars, 0), COALESCE(s.others, 0), COALESCE(s.keepers, 0)
		FROM item i JOIN engagement e ON e.seq = i.seq LEFT JOIN ranking s ON s.seq = i.seq WHERE i.change_no > $1`, []any{changeNo}, func(rows *sql.Rows) error {
		var i Item
		var e catalog.Engagement
		if err := scanItem(rows, &i, append(engagementFields(&e), &i.Ranking.Ratings, &i.Ranking.Stars, &i.Ranking.Others, &i.Ranking.Keepers)...); err != nil {
			return err
		}
		yield(i, e)
		return nil
	})
}

// AnyItem tells whether anything of a kind is published.
func (q Queries) AnyItem(ctx context.Context, kind catalog.Kind) (bool, error) {
	var id string
	err := sqldb.ScanOne(ctx, q.Q, `SELECT item_id FROM item WHERE kind = $1 LIMIT 1`, []any{string(kind)}, &id)
	if errors.Is(err, sqldb.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// ItemTotals are the figures that the search index must agree with.
type ItemTotals struct {
	Items     int64
	MaxSeq    int64
	Revisions int64
}

// ItemTotals sums up the published items.
func (q Queries) ItemTotals(ctx context.Context) (t ItemTotals, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*), COALESCE(MAX(seq), 0), COALESCE(CAST(SUM(revision) AS BIGINT), 0) FROM item`, nil, &t.Items, &t.MaxSeq, &t.Revisions)
	return t, err
}

// NextSeq hands out the next dense item number. It is lost with the transaction when that fails.
func (tx *Tx) NextSeq() (seq int64, err error) {
	// The numbers of changes are locked first, as everywhere, so that no two transactions wait for each other.
	if _, err := tx.nextChange(); err != nil {
		return 0, err
	}
	if err := tx.Exec(`UPDATE counter SET value = value + 1 WHERE name = 'item'`); err != nil {
		return 0, err
	}
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `SELECT value FROM counter WHERE name = 'item'`, nil, &seq)
	return seq, err
}

// nextChange numbers a change of an item. The counter's row is locked until the transaction ends, which makes the numbers
// follow the order of the commits.
func (tx *Tx) nextChange() (n int64, err error) {
	// Two statements: RETURNING makes SQLite open a savepoint, at which FTS5 writes out what it holds.
	if err := tx.Exec(`UPDATE counter SET value = value + 1 WHERE name = 'item_change'`); err != nil {
		return 0, err
	}
	if n, err = tx.ItemChange(tx.Ctx); err == nil {
		tx.Change = n
	}
	return n, err
}

// AddItem adds a new item, whose engagement is the submissions that there were of it, and sets its change number; ErrConflict
// when its id is taken.
func (tx *Tx) AddItem(i *Item) error {
	args, err := tx.itemArgs(i)
	if err != nil {
		return err
	}
	if err := tx.Exec(`INSERT INTO item (`+itemColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`, args...); err != nil {
		return sqldb.OrConflict(err)
	}
	if err := tx.Exec(`INSERT INTO engagement (seq, trial_requests, installs, prompt_generations, package_generations, community_submissions, last_activity_at, changed_at)
		SELECT $1, 0, 0, 0, 0, COUNT(*), COALESCE(MAX(created_at), 0), $2 FROM submission WHERE kind = $3 AND item_id = $4`, i.Seq, clock.Micros(tx.Now), string(i.Kind), i.ItemID); err != nil {
		return err
	}
	return tx.countSubmissions(*i)
}

// UpdateItem writes an item over the one with its seq and sets its change number.
func (tx *Tx) UpdateItem(i *Item) error {
	args, err := tx.itemArgs(i)
	if err != nil {
		return err
	}
	return tx.One(`UPDATE item SET kind = $2, item_id = $3, owner = $4, visibility = $5, version = $6, category = $7, maintainer = $8,
		source_channel = $9, pack_type = $10, risk_level = $11, featured = $12, featured_note = $13, featured_at = $14, published_at = $15,
		changed_at = $16, revision = $17, facts = $18, change_no = $19 WHERE seq = $1`, args...)
}

func (tx *Tx) itemArgs(i *Item) ([]any, error) {
	facts, err := json.Marshal(i.Facts)
	if err != nil {
		return nil, err
	}
	i.ChangeNo, err = tx.nextChange()
	return []any{
		i.Seq, string(i.Kind), i.ItemID, i.Owner, string(i.Visibility), i.Version, i.Category, i.Maintainer, i.SourceChannel,
		i.PackType, i.RiskLevel, i.Featured, i.FeaturedNote, i.FeaturedAt, i.PublishedAt, clock.Micros(tx.Now), i.Revision, string(facts), i.ChangeNo,
	}, err
}

// ItemChange is the newest change of an item.
func (q Queries) ItemChange(ctx context.Context) (n int64, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT value FROM counter WHERE name = 'item_change'`, nil, &n)
	return n, err
}
