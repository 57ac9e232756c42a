package mastery

import (
	"maps"
	"math"
	"slices"

	"stoa/internal/learning/mastery/knowledge"
	"stoa/internal/learning/mastery/wire"
)

// The first byte of every state. A change of shape or of what a number means takes the next; rows of an older version
// are then rebuilt from the log.
const (
	version = 1
	// atomVersion is that of a person's atoms: from 2 on with what keeps answers from moving them the wrong way.
	atomVersion = 2
	// personVersion is that of a person: from 2 on their head of recall learns from windows of time too.
	personVersion = 2
	// learnerVersion is that of both together.
	learnerVersion = 3
	// itemsVersion is that of a shared atom with questions; one without any is written as in the first, so that it has the same bytes.
	itemsVersion = 2
)

func encode(put func(*wire.Writer)) []byte { return encodeAs(version, put) }

func encodeAs(version byte, put func(*wire.Writer)) []byte {
	var w wire.Writer
	w.Byte(version)
	put(&w)
	return w.B
}

func decode(b []byte, take func(*wire.Reader)) error { return decodeAs(version, b, take) }

func decodeAs(version byte, b []byte, take func(*wire.Reader)) error {
	r := wire.Reader{B: b}
	if r.Byte() != version {
		return wire.ErrBytes
	}
	take(&r)
	return r.Close()
}

// Encode gives the bytes of the person's row, about a kilobyte.
func (p *Person) Encode() []byte { return encodeAs(personVersion, p.put) }

func (p *Person) put(w *wire.Writer) {
	p.Knowledge.Put(w)
	p.Recall.Put(w)
	w.Floats(p.tempo.Log, p.tempo.Answers)
}

// DecodePerson reads what Encode gives, and what it gave before version 2. Other bytes give wire.ErrBytes.
func DecodePerson(b []byte) (*Person, error) {
	p := NewPerson()
	if len(b) > 0 && b[0] == version {
		return p, decode(b, func(r *wire.Reader) { p.takeWith(r, p.Recall.TakeFirst) })
	}
	r := wire.Reader{B: b}
	if r.Byte() != personVersion {
		return p, wire.ErrBytes
	}
	p.take(&r)
	return p, r.Close()
}

func (p *Person) take(r *wire.Reader) { p.takeWith(r, p.Recall.Take) }

func (p *Person) takeWith(r *wire.Reader, recall func(*wire.Reader)) {
	p.Knowledge.Take(r)
	recall(r)
	if r.Floats(&p.tempo.Log, &p.tempo.Answers); p.tempo.Answers < 0 || p.tempo.Answers > known {
		r.Fail()
	}
}

// Encode gives the bytes of the row of person and atom, usually 150 to 400.
func (a *Atom) Encode() []byte { return encodeAs(atomVersion, a.put) }

func (a *Atom) put(w *wire.Writer) {
	a.Knowledge.Put(w)
	a.Card.Put(w)
	a.Tags.put(w)
	w.Uint(a.Observations)
	w.Int(a.At)
	w.Floats(a.shift, a.ceiling)
}

// DecodeAtom reads what Encode gives, and what it gave before version 2.
func DecodeAtom(b []byte) (*Atom, error) {
	a := newAtom()
	if len(b) > 0 && b[0] == version {
		return a, decode(b, a.takeFirst)
	}
	return a, decodeAs(atomVersion, b, a.take)
}

func (a *Atom) take(r *wire.Reader) {
	a.takeFirst(r)
	if r.Floats(&a.shift, &a.ceiling); a.ceiling < 0 || a.ceiling > 1 {
		r.Fail()
	}
}

// takeFirst reads the shape of version 1.
func (a *Atom) takeFirst(r *wire.Reader) {
	a.Knowledge.Take(r)
	a.Card.Take(r)
	a.Tags.take(r)
	a.Observations = r.Uint()
	a.At = r.Int()
}

// EncodeCore gives the bytes of the row that all share, about ten kilobytes.
func EncodeCore(c *knowledge.Core) []byte { return encode(c.Put) }

// DecodeCore reads what EncodeCore gave.
func DecodeCore(b []byte) (*knowledge.Core, error) {
	c := knowledge.NewCore()
	return c, decode(b, c.Take)
}

// EncodeSharedAtom gives the bytes of an atom's row over all people.
func EncodeSharedAtom(a *knowledge.Atom) []byte {
	if len(a.Items) == 0 {
		return encode(a.Put)
	}
	return encodeAs(itemsVersion, func(w *wire.Writer) { putShared(a, w) })
}

func putShared(a *knowledge.Atom, w *wire.Writer) {
	a.Put(w)
	a.PutItems(w)
}

func takeShared(a *knowledge.Atom, r *wire.Reader) {
	a.Take(r)
	a.TakeItems(r)
}

// DecodeSharedAtom reads what EncodeSharedAtom gave.
func DecodeSharedAtom(b []byte) (*knowledge.Atom, error) {
	a := knowledge.NewAtom()
	if len(b) > 0 && b[0] == version {
		return a, decode(b, a.Take)
	}
	return a, decodeAs(itemsVersion, b, func(r *wire.Reader) { takeShared(a, r) })
}

// Encode gives the whole learner, atoms in order of their ids: for export and for comparing two rebuilds.
func (l *Learner) Encode() []byte {
	return encodeAs(learnerVersion, func(w *wire.Writer) {
		l.Person.put(w)
		putMap(w, l.Atoms, (*Atom).put)
	})
}

// DecodeLearner reads what Encode gave.
func DecodeLearner(b []byte) (*Learner, error) {
	l := NewLearner()
	return l, decodeAs(learnerVersion, b, func(r *wire.Reader) {
		l.Person.take(r)
		takeMap(r, l.Atoms, newAtom, (*Atom).take)
	})
}

// Encode gives the whole population, atoms and their questions in order of their ids.
func (p *Population) Encode() []byte {
	return encodeAs(itemsVersion, func(w *wire.Writer) {
		p.Core.Put(w)
		putMap(w, p.Atoms, putShared)
	})
}

// DecodePopulation reads what Encode gave.
func DecodePopulation(b []byte) (*Population, error) {
	p := NewPopulation()
	return p, decodeAs(itemsVersion, b, func(r *wire.Reader) {
		p.Core.Take(r)
		takeMap(r, p.Atoms, knowledge.NewAtom, takeShared)
	})
}

func putMap[T any](w *wire.Writer, m map[string]*T, put func(*T, *wire.Writer)) {
	w.Uint(uint64(len(m)))
	for _, id := range slices.Sorted(maps.Keys(m)) {
		w.String(id)
		put(m[id], w)
	}
}

func takeMap[T any](r *wire.Reader, m map[string]*T, made func() *T, take func(*T, *wire.Reader)) {
	for range r.Count(math.MaxInt32) {
		if len(r.B) == 0 {
			r.Fail() // a count that promises more than there is
			return
		}
		id, v := r.String(len(r.B)), made()
		take(v, r)
		if m[id] != nil {
			r.Fail()
		}
		m[id] = v
	}
}
