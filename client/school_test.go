package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/client"
	"stoa/client/contract"
	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/platform/llm"
)

// seeded signs in one of the members that every server of the tests begins with.
func seeded(t *testing.T, s *apitest.Server, user string) *client.Client {
	t.Helper()
	c, err := client.New(s.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := c.Login(t.Context(), user, apitest.Password)
	if err != nil {
		t.Fatal(err)
	}
	return c.WithToken(session.Token)
}

// Cards go out and come in again, a picture too, and everything can be taken home.
func TestFilesOfTheSchool(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{})
	ada := seeded(t, s, "ada")
	ctx, dir := t.Context(), t.TempDir()
	cards := filepath.Join(dir, "cards.apkg")
	if got, err := ada.ExportAnki(ctx, "apkg", "notes", client.Download{Path: cards}); err != nil || got.SizeBytes == 0 {
		t.Fatalf("%+v: %v", got, err)
	}
	in, err := ada.ImportAnki(ctx, client.FileAt(cards), "")
	var counted struct{ Cards int }
	if err != nil || json.Unmarshal(in, &counted) != nil {
		t.Errorf("%s: %v", in, err)
	}
	log := filepath.Join(dir, "revlog.csv")
	if got, err := ada.ExportReviews(ctx, client.Download{Path: log}); err != nil || got.SizeBytes == 0 {
		t.Fatalf("%+v: %v", got, err)
	}
	if in, err := ada.ImportReviews(ctx, client.FileAt(log)); err != nil || !strings.Contains(string(in), `"taken":0`) {
		t.Errorf("%s: %v", in, err)
	}
	dot := filepath.Join(dir, "dot.gif")
	if err := os.WriteFile(dot, []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := ada.PutNoteMedia(ctx, "maths/dot.gif", client.FileAt(dot))
	if err != nil {
		t.Fatal(err)
	}
	var named struct{ Name string }
	if err := json.Unmarshal(kept, &named); err != nil || named.Name == "" {
		t.Fatalf("%s: %v", kept, err)
	}
	back := filepath.Join(dir, "back.gif")
	if _, err := ada.NoteMedia(ctx, named.Name, client.Download{Path: back}); err != nil {
		t.Fatal(err)
	}
	was, _ := os.ReadFile(dot)
	is, _ := os.ReadFile(back)
	if len(was) == 0 || !bytes.Equal(was, is) {
		t.Errorf("%d bytes went in and %d came out", len(was), len(is))
	}
	if all, err := ada.ExportAccount(ctx, client.Download{Path: filepath.Join(dir, "all.zip")}); err != nil || all.SizeBytes == 0 {
		t.Errorf("%+v: %v", all, err)
	}
}

// A conversation comes piece by piece, and ends where the listener says so.
func TestTrialChat(t *testing.T) {
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, word := range []string{"Plant", " in", " March."} {
			fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", word)
		}
		io.WriteString(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	small, err := llm.New(model.URL+"/v1", "small", "")
	if err != nil {
		t.Fatal(err)
	}
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{App: func(c *core.Config) { c.Trial.Model = small }})
	ada := seeded(t, s, "ada")
	var said strings.Builder
	hear := func(data []byte) error {
		var piece struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal(data, &piece); err != nil {
			return err
		}
		for _, c := range piece.Choices {
			said.WriteString(c.Delta.Content)
		}
		return nil
	}
	request := map[string]any{"messages": []map[string]string{{"role": "user", "content": "When do I plant leek?"}}}
	if err := ada.TrialChat(t.Context(), request, hear); err != nil || said.String() != "Plant in March." {
		t.Errorf("it said %q: %v", said.String(), err)
	}
	enough := fmt.Errorf("enough")
	if err := ada.TrialChat(t.Context(), request, func([]byte) error { return enough }); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("it went on: %v", err)
	}
}

// The generated methods reach the server: a query, a body, a path, and a key that makes a call once.
func TestGeneratedMethods(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{})
	ada := contract.New(seeded(t, s, "ada"))
	ctx := context.Background()
	page, err := ada.ListTemplates(ctx, contract.ListTemplatesParams{Query: "translator", Limit: new(int64(1))})
	if err != nil || len(page.Templates) != 1 || page.Templates[0].TemplateID != "official/careful-translator" {
		t.Fatalf("%+v: %v", page, err)
	}
	once := ada.WithKey("only-once")
	for range 2 {
		if _, err := once.ExecuteStudySession(ctx, contract.SessionExecuteRequest{ActionLimit: new(int64(1))}); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Count(t, "study_session WHERE user_id = 'ada'"); n != 1 {
		t.Errorf("%d sessions with one key", n)
	}
	if _, err := ada.GetProfilePackImport(ctx, "no such/thing", contract.GetProfilePackImportParams{}); !refused(err, "profile_import_not_found") {
		t.Errorf("a path with a slash: %v", err)
	}
}
