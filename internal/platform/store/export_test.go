package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Looker takes the steps of a node's look at its database one by one.
type Looker struct {
	h history
	v server
}

// NewLooker is a node that knows its database and has followed no acceptance.
func NewLooker(node string) *Looker {
	l := &Looker{v: server{identity: "cluster", timeline: 1}}
	l.h.node, l.h.mark.Identity = node, l.v.identity
	return l
}

// Note writes down that a change is missing.
func (l *Looker) Note(ctx context.Context, conn *pgx.Conn) {
	l.h.noteLoss(ctx, conn, l.v, []acknowledged{{id: uuid.Must(uuid.NewV7()).String()}}, "one is missing")
}

// Follow follows the word of an operator.
func (l *Looker) Follow(ctx context.Context, conn *pgx.Conn) error {
	_, err := l.h.accepted(ctx, conn, l.v)
	return err
}
