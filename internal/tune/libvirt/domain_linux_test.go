package libvirt

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/journal/journaltest"
	"plinth/internal/profile"
	"plinth/internal/tune"
)

func TestSetAndPut(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]map[string]string{
		"plain": {"vcpupin": "0=8,1=9-10", "emulatorpin": "8-11", "numatune": "strict 1", "hugepages": "on", "locked": "on",
			"cpu_mode": "host-passthrough", "memballoon": "none", "iothreads": "2", "iothreadpin": "1=10,2=11"},
		"published": {"vcpupin": "", "numatune": "none", "hugepages": "off", "locked": "off", "cpu_mode": "host-model", "memballoon": "virtio"},
		"rich": {"vcpupin": "3=1", "emulatorpin": "", "numatune": "interleave 0-1", "hugepages": "off", "cpu_mode": "maximum",
			"iothreads": "1", "iothreadpin": "1=7"},
	} {
		d := define(t, name)
		before, err := d.XML(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Set(t.Context(), values); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := d.Values(t.Context())
		for knob, value := range values {
			if err != nil || got[knob] != value {
				t.Errorf("%s: %s is %q after it was set to %q (%v)", name, knob, got[knob], value, err)
			}
		}
		if err := d.Put(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		if after, err := d.XML(t.Context()); err != nil || after != before {
			t.Errorf("%s: %v: it was\n%s\nand is\n%s", name, err, before, after)
		}
	}
}

// TestSecretsStay checks that a password stays in the domain, and never reaches a journal.
func TestSecretsStay(t *testing.T) {
	t.Parallel()
	d := define(t, "plain")
	const secret = "passwd='secret42'"
	xml, err := d.XML(t.Context())
	if err != nil || strings.Contains(xml, "secret42") {
		t.Fatalf("%v: the definition for a journal has the password: %s", err, xml)
	}
	for what, do := range map[string]func() error{
		"Set": func() error { return d.Set(t.Context(), map[string]string{"locked": "on"}) },
		"Put": func() error { return d.Put(t.Context(), xml) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if whole := sh(t, "dumpxml", "--inactive", "--security-info", d.Name()); !strings.Contains(whole, secret) {
			t.Errorf("after %s it has no password:\n%s", what, whole)
		}
	}
}

// TestOthersStay checks that changes which others make elsewhere meanwhile are kept.
func TestOthersStay(t *testing.T) {
	t.Parallel()
	d := define(t, "plain")
	before, err := d.XML(t.Context())
	if err == nil {
		err = d.Set(t.Context(), map[string]string{"numatune": "strict 1"})
	}
	if err != nil {
		t.Fatal(err)
	}
	sh(t, "desc", d.Name(), "--config", "a shop")
	if err := d.Put(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	after, err := d.XML(t.Context())
	if gone, made := differ(before, after); err != nil || gone != "" || made != "<description>a shop</description>" {
		t.Errorf("%v: gone %q, made %q", err, gone, made)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	d := define(t, "plain")
	before, err := d.XML(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ knob, value, text string }{
		{"vcpupin", "7=1", "there is no vCPU 7"},
		{"iothreadpin", "5=1", "Cannot find 'iothread'"}, // in libvirt's words
	} {
		err := d.Set(t.Context(), map[string]string{"locked": "on", tc.knob: tc.value})
		if err == nil || !strings.Contains(err.Error(), tc.text) || !strings.HasPrefix(err.Error(), "cannot change the domain "+d.Name()+": ") {
			t.Errorf("%s=%s: %v", tc.knob, tc.value, err)
		}
	}
	if after, err := d.XML(t.Context()); err != nil || after != before {
		t.Errorf("half of it was set: %v\n%s", err, after)
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	d := define(t, "plain")
	if live, err := d.Live(t.Context()); err != nil || live != nil {
		t.Errorf("a domain that does not run has %v, %v", live, err)
	}
	if err := d.Set(t.Context(), map[string]string{"emulatorpin": "1"}); err != nil {
		t.Fatal(err)
	}
	sh(t, "start", d.Name())
	defer sh(t, "destroy", d.Name())
	if err := d.Set(t.Context(), map[string]string{"emulatorpin": "2", "locked": "on"}); err != nil {
		t.Fatal(err)
	}
	live, err := d.Live(t.Context())
	if err != nil || live["emulatorpin"] != "1" || live["locked"] != "off" {
		t.Errorf("it runs with %v, %v", live, err)
	}
	if values, err := d.Values(t.Context()); err != nil || values["emulatorpin"] != "2" {
		t.Errorf("it is defined with %v, %v", values, err)
	}
	notes, err := d.Advice(t.Context(), map[string]string{"emulatorpin": "3"})
	if err != nil || len(notes) != 1 || notes[0].Rule != "domain-runs" {
		t.Errorf("advice: %+v, %v", notes, err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	l := launch.NewLocal()
	here := uri(t)
	for _, tc := range []struct{ uri, name, text, hint string }{
		{here, "tset", `libvirt has no domain "tset"`, "did you mean test?"},
		{"test+unix:///default?socket=/nowhere", "test", "Failed to connect socket to '/nowhere': No such file", "systemctl start libvirtd"},
		{"nonsense:///", "", "cannot query the domains of libvirt", ""},
	} {
		_, err := Find(t.Context(), l, tc.uri, tc.name)
		if err == nil || !strings.Contains(err.Error(), tc.text) || !strings.Contains(hint.Of(err), tc.hint) {
			t.Errorf("%s %q: %v (hint %q)", tc.uri, tc.name, err, hint.Of(err))
		}
	}
	// Each connection has a separate libvirt, with the single domain "test".
	if d, err := Find(t.Context(), l, "test:///default", ""); err != nil || d.Name() != "test" || d.URI() != "test:///default" {
		t.Errorf("the only domain: %+v, %v", d, err)
	}
	define(t, "plain")
	if _, err := Find(t.Context(), l, here, ""); err == nil || hint.Of(err) != "name one of them with --domain" {
		t.Errorf("several: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Find(ended, l, here, "test"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
}

func TestWithoutVirsh(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(t.Context(), launch.NewLocal(), "", "vm1"); err == nil || !strings.Contains(hint.Of(err), "libvirt-clients") {
		t.Errorf("without virsh: %v (hint %q)", err, hint.Of(err))
	}
}

// TestExplain uses messages of virsh 9.0.0 that the tests cannot provoke: with virsh --readonly,
// and as another user.
func TestExplain(t *testing.T) {
	for said, want := range map[string][2]string{
		"error: Failed to define domain from plain.xml\nerror: operation forbidden: read only access prevents virDomainDefineXML\n": {
			"Failed to define domain from plain.xml: operation forbidden: read only access prevents virDomainDefineXML", "libvirt-sock-ro"},
		"error: failed to connect to the hypervisor\nerror: Failed to connect socket to '/run/libvirt/libvirt-sock': Permission denied\n": {
			"failed to connect to the hypervisor: Failed to connect socket to '/run/libvirt/libvirt-sock': Permission denied", "as root"},
		"": {"virsh failed without a message", ""},
	} {
		err := virsh{}.explain(words(said))
		if err.Error() != want[0] || !strings.Contains(hint.Of(err), want[1]) {
			t.Errorf("%q: %v (hint %q)", said, err, hint.Of(err))
		}
	}
}

// TestTune plans, applies, verifies and rolls back through tune, and again after a crash between
// the journal entry and the change, and after one between the change and the end.
func TestTune(t *testing.T) {
	t.Parallel()
	d := define(t, "plain")
	before, err := d.XML(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"numatune": "strict 1", "vcpupin": "0=8,1=9", "memballoon": "none"}
	r := tune.Request{Machine: tune.Kernel{Root: t.TempDir()}, Domain: d, Targets: tune.Targets{Domain: d.Name()}}
	worked, err := profile.Work("", []*profile.Profile{profile.Of(values)}, nil, profile.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	r.Values = worked.Values
	p, err := tune.Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Changes {
		if c.State != tune.Later || c.Then != values[c.Key.Knob] {
			t.Errorf("the plan: %+v", c)
		}
	}
	undoers := tune.Undoers(r.Machine, d)
	j := journaltest.Open(t, undoers)
	applied, err := tune.Apply(t.Context(), j, r, p)
	if err != nil {
		t.Fatal(err)
	}
	if now, err := d.Values(t.Context()); err != nil || now["numatune"] != "strict 1" || now["vcpupin"] != "0=8,1=9" || now["memballoon"] != "none" {
		t.Errorf("applied: %v, %v", now, err)
	}
	checks, err := tune.Verify(t.Context(), r, p)
	if err != nil || len(checks) < len(values) {
		t.Errorf("verified: %+v, %v", checks, err)
	}
	for _, c := range checks {
		if !c.OK {
			t.Errorf("verified: %+v", c)
		}
	}
	entries := j.Entries()
	if err := applied.PutBack(t.Context()); err != nil {
		t.Fatal(err)
	}
	asBefore(t, d, before, "a rollback")
	crash(t, undoers, entries)
	asBefore(t, d, before, "a crash before the change")
	if err := d.Set(t.Context(), values); err != nil {
		t.Fatal(err)
	}
	crash(t, undoers, entries[:len(entries)-1])
	asBefore(t, d, before, "a crash after the change")
}

// crash undoes the entries of a journal that was never closed.
func crash(t *testing.T, undoers journal.Undoers, entries []journal.Entry) {
	t.Helper()
	for i := len(entries) - 1; i >= 0; i-- {
		if err := undoers[entries[i].Kind](t.Context(), entries[i].Args); err != nil {
			t.Errorf("%s: %v", entries[i].Kind, err)
		}
	}
}

func asBefore(t *testing.T, d *Domain, before, what string) {
	t.Helper()
	if after, err := d.XML(t.Context()); err != nil || after != before {
		t.Errorf("after %s: %v\n%s", what, err, after)
	}
}

var _ tune.Domain = (*Domain)(nil)

// TestCaptured checks that libvirt prints the fixtures as they are stored, and that libvirtxml
// knows everything in the sections that contain knobs.
func TestCaptured(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"published", "plain", "rich", "cells"} {
		d := define(t, name)
		printed, err := d.XML(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		of, err := Read(fixture(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if now, err := Read(printed); err != nil || !maps.Equal(now, of) {
			t.Errorf("%s: libvirt has %v (%v), the fixture %v", name, now, err, of)
		}
		domain, err := parse(printed)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sections {
			text, err := s.read(printed)
			if err != nil {
				t.Fatal(err)
			}
			again, err := s.write(domain)
			if err != nil {
				t.Fatal(err)
			}
			if gone, err := lost(text, again); err != nil || len(gone) > 0 {
				t.Errorf("%s: %q would be lost of what libvirt prints (%v)", name, gone, err)
			}
		}
	}
}

// TestPlanAdvises checks that a plan reports what does not fit, and what cannot be set.
func TestPlanAdvises(t *testing.T) {
	t.Parallel()
	d := define(t, "plain")
	r := tune.Request{Machine: tune.Kernel{Root: t.TempDir()}, Domain: d, Targets: tune.Targets{Domain: d.Name()}}
	for value, want := range map[string]struct {
		state tune.State
		text  string
	}{
		"0=16": {tune.Later, "pinned to CPU 16, which the machine does not have"},
		"9=1":  {tune.Cannot, "there is no vCPU 9"},
	} {
		worked, err := profile.Work("", []*profile.Profile{profile.Of(map[string]string{"vcpupin": value})}, nil, profile.Facts{})
		if err != nil {
			t.Fatal(err)
		}
		r.Values = worked.Values
		p, err := tune.Make(t.Context(), r)
		if err != nil || len(p.Changes) != 1 {
			t.Fatal(p, err)
		}
		said := p.Changes[0].Problem
		for _, n := range p.Conflicts {
			said += n.Text
		}
		if p.Changes[0].State != want.state || !strings.Contains(said, want.text) {
			t.Errorf("vcpupin %s: %+v, %+v", value, p.Changes[0], p.Conflicts)
		}
	}
}
