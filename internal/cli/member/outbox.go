package member

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stoa/client"
	"stoa/internal/platform/errs"
)

// notice is something that a server is told: that the member has an item, or no longer has it.
type notice struct {
	Server string `json:"server"`
	Item   string `json:"item"`
	Gone   bool   `json:"gone"`
}

// tell tells a server the changes, and those that it was not told before because it was away. What still cannot be told
// stays in the file for the next time. A later notice of an item takes the place of an earlier one.
func tell(ctx context.Context, file string, server *client.Client, changes []notice) error {
	var waiting []notice
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && json.Unmarshal(text, &waiting) != nil {
		waiting = nil // it can only be told again what is there now
	}
	for _, c := range changes {
		waiting = slices.DeleteFunc(waiting, func(n notice) bool { return n.Server == c.Server && n.Item == c.Item })
		waiting = append(waiting, c)
	}
	if len(waiting) == 0 {
		return nil
	}
	var left []notice
	var failed error
	for _, n := range waiting {
		if server == nil || n.Server != server.URL() || failed != nil {
			left = append(left, n)
			continue
		}
		if failed = tellOne(ctx, server, n); failed != nil {
			left = append(left, n)
		}
	}
	return errors.Join(failed, keepOutbox(file, left))
}

func keepOutbox(file string, left []notice) error {
	if len(left) == 0 {
		err := os.Remove(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	text, err := json.Marshal(left)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// tellOne tells one thing. An item that the server no longer knows has nothing to be told about.
func tellOne(ctx context.Context, server *client.Client, n notice) error {
	if n.Gone {
		return server.Uninstall(ctx, n.Item)
	}
	_, err := server.Install(ctx, n.Item, nil, true)
	if client.CodeOf(err) == string(errs.TemplateNotInstallable) { // withdrawn meanwhile, of either kind
		return nil
	}
	return err
}
