package submit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/market/catalog"
	"stoa/internal/market/submission"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/marketdb"
)

// Bounds of what is kept of previews.
const (
	keptPackTime  = 10 * time.Minute
	keptPackBytes = 4 << 20  // a larger pack is made again
	keptPacksSize = 32 << 20 // bytes of all
	keptPackCost  = 64 << 10 // what a pack counts beside its bytes
)

// packKey names a pack by all that it is made of: its owner, the draft's bytes, the texts and options, the recipient.
type packKey [sha256.Size]byte

func packKeyOf(in PackInput, row marketdb.Draft, recipient string) (packKey, error) {
	in.HeaderKey, in.UserID, in.ArtifactID = "", "", ""
	in.Options.IdempotencyKey, in.Options.ReplaceExisting, in.Options.Visibility, in.Options.EncryptionRecipient = "", false, "", ""
	text, err := json.Marshal([]any{row.UserID, row.ArtifactID, row.Blob, row.Fingerprint, row.Filename, row.CreatedAt, recipient, in})
	return sha256.Sum256(text), err
}

// keptPack is a pack that was made for a preview.
type keptPack struct {
	built builtPack // without its zip
	draft string
	bytes []byte
	scan  []byte // the options of its scan
	until int64  // in microseconds
}

// builtPacks keeps the packs of previews for a while, so that the submit that follows sends what was shown and nothing is
// redacted, proved and scanned again. The rules do not change while a process runs. A pack is found by its owner's key alone.
type builtPacks struct {
	clock  clock.Clock
	mu     sync.Mutex
	kept   map[packKey]keptPack
	size   int64
	builds atomic.Int64
}

func newBuiltPacks(c clock.Clock) *builtPacks {
	return &builtPacks{clock: c, kept: map[packKey]keptPack{}}
}

// get returns the pack of a key and forgets it when it is taken away.
func (b *builtPacks) get(key packKey, take bool) (keptPack, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.kept[key]
	if ok && (take || p.until <= clock.Micros(b.clock())) {
		b.drop(key)
	}
	return p, ok && p.until > clock.Micros(b.clock())
}

func (b *builtPacks) drop(key packKey) {
	b.size -= int64(len(b.kept[key].bytes)) + keptPackCost
	delete(b.kept, key)
}

// put keeps a pack; what ends first makes room.
func (b *builtPacks) put(key packKey, p keptPack) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.kept[key]; ok {
		b.drop(key)
	}
	now := b.clock()
	p.until = clock.Micros(now.Add(keptPackTime))
	b.kept[key] = p
	b.size += int64(len(p.bytes)) + keptPackCost
	for k, other := range b.kept {
		if other.until <= clock.Micros(now) {
			b.drop(k)
		}
	}
	for b.size > keptPacksSize {
		var oldest packKey
		first := true
		for k, other := range b.kept {
			if first || other.until < b.kept[oldest].until {
				oldest, first = k, false
			}
		}
		b.drop(oldest)
	}
}

// forget drops what was made of a draft, of all drafts when none is named.
func (b *builtPacks) forget(draft string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k, p := range b.kept {
		if draft == "" || p.draft == draft {
			b.drop(k)
		}
	}
}

// PackBuilds is how many packs were redacted, proved and scanned since the process began.
func (a *Service) PackBuilds() int64 { return a.built.builds.Load() }

// packOf makes the pack that a request is about, or gives the one that a preview has made of the same draft with the same
// options. A submit takes it away.
func (a *Service) packOf(ctx context.Context, in PackInput, row marketdb.Draft, take bool) (builtPack, error) {
	recipient, err := a.recipient(ctx, in.Options, row.UserID)
	if err != nil {
		return builtPack{}, err
	}
	key, err := packKeyOf(in, row, recipient)
	if err != nil {
		return builtPack{}, err
	}
	if kept, ok := a.built.get(key, take); ok {
		if out, ok, err := a.again(ctx, kept, row.UserID, in.Options); ok || err != nil {
			return out, err
		}
	}
	out, err := a.buildPack(ctx, in, row, recipient)
	if err != nil || take || out.zip.Size() > keptPackBytes {
		return out, err
	}
	raw, err := io.ReadAll(io.NewSectionReader(out.zip, 0, out.zip.Size()))
	if err == nil {
		var options []byte
		if options, err = json.Marshal(out.stands.scanOptions(in.Options.ScanMode)); err == nil {
			kept := keptPack{built: out, draft: row.ArtifactID, bytes: raw, scan: options}
			kept.built.zip, kept.built.stands = nil, itemState{}
			a.built.put(key, kept)
		}
	}
	if err != nil {
		out.zip.Discard()
	}
	return out, err
}

// again writes a kept pack for another request. It is none any more when what is published of it has changed how it is
// judged.
func (a *Service) again(ctx context.Context, kept keptPack, userID string, o submission.SubmitOptions) (builtPack, bool, error) {
	out := kept.built
	stands, err := a.ItemStateOf(ctx, catalog.KindProfilePack, out.document.ID, userID)
	if err != nil {
		return builtPack{}, false, err
	}
	options, err := json.Marshal(stands.scanOptions(o.ScanMode))
	if err != nil || !bytes.Equal(options, kept.scan) {
		return builtPack{}, false, err
	}
	if err := stands.checkNew(catalog.KindProfilePack, out.document.ID); err != nil {
		return builtPack{}, false, err
	}
	out.stands = stands
	if out.zip, err = a.stage(kept.bytes); err != nil {
		return builtPack{}, false, err
	}
	return out, true, nil
}

// stage writes bytes to where they may be kept or discarded.
func (a *Service) stage(raw []byte) (*blob.Staged, error) {
	staged, err := a.Blobs.Stage()
	if err != nil {
		return nil, err
	}
	if _, err := staged.Write(raw); err != nil {
		staged.Discard()
		return nil, err
	}
	return staged, nil
}
