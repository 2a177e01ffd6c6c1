package launch

import (
	"slices"
	"testing"
)

// TestEnvironmentOfAnotherUser checks that a program that runs as another user gets what was set for it, and no
// variable of plinth's own that could be a secret.
func TestEnvironmentOfAnotherUser(t *testing.T) {
	own := []string{"PATH=/bin", "HOME=/root", "USER=root", "AWS_SECRET_ACCESS_KEY=x", "REDISCLI_AUTH=y", "TZ=UTC"}
	env := []string{"PATH=/bin", "HOME=/root", "USER=root", "AWS_SECRET_ACCESS_KEY=x", "TZ=UTC", "LC_ALL=C", "PGPASSWORD=z"}
	got := lastOfEach(ofUser(env, own, User{Name: "postgres", Home: "/var/lib/postgresql"}))
	slices.Sort(got)
	want := []string{"HOME=/var/lib/postgresql", "LC_ALL=C", "LOGNAME=postgres", "PATH=/bin", "PGPASSWORD=z", "TZ=UTC", "USER=postgres"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
