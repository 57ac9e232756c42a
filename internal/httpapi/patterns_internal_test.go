package httpapi

// Patterns lists what the server answers, as it is mounted.
func (s *Server) Patterns() []string { return s.mux.patterns }
