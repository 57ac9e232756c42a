package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// ImportAnki brings an Anki package (.apkg, .colpkg) in and answers what came of it, the contract's AnkiImport. content is collection, or
// rows for what changed of a collection; "" is collection.
func (c *Client) ImportAnki(ctx context.Context, file *File, content string) (json.RawMessage, error) {
	var out json.RawMessage
	fields := map[string]string{"filename": file.Name}
	if content != "" {
		fields["content"] = content
	}
	err := c.upload(ctx, "/api/knowledge/anki/import", "", fields, "content_base64", file, &out)
	return out, err
}

// ExportAnki writes one's cards as an Anki package: format is apkg, colpkg or legacy, content cards or notes, "" for the server's default.
func (c *Client) ExportAnki(ctx context.Context, format, content string, d Download) (Downloaded, error) {
	query := url.Values{}
	for name, value := range map[string]string{"format": format, "content": content} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return c.download(ctx, "/api/knowledge/anki/export", query, d)
}

// ImportReviews takes a review log over, a CSV as FSRS's optimizers take it, and answers the contract's ReviewsImport.
func (c *Client) ImportReviews(ctx context.Context, file *File) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.upload(ctx, "/api/knowledge/reviews/import", "", map[string]string{"filename": file.Name}, "content_base64", file, &out)
	return out, err
}

// ExportReviews writes one's answers as such a CSV.
func (c *Client) ExportReviews(ctx context.Context, d Download) (Downloaded, error) {
	return c.download(ctx, "/api/knowledge/reviews/export", nil, d)
}

// PutNoteMedia keeps a picture, a sound or a film at a path of one's vault and answers the contract's KeptMedia.
func (c *Client) PutNoteMedia(ctx context.Context, sourcePath string, file *File) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.upload(ctx, "/api/knowledge/media", "", map[string]string{"sourcePath": sourcePath}, "content_base64", file, &out)
	return out, err
}

// NoteMedia downloads a picture, a sound or a film of one's notes by the name that a note or a question gives it.
func (c *Client) NoteMedia(ctx context.Context, name string, d Download) (Downloaded, error) {
	return c.download(ctx, "/api/knowledge/media", url.Values{"name": {name}}, d)
}

// ExportAccount downloads everything that is kept of the member, as a zip. It wants a session whose password was given in the
// last minutes.
func (c *Client) ExportAccount(ctx context.Context, d Download) (Downloaded, error) {
	return c.download(ctx, "/api/account/export", nil, d)
}

// longestChat bounds a conversation's answer, and longestEvent one piece of it.
const (
	longestChat  = 5 * time.Minute
	longestEvent = 1 << 20
)

// TrialChat has a model go on with a conversation. request is the contract's TrialChatRequest; emit is given the data of each
// event as it comes, an OpenAI chat completion chunk or, as the last, an object with an error. An error of emit ends it.
func (c *Client) TrialChat(ctx context.Context, request any, emit func(data []byte) error) error {
	body, err := jsonBody(request)
	if err != nil {
		return err
	}
	q := &call{method: http.MethodPost, path: "/api/trial/chat", body: body, patience: &patience{attempt: longestChat, hangs: 1}}
	return c.do(ctx, q, func(res *http.Response) error {
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, longestEvent)
		for lines.Scan() {
			data, is := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
			if data = bytes.TrimSpace(data); !is || bytes.Equal(data, []byte("[DONE]")) {
				continue
			}
			if err := emit(data); err != nil {
				return &localError{err}
			}
		}
		if err := lines.Err(); err != nil {
			return &broken{err}
		}
		return nil
	})
}
