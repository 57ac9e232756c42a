// Package apitest starts the whole server for a test, on a real database, and checks every answer it
// gives against api/openapi.yaml.
//
// Only tests import it. A test says Each to run on every engine there is: SQLite always, PostgreSQL
// when STOA_TEST_POSTGRES names a server (with CI=true or STOA_TEST_REQUIRE=1 it must). The clock
// stands still until the test moves it. Every database begins as a copy of one that was seeded with
// the official content and the members of Members.
package apitest
