package normal

// Text is bytes made from a source, with the source offset of each of them. At has one entry more than B:
// the offset where the source ends.
type Text struct {
	B  []byte
	At []int32
}

// Raw is a source as it stands.
func Raw(source []byte) Text {
	t := Text{B: source, At: make([]int32, len(source)+1)}
	for i := range t.At {
		t.At[i] = int32(i)
	}
	return t
}

// Slice is the part of t from byte i to byte j.
func (t Text) Slice(i, j int) Text { return Text{t.B[i:j:j], t.At[i : j+1 : j+1]} }

// builder makes a Text from parts of another.
type builder struct {
	b  []byte
	at []int32
}

func newBuilder(n int) *builder {
	return &builder{make([]byte, 0, n), make([]int32, 0, n+1)}
}

func (w *builder) byte(c byte, at int32) {
	w.b, w.at = append(w.b, c), append(w.at, at)
}

func (w *builder) string(s string, at int32) {
	for i := range len(s) {
		w.byte(s[i], at)
	}
}

func (w *builder) copy(t Text, i, j int) {
	w.b, w.at = append(w.b, t.B[i:j]...), append(w.at, t.At[i:j]...)
}

func (w *builder) text(end int32) Text { return Text{w.b, append(w.at, end)} }

func end(t Text) int32 { return t.At[len(t.B)] }
