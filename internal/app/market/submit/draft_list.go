package submit

import (
	"context"
	"encoding/json"

	"stoa/internal/app/core"
	"stoa/internal/market/botimport"
	"stoa/internal/market/pack"
	"stoa/internal/platform/store/marketdb"
)

// What a list of drafts holds at most, so that fifty rows stay within a mebibyte.
const (
	treeBytes      = 640 << 10 // of the trees of all rows, rendered; the newest rows have theirs first
	rowDiagnostics = 20        // of field_diagnostics in one row
)

// ImportRow is a draft in a list: clients open their review from it without asking again.
type ImportRow struct {
	ImportListing
	IssueDetails  []pack.Issue    `json:"compatibility_issue_details"`
	Summary       importSummary   `json:"import_summary"`
	SelectionTree json.RawMessage `json:"selection_tree"`
	// TreeTruncated says that the tree names its sections only; the draft itself has it whole.
	TreeTruncated bool `json:"selection_tree_truncated"`
}

// ImportDraftList is a page of drafts.
type ImportDraftList struct {
	UserID     string      `json:"user_id"`
	Count      int         `json:"count"`
	Imports    []ImportRow `json:"imports"`
	NextCursor string      `json:"next_cursor"`
}

// ImportsInput asks for a page of drafts; without trees their sections are named only.
type ImportsInput struct {
	core.PageInput
	Trees *bool `json:"selection_tree"`
}

// MemberListProfilePackImports answers the caller's own drafts, newest first.
func (a *Service) MemberListProfilePackImports(ctx context.Context, c core.Caller, in ImportsInput) (ImportDraftList, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ImportDraftList{}, err
	}
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return ImportDraftList{}, err
	}
	out := ImportDraftList{UserID: userID, Imports: []ImportRow{}}
	left := treeBytes
	if in.Trees != nil && !*in.Trees {
		left = 0
	}
	err = a.Store.EachDraft(ctx, userID, before, in.Size()+1, func(d marketdb.Draft, pending bool) error {
		if len(out.Imports) == in.Size() {
			out.NextCursor = out.Imports[len(out.Imports)-1].ArtifactID
			return nil
		}
		row, err := importRow(d, &left)
		row.DeleteAllowed = !pending
		out.Imports = append(out.Imports, row)
		return err
	})
	out.Count = len(out.Imports)
	return out, err
}

// importRow reads a stored draft; left is how many bytes of trees the rows after it may have.
func importRow(d marketdb.Draft, left *int) (ImportRow, error) {
	var row ImportRow
	if err := json.Unmarshal(d.Listing, &row.ImportListing); err != nil {
		return row, err
	}
	if err := json.Unmarshal(d.Detail, &row); err != nil {
		return row, err
	}
	if row.IssueDetails == nil { // stored before it was always a list
		row.IssueDetails = []pack.Issue{}
	}
	if cut := len(row.Summary.Fields) - rowDiagnostics; cut > 0 {
		row.Summary.Fields, row.Summary.Unlisted = row.Summary.Fields[:rowDiagnostics], row.Summary.Unlisted+cut
	}
	if row.Summary.Fields == nil {
		row.Summary.Fields = []botimport.Field{}
	}
	if size := len(row.SelectionTree); size > 0 && size <= *left {
		*left -= size
		return row, nil
	}
	var sections []pack.Section
	if err := json.Unmarshal(row.SelectionTree, &sections); err != nil {
		return row, err
	}
	for i := range sections {
		s := &sections[i]
		s.ItemsNotListed, s.Items, s.PreviewLines, s.PreviewTruncated = s.ItemsNotListed+len(s.Items), []*pack.Node{}, []string{}, true
	}
	var err error
	row.TreeTruncated = true
	row.SelectionTree, err = json.Marshal(sections)
	return row, err
}
