package checker

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Check finds what must not have happened. Operations may come in any order.
func Check(history []Op, b Bounds) []Violation {
	c := &checking{bounds: b, clients: map[string]*client{}}
	ops := slices.Clone(history)
	// What a client knows is by when it knew it; a read counts from when it began.
	slices.SortStableFunc(ops, func(a, b Op) int { return cmp.Compare(a.End, b.End) })
	done := map[Kind]int{}
	for i := range ops {
		if ops[i].Outcome == OK {
			done[ops[i].Kind]++
		}
		c.answer(ops[i])
		c.of(ops[i].Client).note(ops[i])
	}
	for i := range ops {
		if ops[i].Outcome == OK || ops[i].Kind == Use {
			c.read(ops[i])
		}
	}
	for _, k := range []Kind{Install, Uninstall, Submit, Withdraw, Execute, ListInstalled, ListSubmissions, ListSessions} {
		if done[k] == 0 {
			c.add(RuleEmpty, Op{Kind: k}, "no %s was acknowledged", k)
		}
	}
	return c.found
}

type checking struct {
	bounds  Bounds
	clients map[string]*client
	found   []Violation
}

func (c *checking) add(rule string, op Op, format string, args ...any) {
	c.found = append(c.found, Violation{rule, fmt.Sprintf(format, args...), op})
}

func (c *checking) of(name string) *client {
	k := c.clients[name]
	if k == nil {
		k = &client{items: map[string][]Op{}, keys: map[string][]Op{}, withdrawn: map[string]Op{}, tried: map[string]bool{}, ended: map[string]Op{}, ending: map[string]time.Duration{}}
		c.clients[name] = k
	}
	return k
}

// client is all that one client did.
type client struct {
	items     map[string][]Op // installs and uninstalls by item, in the order of their ends
	keys      map[string][]Op // submits and executes by key
	withdrawn map[string]Op   // by submission, acknowledged
	tried     map[string]bool // submissions whose withdrawal was tried
	ended     map[string]Op   // logouts by session, acknowledged
	ending    map[string]time.Duration
}

func (k *client) note(op Op) {
	switch op.Kind {
	case Install, Uninstall:
		k.items[op.Item] = append(k.items[op.Item], op)
	case Submit, Execute:
		k.keys[op.Key] = append(k.keys[op.Key], op)
	case Withdraw:
		k.tried[op.ID] = true
		if _, known := k.withdrawn[op.ID]; op.Outcome == OK && !known {
			k.withdrawn[op.ID] = op
		}
	case Logout:
		if at, known := k.ending[op.Item]; !known || op.Start < at {
			k.ending[op.Item] = op.Start
		}
		if _, known := k.ended[op.Item]; op.Outcome == OK && !known {
			k.ended[op.Item] = op
		}
	}
}

// answer looks at an answer by itself: what the client found wrong with it, how late it was, and whether one key has
// one answer.
func (c *checking) answer(op Op) {
	if op.Problem != "" {
		c.add(RuleAnswer, op, "%s", op.Problem)
	}
	if took := op.End - op.Start; took > c.bounds.Answer && (c.bounds.Paused == nil || !c.bounds.Paused(op.Node, op.Start, op.End)) {
		c.add(RuleLate, op, "%s took %s", op.Kind, took.Round(time.Millisecond))
	}
	if op.Outcome != OK || op.Kind != Submit && op.Kind != Execute {
		return
	}
	if op.ID == "" {
		c.add(RuleAnswer, op, "acknowledged without an id")
	}
	for _, other := range c.of(op.Client).keys[op.Key] {
		if other.Outcome == OK && other.ID != op.ID {
			c.add(RuleDoubled, op, "key %s was answered %s and %s", op.Key, other.ID, op.ID)
			return
		}
	}
}

func (c *checking) read(op Op) {
	k := c.of(op.Client)
	switch op.Kind {
	case ListInstalled:
		c.installed(k, op)
	case ListSubmissions:
		c.made(k, op, Submit)
		c.states(k, op)
	case ListSessions:
		c.made(k, op, Execute)
	case Use:
		c.used(k, op)
	}
}

