package launch

import "testing"

func TestInstall(t *testing.T) {
	for program, want := range map[string]string{
		"mkfs.xfs": "install it: apt install xfsprogs, dnf install xfsprogs, apk add xfsprogs",
		"postgres": "install it: apt install postgresql, dnf install postgresql-server, apk add postgresql",
		"unknown":  "install unknown",
	} {
		if got := Install(program); got != want {
			t.Errorf("%s: %s", program, got)
		}
	}
}
