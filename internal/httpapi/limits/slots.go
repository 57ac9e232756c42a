package limits

import (
	"context"
	"sync"
	"time"

	"stoa/internal/platform/errs"
)

// DefaultUploadsPerMember is how many uploads of one member are taken at a time when nothing else is said.
const DefaultUploadsPerMember = 8

const (
	// uploadsWaiting is how many further uploads of one member may wait for a place: fifty requests with one idempotency
	// key that arrive together are all answered.
	uploadsWaiting = 48
	uploadWait     = 20 * time.Second
)

// UploadSlots bounds the uploads of each member that are under way.
type UploadSlots struct {
	most int

	mu      sync.Mutex
	members map[string]*memberSlots
}

// memberSlots are the places of one member.
type memberSlots struct {
	places chan struct{} // holds one value for each upload under way
	users  int           // uploads that hold a place or wait for one
}

// NewUploadSlots allows each member so many uploads at a time; 0 means the usual number.
func NewUploadSlots(most int) *UploadSlots {
	if most <= 0 {
		most = DefaultUploadsPerMember
	}
	return &UploadSlots{most: most, members: map[string]*memberSlots{}}
}

// Take waits until a member has a place, which leave gives back. It returns rate_limited when too many wait already or no
// place becomes free in time.
func (u *UploadSlots) Take(ctx context.Context, userID string) error {
	refused := &errs.Error{Code: errs.RateLimited, Message: "Too many of your uploads are under way. Send the next when one has ended.", RetryAfter: 5 * time.Second}
	u.mu.Lock()
	m := u.members[userID]
	if m == nil {
		m = &memberSlots{places: make(chan struct{}, u.most)}
		u.members[userID] = m
	}
	if m.users >= u.most+uploadsWaiting {
		u.mu.Unlock()
		return refused
	}
	m.users++
	u.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, uploadWait)
	defer cancel()
	select {
	case m.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		u.forget(userID, m)
		return refused
	}
}

// Leave gives the place of an upload back.
func (u *UploadSlots) Leave(userID string) {
	u.mu.Lock()
	m := u.members[userID]
	u.mu.Unlock()
	<-m.places
	u.forget(userID, m)
}

func (u *UploadSlots) forget(userID string, m *memberSlots) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if m.users--; m.users == 0 {
		delete(u.members, userID)
	}
}
