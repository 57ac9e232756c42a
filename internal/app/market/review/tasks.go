package review

import (
	"context"
	"encoding/json"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// Task is something a member did, from the audit log.
type Task struct {
	TaskID     string `json:"task_id"`
	Name       string `json:"name"`
	Action     string `json:"action"`
	OK         bool   `json:"ok"`
	Status     string `json:"status"`
	Message    string `json:"message"`
	At         string `json:"at"`
	TargetID   string `json:"target_id"`
	TemplateID string `json:"template_id"`
	PackID     string `json:"pack_id"`
	RequestID  string `json:"request_id,omitempty"`
	// Error is the error code of a task that failed, where it is known.
	Error string `json:"error,omitempty"`
}

// TaskList is a page of tasks.
type TaskList struct {
	UserID      string `json:"user_id"`
	Count       int    `json:"count"`
	Tasks       []Task `json:"tasks"`
	NextCursor  string `json:"next_cursor"`
	RefreshedAt string `json:"refreshed_at,omitempty"`
}

// ListMemberTasks answers what a member did, newest first.
func (a *Service) ListMemberTasks(ctx context.Context, c core.Caller, in core.PageInput) (TaskList, error) {
	userID, err := c.Allowlisted(in.UserID)
	if err != nil {
		return TaskList{}, err
	}
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return TaskList{}, err
	}
	events, err := a.Store.Tasks(ctx, userID, before, in.Size()+1)
	if err != nil {
		return TaskList{}, err
	}
	out := TaskList{UserID: userID, Tasks: []Task{}}
	if len(events) > in.Size() {
		events = events[:in.Size()]
		out.NextCursor = events[len(events)-1].EventID
	}
	for _, e := range events {
		out.Tasks = append(out.Tasks, taskView(e))
	}
	out.Count = len(out.Tasks)
	return out, nil
}

// RefreshMemberTasks is the same list, with the time at which it was read.
func (a *Service) RefreshMemberTasks(ctx context.Context, c core.Caller, in core.PageInput) (TaskList, error) {
	out, err := a.ListMemberTasks(ctx, c, in)
	out.RefreshedAt = clock.Text(a.Clock())
	return out, err
}

// taskNames are the short names of actions that clients of the contract know (field facts, 1.17).
var taskNames = map[string]string{
	"trial.requested":                 "trial",
	"template.installed":              "install",
	"submission.created":              "submit_template",
	"submission.package_uploaded":     "submit_template",
	"profile_pack.submission_created": "profile_pack_submit",
}

func taskView(e store.Event) Task {
	name, ok := taskNames[e.Action]
	if !ok {
		name = strings.ReplaceAll(e.Action, ".", "_")
	}
	t := Task{
		TaskID: e.EventID, Name: name, Action: e.Action, OK: e.OK, Status: e.Status, Message: e.Action + ": " + e.ItemID,
		At: clock.Text(clock.FromMicros(e.At)), TargetID: e.TargetID, RequestID: e.RequestID,
	}
	if !e.OK {
		var detail struct{ Error, Filename string }
		if json.Unmarshal([]byte(e.Detail), &detail) == nil {
			t.Error = detail.Error
			if e.ItemID == "" { // nothing is known of it but its file
				t.Message += detail.Filename
			}
		}
	}
	if catalog.Kind(e.Kind) == catalog.KindProfilePack {
		t.PackID = e.ItemID
	} else {
		t.TemplateID = e.ItemID
	}
	return t
}
