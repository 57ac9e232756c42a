// Package rig is what the load programmes share: servers started as processes of their own, a client that costs little,
// requests as people make them.
package rig
