package host

import (
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
)

func needOtherUser(t testing.TB) *launch.User {
	t.Helper()
	hosttest.NeedRoot(t)
	user, err := launch.ServerUser()
	if err != nil {
		t.Fatal(err)
	}
	return user
}
