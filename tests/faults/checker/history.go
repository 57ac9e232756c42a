package checker

import "time"

// Kind is what an operation does.
type Kind string

// The operations. Installs and uninstalls change one item of a client; submits and executes carry a key and make
// something with an id; lists read everything of their kind that the client has.
const (
	Install         Kind = "install"
	Uninstall       Kind = "uninstall"
	Submit          Kind = "submit"
	Withdraw        Kind = "withdraw"
	Execute         Kind = "execute"
	Logout          Kind = "logout"
	Use             Kind = "use"              // of a session that may have been ended
	ListInstalled   Kind = "list-installed"   // Seen has item ids
	ListSubmissions Kind = "list-submissions" // Seen has submission ids with their state
	ListSessions    Kind = "list-sessions"    // Seen has ids of study sessions
)

// Outcome is what a client knows of an operation.
type Outcome string

// OK was acknowledged. Refused was answered otherwise and Lost not at all; both may have been carried out. Denied was
// answered with 401.
const (
	OK      Outcome = "ok"
	Refused Outcome = "refused"
	Lost    Outcome = "lost"
	Denied  Outcome = "denied"
)

// Seen is one row of a list.
type Seen struct {
	ID, Owner, Item, State string
}

// Op is one operation of one client.
type Op struct {
	Client  string
	Node    int
	Kind    Kind
	Item    string // what is installed, uninstalled or submitted, or the session that is used or ended
	Key     string // of idempotency
	ID      string // what was answered, or what is withdrawn
	Seen    []Seen
	Outcome Outcome
	Status  int    // of HTTP, 0 for none
	Problem string // what is wrong with the answer by itself, as the client saw it
	Start   time.Duration
	End     time.Duration
}

// Violation is one thing that must not happen.
type Violation struct {
	Rule string
	Text string
	Op   Op
}

// Rules, by name.
const (
	RuleLost      = "lost effect"
	RuleDoubled   = "duplicated effect"
	RulePhantom   = "effect of nothing"
	RuleLeak      = "owner leak"
	RuleStale     = "stale read"
	RuleAnswer    = "wrong answer"
	RuleLate      = "answered too late"
	RuleEmpty     = "history tests nothing"
	stateWithdraw = "withdrawn"
)

// Bounds are what the product documents.
type Bounds struct {
	Session time.Duration // how long an ended session may still be let in by another node
	Answer  time.Duration // how long an answer may take
	// Paused tells whether a node was stopped at some time between two moments, so that its answers are late for a reason.
	Paused func(node int, from, to time.Duration) bool
}
