// Package ankisync keeps an Anki on the learner's own machine and what they learn on a server in step. It speaks to the add-on
// AnkiConnect, and to the server through package client.
//
// What is known of earlier rounds is kept in a file beside the credentials: when each card and note was seen to have changed, and
// which cards were suspended here because they wait for others. Everything else can be asked again, so that a round which was cut short
// at any place is made good by the next.
package ankisync
