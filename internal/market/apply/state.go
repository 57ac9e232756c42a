package apply

import (
	"slices"
	"time"
)

// State is what the member's machine knows of one bot.
type State struct {
	Target  string      `json:"target"`
	Items   []Installed `json:"items"`
	Objects []Managed   `json:"objects"`
	Log     []Operation `json:"log"` // oldest first, at most maxLog
	Holds   []Hold      `json:"holds,omitempty"`
}

// Hold keeps updates away from an item.
type Hold struct {
	Item string `json:"item"`
	Pin  bool   `json:"pin"`       // no update until it is taken off
	Wait int    `json:"wait_days"` // a version is taken this many days after it was published
}

// Hold is the hold on an item; the zero value when there is none.
func (s *State) Hold(item string) Hold {
	for _, h := range s.Holds {
		if h.Item == item {
			return h
		}
	}
	return Hold{Item: item}
}

// SetHold sets the hold on an item; one that holds nothing is taken off.
func (s *State) SetHold(h Hold) {
	s.Holds = slices.DeleteFunc(slices.Clone(s.Holds), func(x Hold) bool { return x.Item == h.Item })
	if h.Pin || h.Wait > 0 {
		s.Holds = append(s.Holds, h)
	}
}

// maxLog is how many plans can be taken back one after the other.
const maxLog = 20

// Managed is an object that an item brought.
type Managed struct {
	Key
	Item     string `json:"item"`
	Digest   string `json:"sha256"`             // of the value that was confirmed last
	Original Value  `json:"original,omitempty"` // what stood there before Stoa, when the member had it replaced
}

// Operation is one plan that was carried out, wholly or in part.
type Operation struct {
	At       time.Time   `json:"at"`
	Steps    []Step      `json:"steps"`
	Finished bool        `json:"finished"`
	Undoing  bool        `json:"undoing,omitempty"`
	Items    []Installed `json:"items"`   // afterwards
	Objects  []Managed   `json:"objects"` // afterwards
	Before   struct {
		Items   []Installed `json:"items"`
		Objects []Managed   `json:"objects"`
	} `json:"before"`
}

// Action is what a step does.
type Action string

// The actions.
const (
	Make   Action = "make"
	Change Action = "change"
	Remove Action = "remove"
	Keep   Action = "keep"
)

// Step is one object of a plan.
type Step struct {
	Key
	Item   string `json:"item"`
	Action Action `json:"action"`
	Leaves bool   `json:"leaves,omitempty"` // the item no longer has it
	Why    string `json:"why,omitempty"`    // of keep: same, foreign or edited; of change: foreign or edited when that is replaced
	Before Value  `json:"before"`
	After  Value  `json:"after"`
	Status string `json:"status,omitempty"` // begun or done
}

// Reasons to keep, or what is replaced.
const (
	WhySame    = "same"
	WhyForeign = "foreign"
	WhyEdited  = "edited"
)

// The statuses of a step. A step that was begun may have reached the bot or not.
const (
	begun = "begun"
	done  = "done"
)

// Item is the record of an installed item.
func (s *State) Item(id string) (Installed, bool) {
	for _, i := range s.Items {
		if i.ID == id {
			return i, true
		}
	}
	return Installed{}, false
}

// Unfinished is the plan that was interrupted, nil if there is none.
func (s *State) Unfinished() *Operation {
	if n := len(s.Log); n > 0 && (!s.Log[n-1].Finished || s.Log[n-1].Undoing) {
		return &s.Log[n-1]
	}
	return nil
}

func (s *State) managed(key Key) *Managed {
	for i := range s.Objects {
		if s.Objects[i].Key == key {
			return &s.Objects[i]
		}
	}
	return nil
}

// clone copies what plans change.
func (s *State) clone() State {
	out := *s
	out.Items, out.Objects, out.Log = slices.Clone(s.Items), slices.Clone(s.Objects), slices.Clone(s.Log)
	for i := range out.Log {
		out.Log[i].Steps = slices.Clone(out.Log[i].Steps)
	}
	return out
}
