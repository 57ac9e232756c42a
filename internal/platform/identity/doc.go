// Package identity asks an OpenID Connect issuer who somebody is: the code flow with PKCE, a state and a nonce.
//
// It stores nothing and knows no member; httpapi leads the browser through it, and app decides what an identity is good
// for.
package identity
