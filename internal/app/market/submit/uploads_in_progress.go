package submit

import "sync"

// uploadsInProgress counts the uploads that are on their way. Its zero value counts none.
type uploadsInProgress struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n is 0; nil before the first upload
}

func (a *uploadsInProgress) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.n == 0 {
		a.idle = make(chan struct{})
	}
	a.n++
}

func (a *uploadsInProgress) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.n--; a.n == 0 {
		close(a.idle)
	}
}

// none is closed once no upload is on its way.
func (a *uploadsInProgress) none() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle == nil {
		a.idle = make(chan struct{})
		close(a.idle)
	}
	return a.idle
}
