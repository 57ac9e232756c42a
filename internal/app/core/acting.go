package core

import "context"

type actingKey struct{}

// WithActor is a context for what somebody in charge does: the audit log names them.
func WithActor(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, actingKey{}, c)
}

// Acting is who does what only people in charge may: the member who is signed in at the console, else the command line.
func Acting(ctx context.Context) Caller {
	if c, is := ctx.Value(actingKey{}).(Caller); is {
		return c
	}
	return Operator
}
