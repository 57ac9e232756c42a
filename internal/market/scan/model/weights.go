package model

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the weights
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

//go:embed weights.bin
var embedded []byte

// Default is the model that is shipped.
var Default = sync.OnceValue(func() *Weights {
	w, err := Read(bytes.NewReader(embedded))
	if err != nil {
		panic("weights.bin: " + err.Error())
	}
	return w
})

// Weights are a trained model.
type Weights struct {
	first  []int8 // of text features, then of concepts, then of groups of words
	groups *Groups
	scale  float64 // what one unit of first is worth
	bias   float64
	second [judgeSize]float64 // of a whole text
	third  [judgeSize]float64 // of a chunk of a longer text

	// Thresholds are log-odds, by language: what scores at least as much is taken for an attack.
	Thresholds map[string]Thresholds
}

// Threshold holds the log-odds of both modes.
type Threshold struct {
	Balanced float64 `json:"balanced"`
	Strict   float64 `json:"strict"`
}

// Thresholds are those of each class of text: what looks like an attack by chance differs from one to another.
type Thresholds [ClassCount]Threshold

// For gives the thresholds of a text of a class in a language, or in any other.
func (w *Weights) For(lang string, class Class) Threshold {
	t, ok := w.Thresholds[lang]
	if !ok {
		t = w.Thresholds["other"]
	}
	return t[class]
}

func (w *Weights) score(t tally) float64 {
	return w.bias + w.scale*t.sum()
}

type header struct {
	Format     string                `json:"format"`
	Scale      float64               `json:"scale"`
	Bias       float64               `json:"bias"`
	Second     []float64             `json:"second"`
	Third      []float64             `json:"third"`
	Thresholds map[string]Thresholds `json:"thresholds"`
}

const format = "stoa-scan-6"

// Write puts the weights into a file that Read reads: a header and the compressed bytes.
func (w *Weights) Write(out io.Writer) error {
	h, err := json.Marshal(header{format, w.scale, w.bias, w.second[:], w.third[:], w.Thresholds})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, uint32(len(h)))
	b.Write(h)
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	raw := make([]byte, len(w.first))
	for i, v := range w.first {
		raw[i] = byte(v)
	}
	b.Write(z.EncodeAll(w.groups.append(raw), nil))
	_, err = out.Write(b.Bytes())
	return err
}

// Read reads what Write wrote.
func Read(in io.Reader) (*Weights, error) {
	b, err := io.ReadAll(io.LimitReader(in, 8<<20))
	if err != nil {
		return nil, err
	}
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, errors.New("not a file of weights")
	}
	n := binary.LittleEndian.Uint32(b)
	var h header
	if err := json.Unmarshal(b[4:4+n], &h); err != nil || h.Format != format || len(h.Second) != judgeSize || len(h.Third) != judgeSize {
		return nil, fmt.Errorf("weights of another format: train them again (%s)", format)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(16<<20))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	raw, err := z.DecodeAll(b[4+n:], nil)
	if err != nil || len(raw) < size {
		return nil, errors.New("the weights are cut short")
	}
	groups, err := readGroups(raw[size:])
	if err != nil {
		return nil, err
	}
	w := &Weights{first: make([]int8, size), groups: groups, scale: h.Scale, bias: h.Bias, Thresholds: h.Thresholds}
	copy(w.second[:], h.Second)
	copy(w.third[:], h.Third)
	for i, v := range raw[:size] {
		w.first[i] = int8(v)
	}
	return w, nil
}

// Digest names the weights that are embedded.
func Digest() string {
	sum := sha256.Sum256(embedded)
	return hex.EncodeToString(sum[:])
}
