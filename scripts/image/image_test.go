package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

func TestTag(t *testing.T) {
	for version, want := range map[string]string{
		"v0.1.0-3-g24233444-dirty": "v0.1.0-3-g24233444-dirty",
		"v1.0+rc1":                 "v1.0-rc1",
		"a/b c":                    "a-b-c",
		"-.x":                      "x",
		strings.Repeat("a", 200):   strings.Repeat("a", 128),
	} {
		if got := tag(version); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
		if _, err := name.NewTag("localhost/plinth:" + tag(version)); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, args := range []string{"-arch=s390x", "-arch=", "amd64", "-no"} {
		if _, err := parse([]string{args}); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
	if err := build(t.Context(), options{push: "A:b:c"}); err == nil {
		t.Error("a reference that is none: no error")
	}
	t.Setenv("SOURCE_DATE_EPOCH", "today")
	if _, err := sourceDate(); err == nil {
		t.Error("a time that is none: no error")
	}
}

// some returns the files of a layer, in another order every time.
func some() tree {
	return tree{
		"usr/bin/b": {mode: 0o755, data: []byte("b")}, "usr/bin/a": {link: "/usr/bin/b"},
		"tmp": {mode: 0o1777, dir: true}, "home/plinth": {mode: 0o700, dir: true, owner: unprivileged},
	}
}

func TestTheSameFilesAreTheSameArchive(t *testing.T) {
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := some().write(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two archives of the same files differ")
	}
	var lines []string
	for archive := tar.NewReader(&first); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(time.Unix(0, 0)) {
			t.Errorf("%s is of %s", h.Name, h.ModTime)
		}
		lines = append(lines, h.FileInfo().Mode().String()+" "+h.Name+" "+h.Linkname)
	}
	want := []string{"drwxr-xr-x home/ ", "drwx------ home/plinth/ ", "dtrwxrwxrwx tmp/ ", "drwxr-xr-x usr/ ", "drwxr-xr-x usr/bin/ ", "Lrwxrwxrwx usr/bin/a /usr/bin/b", "-rwxr-xr-x usr/bin/b "}
	if !slices.Equal(lines, want) {
		t.Errorf("%q\nwant %q", lines, want)
	}
}

func imageFor(t *testing.T, arch string) v1.Image {
	t.Helper()
	image, err := imageOf(arch, "1.0", time.Unix(1000, 0).UTC(), some(), tree{"usr/bin/plinth": {mode: 0o755, data: []byte(arch)}})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func digest(t *testing.T, of interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	hash, err := of.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return hash.String()
}

// checkConfig checks what a container of the image is by default.
func checkConfig(t *testing.T, image v1.Image, arch string) {
	t.Helper()
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	if config.Architecture != arch || config.OS != "linux" || config.RootFS.Type != "layers" || len(config.RootFS.DiffIDs) != 2 {
		t.Errorf("%+v", config)
	}
	if c.User != "65534:65534" || len(c.Entrypoint) > 0 || !slices.Equal(c.Cmd, []string{"plinth", "hold"}) {
		t.Errorf("%+v", c)
	}
}

func TestTar(t *testing.T) {
	if first, second := digest(t, imageFor(t, "amd64")), digest(t, imageFor(t, "amd64")); first != second {
		t.Error("two images of the same files differ")
	}
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := writeTar(file, "localhost/plinth:1.0", imageFor(t, "arm64")); err != nil {
		t.Fatal(err)
	}
	as, err := name.NewTag("localhost/plinth:1.0")
	if err != nil {
		t.Fatal(err)
	}
	read, err := tarball.ImageFromPath(file, &as)
	if err != nil {
		t.Fatal(err)
	}
	checkConfig(t, read, "arm64")
}

// The image of all architectures, as a layout and in a registry.
func TestAllArchitectures(t *testing.T) {
	arches := []string{"amd64", "arm64"}
	images := []v1.Image{imageFor(t, arches[0]), imageFor(t, arches[1])}
	all, err := index(images, arches)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := writeLayout(dir, "1.0", all); err != nil {
		t.Fatal(err)
	}
	top, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := top.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if m := manifest.Manifests; len(m) != 1 || m[0].Digest.String() != digest(t, all) || m[0].Annotations["org.opencontainers.image.ref.name"] != "1.0" {
		t.Errorf("%+v", m)
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	reference := strings.TrimPrefix(server.URL, "http://") + "/tools/plinth:1.0"
	if err := push(t.Context(), reference, all); err != nil {
		t.Fatal(err)
	}
	for i, arch := range arches {
		ref, err := name.ParseReference(reference)
		if err != nil {
			t.Fatal(err)
		}
		pulled, err := remote.Image(ref, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: arch}))
		if err != nil {
			t.Fatal(err)
		}
		if digest(t, pulled) != digest(t, images[i]) {
			t.Errorf("%s: another image was pulled", arch)
		}
		checkConfig(t, pulled, arch)
	}
}
