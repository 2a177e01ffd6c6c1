package tune

import (
	"strings"
	"testing"
)

// Whatever a journal says, only files of the kernel are written, and nothing panics.
func FuzzUndoers(f *testing.F) {
	f.Add(knobKind, `{"knob":"vm.swappiness","set":"60","files":[{"path":"/proc/sys/vm/swappiness","was":"5"}]}`)
	f.Add(knobKind, `{"knob":"vm.dirty_bytes","set":"0","files":[{"path":"/proc/sys/vm/dirty_bytes","was":"0"}],"partner":{"path":"/proc/sys/vm/dirty_ratio","was":"0"}}`)
	f.Add(knobKind, `{"knob":"x","set":"root","files":[{"path":"/etc/passwd","was":"y"}],"coupled":[{"path":"/sys/../etc/shadow","was":""}]}`)
	f.Add(endKind, `{"left":{"domain vm1":"x","mount /mnt/data":"rw","/proc/sys/vm/swappiness":"1"},"was":{}}`)
	f.Add(mountKind, `{"mount_point":"/","was":"rw","set":"ro"}`)
	f.Add(serverKind, `{"knob":"fsync","server":"PostgreSQL in /data","set":"off","before":null}`)
	f.Add(domainKind, `{"name":"vm1","xml":"x"}`)
	f.Fuzz(func(t *testing.T, kind, args string) {
		m := newFake()
		m.files["/etc/passwd"], m.files["/etc/shadow"], m.files["/sys/../etc/shadow"] = "root", "secret", "secret"
		undoers := Undoers(m, newServer(), &fakeDomain{})
		if undo := undoers[kind]; undo != nil {
			_ = undo(t.Context(), []byte(args))
			_ = undoers[beginKind](t.Context(), []byte(args))
		}
		for path, content := range m.files {
			if strings.Contains(path, "etc/") && content != "root" && content != "secret" {
				t.Errorf("%s %s wrote %q to %s", kind, args, content, path)
			}
		}
	})
}
