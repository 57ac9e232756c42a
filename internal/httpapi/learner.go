package httpapi

import (
	"context"
	"reflect"

	"stoa/internal/app"
	"stoa/internal/app/core"
)

// ofLearner serves an application method on what a learner has, where that is.
func ofLearner[In, Out any](message string, m method[In, Out]) func(*request) error {
	return plain(message, inLearnersDatabase(m))
}

// keyedOfLearner is ofLearner for a method that an idempotency key in the header may make repeatable.
func keyedOfLearner[In, Out any](message string, m method[In, Out]) func(*request) error {
	return keyed(message, inLearnersDatabase(m))
}

// inLearnersDatabase calls m with the application over the database that has the learner.
func inLearnersDatabase[In, Out any](m method[In, Out]) method[In, Out] {
	return func(a *app.App, ctx context.Context, c core.Caller, in In) (Out, error) {
		return app.Visit(ctx, a, learnerIn(c, &in), func(home *app.App, ctx context.Context) (Out, error) { return m(home, ctx, c, in) })
	}
}

// atHome is inLearnersDatabase for what is no method of the usual form. in points to the input.
func atHome[Out any](r *request, c core.Caller, in any, do func(a *app.App, ctx context.Context) (Out, error)) (Out, error) {
	return app.Visit(r.Context(), r.server.app, learnerIn(c, in), do)
}

// learnerIn says whose data a request is about: the caller's, but where authentication is off and the input names somebody.
func learnerIn(c core.Caller, in any) string {
	if !c.Open {
		return c.UserID
	}
	if field := reflect.ValueOf(in).Elem().FieldByName("UserID"); field.IsValid() && field.String() != "" {
		return field.String()
	}
	return c.UserID
}