// installed compares a list with what may be installed at that moment.
func (c *checking) installed(k *client, op Op) {
	seen := map[string]int{}
	for _, s := range op.Seen {
		seen[s.Item]++
		switch {
		case s.Owner != op.Client:
			c.add(RuleLeak, op, "%s is %s's", s.Item, s.Owner)
		case seen[s.Item] == 2:
			c.add(RuleDoubled, op, "%s is installed twice", s.Item)
		case len(k.items[s.Item]) == 0:
			c.add(RulePhantom, op, "%s was never installed", s.Item)
		}
	}
	for item, ops := range k.items {
		yes, no := possible(ops, op)
		switch there := seen[item] > 0; {
		case there && !yes:
			c.add(RuleStale, op, "%s is installed, and its uninstall was acknowledged before", item)
		case !there && !no:
			c.add(RuleLost, op, "%s is not installed, and its install was acknowledged before", item)
		}
	}
}

// possible tells whether an item may be there, and whether it may be missing, for a read.
func possible(ops []Op, read Op) (there, missing bool) {
	missing = true // nothing is installed in the beginning
	for _, w := range ops {
		switch install := w.Kind == Install; {
		case w.Start > read.End: // had not begun
		case w.Outcome == OK && w.End <= read.Start: // over: only this holds, and what is still open
			open := func(kind Kind) bool {
				return slices.ContainsFunc(ops, func(o Op) bool { return o.Kind == kind && o.Outcome != OK && o.Start <= read.End })
			}
			there, missing = install || open(Install), !install || open(Uninstall)
		case install:
			there = true
		default:
			missing = true
		}
	}
	return there, missing
}

// made compares a list with what keys have made.
func (c *checking) made(k *client, op Op, kind Kind) {
	ids, items := map[string]bool{}, map[string]bool{}
	for _, s := range op.Seen {
		switch {
		case s.Owner != op.Client:
			c.add(RuleLeak, op, "%s is %s's", s.ID, s.Owner)
		case ids[s.ID] || s.Item != "" && items[s.Item]:
			c.add(RuleDoubled, op, "%s (%s) is there twice", s.ID, s.Item)
		}
		ids[s.ID], items[s.Item] = true, true
	}
	begun := 0
	answered := map[string]bool{}
	for key, ops := range k.keys {
		if ops[0].Kind != kind {
			continue
		}
		if slices.ContainsFunc(ops, func(w Op) bool { return w.Start <= op.End }) {
			begun++
		}
		for _, w := range ops {
			if w.Outcome != OK {
				continue
			}
			answered[w.ID] = true
			if w.End <= op.Start && !ids[w.ID] {
				c.add(RuleLost, op, "%s of key %s was acknowledged before and is not there", w.ID, key)
				break
			}
		}
	}
	if len(op.Seen) > begun {
		c.add(RuleDoubled, op, "%d are there, and %d were ever asked for", len(op.Seen), begun)
	}
}

// states compares the states of submissions with what was withdrawn.
func (c *checking) states(k *client, op Op) {
	for _, s := range op.Seen {
		w, acknowledged := k.withdrawn[s.ID]
		switch withdrawn := s.State == stateWithdraw; {
		case acknowledged && w.End <= op.Start && !withdrawn:
			c.add(RuleLost, op, "%s is %s, and its withdrawal was acknowledged before", s.ID, s.State)
		case withdrawn && !k.tried[s.ID]:
			c.add(RulePhantom, op, "%s is withdrawn, and nobody asked for it", s.ID)
		}
	}
}

// used compares whether a session was let in with whether it had been ended.
func (c *checking) used(k *client, op Op) {
	ended, over := k.ended[op.Item]
	begun, tried := k.ending[op.Item]
	switch {
	case op.Outcome == OK && over && op.Start > ended.End+c.bounds.Session:
		c.add(RuleStale, op, "session %s was let in %s after its end", op.Item, (op.Start - ended.End).Round(time.Millisecond))
	case op.Outcome == Denied && (!tried || begun > op.End):
		c.add(RuleLost, op, "session %s was refused, and nobody had ended it", op.Item)
	}
}
