package dbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"
)

// Postgres is the address of a server on which databases may be made and dropped; "" for none. Where
// there must be one and is not, the test fails.
func Postgres(t testing.TB) string {
	t.Helper()
	dsn := os.Getenv("STOA_TEST_POSTGRES")
	if dsn == "" && (os.Getenv("CI") == "true" || os.Getenv("STOA_TEST_REQUIRE") == "1") {
		t.Fatal("STOA_TEST_POSTGRES is not set, and CI or STOA_TEST_REQUIRE asks for the tests on PostgreSQL")
	}
	return dsn
}

// Empty is the name of the database to copy for an empty one.
const Empty = "template0"

// Fresh makes a database that is dropped when the test ends, a copy of the one named template, and
// answers its address.
func Fresh(t testing.TB, admin, template string) (address string) {
	t.Helper()
	name, err := Create(admin, template)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Drop(admin, name); err != nil {
			t.Error(err)
		}
	})
	return Address(admin, name)
}

// Create makes a database that somebody has to Drop, and answers its name.
func Create(admin, template string) (name string, err error) {
	name = "stoa_test_" + rand.Text()[:12]
	return name, run(admin,
		fmt.Sprintf(`CREATE DATABASE "%s" TEMPLATE "%s"`, name, template),
		// What is tested here is not whether the disk keeps its word.
		fmt.Sprintf(`ALTER DATABASE "%s" SET synchronous_commit = off`, name),
	)
}

// Drop removes a database, also under whoever is using it.
func Drop(admin, name string) error {
	return run(admin, fmt.Sprintf(`DROP DATABASE "%s" WITH (FORCE)`, name))
}

// Address is the admin address with another database.
func Address(admin, name string) string {
	u, err := url.Parse(admin)
	if err != nil {
		panic("STOA_TEST_POSTGRES is not an address: " + err.Error())
	}
	u.Path = "/" + name
	return u.String()
}

// Name is the database that an address names.
func Name(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err) // we made it ourselves
	}
	return u.Path[1:]
}

func run(admin string, statements ...string) error {
	db, err := sql.Open("pgx", admin)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(context.Background(), s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}
