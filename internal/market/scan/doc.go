// Package scan reads what people publish and says what in it may harm whoever installs it.
//
// It judges nothing and removes nothing: findings become labels and evidence, and a person decides.
// app calls it before anything is published.
package scan
