package cards

import (
	"cmp"
	"context"
	"encoding/base64"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/questions"
)

const (
	usualQuestions = 100
	mostFolders    = 500
)

// questionPage answers the questions that are asked of a part of the notes, in the order of the notes, as for a sheet of paper. The cursor names
// the unit and how many of its questions have been told.
func (a *Service) questionPage(ctx context.Context, g *notebook.Curriculum, userID string, in QuestionsInput) (QuestionList, error) {
	from, told, err := questionCursor(in.Cursor)
	if err != nil {
		return QuestionList{}, err
	}
	figures, err := a.FiguresOf(ctx, userID)
	if err != nil {
		return QuestionList{}, err
	}
	var proposed map[string]bool
	if in.Retirement {
		if proposed, err = a.proposed(ctx, figures); err != nil {
			return QuestionList{}, err
		}
	}
	limit := cmp.Or(in.Limit, usualQuestions)
	out := QuestionList{Items: []KeptQuestion{}, Folders: folders(g)}
	folder := strings.TrimSuffix(notebook.CleanPath(in.Folder), "/")
	begun := from == ""
	for _, unit := range g.Units {
		if in.DocumentID != "" && unit.DocumentID != in.DocumentID || folder != "" && !strings.HasPrefix(unit.SourcePath, folder+"/") {
			continue
		}
		skip := 0
		if !begun {
			if unit.ID != from {
				continue
			}
			begun, skip = true, told
		}
		list := slices.DeleteFunc(slices.Clone(g.Questions(unit.ID)), func(q questions.Question) bool {
			return q.State != questions.Active || in.Retirement && !proposed[q.ID]
		})
		for i := skip; i < len(list); i++ {
			if len(out.Items) == limit {
				out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(unit.ID + "\n" + strconv.Itoa(i)))
				return out, nil
			}
			shown, err := a.shownKept(ctx, g, &list[i], unit.ID, figures)
			if err != nil {
				return QuestionList{}, err
			}
			out.Items = append(out.Items, shown)
		}
	}
	if !begun { // what the page before ended with is gone
		return QuestionList{}, core.ErrCursor
	}
	return out, nil
}

func questionCursor(cursor string) (unit string, told int, err error) {
	if cursor == "" {
		return "", 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	unit, number, ok := strings.Cut(string(text), "\n")
	told, wrong := strconv.Atoi(number)
	if err != nil || wrong != nil || !ok || unit == "" || told < 0 {
		return "", 0, core.ErrCursor
	}
	return unit, told, nil
}

// folders gives the folders of what is learned, and those above them; decks are folders too.
func folders(g *notebook.Curriculum) []string {
	all := map[string]bool{}
	for _, unit := range g.Units {
		for dir := path.Dir(unit.SourcePath); dir != "." && dir != "/" && !all[dir]; dir = path.Dir(dir) {
			all[dir] = true
		}
	}
	list := slices.AppendSeq(make([]string, 0, len(all)), maps.Keys(all))
	slices.Sort(list)
	return list[:min(len(list), mostFolders)]
}
