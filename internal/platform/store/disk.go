package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/platform/store/sqldb"
)

// DiskUse is how many bytes one part of the store takes, its indexes included.
type DiskUse struct {
	Area  Area  `json:"area"`
	Bytes int64 `json:"bytes"`
}

// What fills the disk besides the tables.
const (
	AreaFree          Area = "free pages of the database"
	AreaDatabase      Area = "database" // as a whole, where its parts are not known
	AreaDraftBlobs    Area = "draft files"
	AreaPackageBlobs  Area = "package files"
	AreaOtherDatabase Area = "other tables"
)

// DiskUse lists what takes how many bytes, the largest first. On PostgreSQL the server knows; on SQLite the pages are counted,
// which ends when ctx does: then the database is given as a whole.
func (s *Store) DiskUse(ctx context.Context) ([]DiskUse, error) {
	bytes := map[Area]int64{}
	query := `SELECT m.tbl_name, SUM(d.pgsize) FROM dbstat d JOIN sqlite_master m ON m.name = d.name WHERE d.aggregate = TRUE GROUP BY m.tbl_name
		UNION ALL SELECT '', freelist_count * page_size FROM pragma_freelist_count, pragma_page_size`
	if s.engine == sqldb.Postgres {
		query = `SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'`
	}
	err := sqldb.ScanAll(ctx, s.base.Q, query, nil, func(rows *sql.Rows) error {
		var table string
		var n int64
		err := rows.Scan(&table, &n)
		bytes[areaOf(table)] += n
		return err
	})
	if err != nil && s.engine == sqldb.SQLite && ctx.Err() != nil {
		clear(bytes)
		var whole int64
		err = sqldb.ScanOne(context.WithoutCancel(ctx), s.base.Q, `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`, nil, &whole)
		bytes[AreaDatabase] = whole
	}
	if err == nil {
		err = s.blobBytes(context.WithoutCancel(ctx), bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("store: what fills the disk: %w", err)
	}
	var all []DiskUse
	for area, n := range bytes {
		all = append(all, DiskUse{Area: area, Bytes: n})
	}
	slices.SortFunc(all, func(a, b DiskUse) int {
		if a.Bytes != b.Bytes {
			return int(b.Bytes - a.Bytes)
		}
		return strings.Compare(string(a.Area), string(b.Area))
	})
	return all, nil
}

// blobBytes adds the files that rows name, each once.
func (s *Store) blobBytes(ctx context.Context, bytes map[Area]int64) error {
	var drafts, packages int64
	err := errors.Join(
		sqldb.ScanOne(ctx, s.base.Q, `SELECT COALESCE(SUM(b.n), 0) FROM (SELECT MAX(size_bytes) AS n FROM import_draft GROUP BY blob) b`, nil, &drafts),
		sqldb.ScanOne(ctx, s.base.Q, `SELECT COALESCE(SUM(b.n), 0) FROM (SELECT MAX(p.size_bytes) AS n FROM
			(SELECT sha256, size_bytes FROM artifact UNION ALL SELECT sha256, size_bytes FROM submission WHERE sha256 <> '') p GROUP BY p.sha256) b`, nil, &packages))
	bytes[AreaDraftBlobs], bytes[AreaPackageBlobs] = drafts, packages
	return err
}

func areaOf(table string) Area {
	if table == "" {
		return AreaFree
	}
	for _, info := range Registry {
		if info.Name == table {
			return info.Area
		}
	}
	switch {
	case strings.HasPrefix(table, "item_search"):
		return AreaSearch
	case strings.HasPrefix(table, "sqlite_"):
		return AreaServer
	}
	return AreaOtherDatabase
}
