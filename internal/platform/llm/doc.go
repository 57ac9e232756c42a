// Package llm speaks to a server with OpenAI's HTTP interface: a local one such as Ollama, llama.cpp or vLLM, or one in the
// cloud. It owns the bounds of such a call: size, no redirects, and errors that tell the kind of fault and
// which server was asked, no key and nothing of what the server said.
//
// internal/app asks it for tutors' replies and for vectors of notes; cmd/stoa sets it up.
package llm
