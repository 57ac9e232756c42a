package apitest

import (
	"context"
	"encoding/json"
	"testing"

	"stoa/internal/app/core"
	"stoa/internal/app/market/review"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/transfer"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// As a member, without HTTP.
func asMember(userID string) core.Caller { return core.Caller{Role: core.Member, UserID: userID} }

// Setup is a small bot's configuration as AstrBot writes it, with one persona of the given name.
func Setup(t testing.TB, persona string) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"config_version":    2,
		"provider_settings": map[string]any{"default_personality": persona, "max_tokens": 4096},
		"persona":           []any{map[string]any{"name": persona, "prompt": "You are " + persona + " and answer politely."}},
		"provider":          []any{map[string]any{"id": "local", "type": "openai_chat_completion", "api_base": "https://llm.example.org/v1", "key": []any{"${LLM_KEY}"}}},
		"timezone":          "Europe/Lisbon",
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// upload hands bytes to the application as a request would.
func (s *Server) upload(t testing.TB, userID, jobType string, content []byte) *submit.Upload {
	t.Helper()
	file, err := s.App.BeginUpload(context.Background(), asMember(userID), jobType, int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(file.Close)
	if _, err := file.Write(content); err != nil {
		t.Fatal(err)
	}
	return file
}

// Draft brings a file in as a member's draft and answers its id.
func (s *Server) Draft(t testing.TB, userID, filename string, content []byte) string {
	t.Helper()
	file := s.upload(t, userID, transfer.ProfilePackImport, content)
	defer file.Close() // scans wait while an upload is under way
	d, err := s.App.MemberImportProfilePack(context.Background(), asMember(userID), submit.ImportInput{Filename: filename}, file)
	if err != nil {
		t.Fatal(err)
	}
	return d.ArtifactID
}

// SubmitPackage submits a template's zip as a member and answers the submission's id.
func (s *Server) SubmitPackage(t testing.TB, userID string, in submit.TemplateInput, zip []byte) string {
	t.Helper()
	if zip != nil && in.PackageName == "" {
		in.PackageName = "package.zip"
	}
	file := s.upload(t, userID, transfer.TemplateSubmissionPackage, zip)
	defer file.Close()
	sub, err := s.App.SubmitTemplate(context.Background(), asMember(userID), in, file)
	if err != nil {
		t.Fatal(err)
	}
	return sub.SubmissionID
}

// SubmitPack submits a draft as a member and answers the submission's id.
func (s *Server) SubmitPack(t testing.TB, userID string, in submit.PackInput) string {
	t.Helper()
	sub, err := s.App.SubmitProfilePack(context.Background(), asMember(userID), in)
	if err != nil {
		t.Fatal(err)
	}
	return sub.SubmissionID
}

// Approve opens a submission and publishes it.
func (s *Server) Approve(t testing.TB, submissionID string) {
	t.Helper()
	if _, err := s.App.ReadSubmission(context.Background(), submissionID, review.Read{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.App.Approve(context.Background(), submissionID, "", false); err != nil {
		t.Fatal(err)
	}
}

// File puts submissions straight into the store.
func (s *Server) File(t testing.TB, all ...marketdb.Submission) {
	t.Helper()
	err := s.Store.Write(context.Background(), func(tx *store.Tx) error {
		for _, sub := range all {
			if err := tx.AddSubmission(sub); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
