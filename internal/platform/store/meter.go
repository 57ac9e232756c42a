package store

import "context"

// Meter bounds what is written on behalf of one member. Admit is asked before a transaction and may refuse it; Wrote is told
// how many bytes its statements carried, after it is on disk.
type Meter struct {
	Admit func() error
	Wrote func(bytes int64)
}

type meterKey struct{}

// WithMeter returns a context whose transactions are counted.
func WithMeter(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// metered runs write, a whole transaction of which fn is the work, under the context's meter.
func metered(ctx context.Context, fn func(*Tx) error, write func(fn func(*Tx) error) error) error {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	if m == nil {
		return write(fn)
	}
	if err := m.Admit(); err != nil {
		return err
	}
	var carried int64
	err := write(func(tx *Tx) error {
		err := fn(tx)
		carried = tx.base.Carried
		return err
	})
	if err == nil {
		m.Wrote(carried)
	}
	return err
}
