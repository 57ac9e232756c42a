//go:build linux

package faults

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// What a member's machine can do to it: its disk fills up or stops, its clock jumps.

const diskSize = 4 << 30 // of a member, in bytes; the file is sparse

// giveDisk gives a member a file system of its own, when this process may mount one.
func (p *patroni) giveDisk(t *testing.T, m *member3) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	image, at := filepath.Join(p.dir, m.name+".img"), filepath.Join(p.dir, m.name+".disk")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, diskSize); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"mkfs.ext4", "-q", "-m", "0", image}, {"mount", "-o", "loop", image, at}} {
		if said, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Logf("no disk of its own for %s: %v %s", m.name, err, said)
			return
		}
	}
	t.Cleanup(func() {
		eventually(t, 30*time.Second, "the disk of "+m.name+" is unmounted", func() error { return exec.Command("umount", at).Run() })
	})
	if err := os.Chown(at, int(p.as.Uid), int(p.as.Gid)); err != nil {
		t.Fatal(err)
	}
	m.disk, m.data = at, filepath.Join(at, "data")
}

// fill leaves no room on a member's disk; what it returns makes room again.
func (m *member3) fill(t *testing.T) (free func()) {
	t.Helper()
	ballast := filepath.Join(m.disk, "ballast")
	file, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var size int64
	for block := int64(1 << 30); block >= 4096; { // what is free is in pieces
		if syscall.Fallocate(int(file.Fd()), 0, size, block) != nil {
			block /= 2
			continue
		}
		size += block
	}
	return func() {
		if err := os.Remove(ballast); err != nil {
			t.Error(err)
		}
	}
}

// slow lets a member's disk write for 50 ms of every half second. The shell goes on by itself when the test is killed, so no disk stays frozen.
func (m *member3) slow(t *testing.T, lasts time.Duration) {
	t.Helper()
	const script = `for i in $(seq "$2"); do fsfreeze -f "$1"; sleep 0.45; fsfreeze -u "$1"; sleep 0.05; done`
	if said, err := exec.Command("sh", "-c", script, "sh", m.disk, fmt.Sprint(max(1, lasts.Milliseconds()/500))).CombinedOutput(); err != nil {
		t.Errorf("fsfreeze: %v %s", err, said)
	}
}

// giveClock gives a member a clock of its own, when a C compiler is here.
func (p *patroni) giveClock(t *testing.T, m *member3) {
	t.Helper()
	library := filepath.Join(p.dir, "clock.so")
	if _, err := os.Stat(library); err != nil {
		if said, err := exec.Command("cc", "-shared", "-fPIC", "-O2", "-o", library, "testdata/clock.c").CombinedOutput(); err != nil {
			t.Logf("no clock of its own for %s: %v %s", m.name, err, said)
			return
		}
	}
	m.clock = filepath.Join(p.dir, m.name+".clock")
	m.step(t, 0)
	m.env = append(os.Environ(), "LD_PRELOAD="+library, "STOA_CLOCK="+m.clock)
}

// step sets a member's clock so far ahead of the others'.
func (m *member3) step(t *testing.T, ahead time.Duration) {
	t.Helper()
	seconds := int64(ahead / time.Second)
	file, err := os.OpenFile(m.clock, os.O_RDWR|os.O_CREATE, 0o644) // not another file: processes have this one mapped
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(unsafe.Slice((*byte)(unsafe.Pointer(&seconds)), 8)); err != nil {
		t.Fatal(err)
	}
}

// ahead is how far a member's PostgreSQL is ahead of this process, by what it says itself.
func (m *member3) ahead(t *testing.T) (time.Duration, error) {
	t.Helper()
	db, err := sql.Open("pgx", fmt.Sprintf("postgres://postgres:change-me-1@127.0.0.1:%d/postgres?sslmode=disable&connect_timeout=2", m.pg))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	var now time.Time
	err = db.QueryRowContext(t.Context(), `SELECT clock_timestamp()`).Scan(&now)
	return time.Until(now), err
}

// kindsHere are the faults that can be done on this machine; the others are named.
func (p *patroni) kindsHere(t *testing.T) []int {
	t.Helper()
	var here []int
	var missing []string
	for _, kind := range kinds {
		switch m := p.members[0]; {
		case (kind == fillDisk || kind == slowDisk) && m.disk == "":
			missing = append(missing, "a disk of its own (root and loop devices)")
		case kind == stepClock && m.clock == "":
			missing = append(missing, "a clock of its own (a C compiler)")
		default:
			here = append(here, kind)
		}
	}
	if len(missing) > 0 {
		t.Logf("left out, for a member has not: %s", strings.Join(missing, ", "))
	}
	if len(here) == 0 {
		t.Skip("no fault is left")
	}
	return here
}
