// Package account makes and checks what proves who somebody is: passwords, session tokens, sign-in links.
//
// It stores nothing; app calls it and keeps the results through store.
package account
