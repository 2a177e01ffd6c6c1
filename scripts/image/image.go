package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// entry is a file of an image.
type entry struct {
	mode  int64
	data  []byte
	link  string // where a symbolic link leads
	dir   bool
	owner int // user and group
}

// tree is the files of a layer by their paths, which begin without a slash.
type tree map[string]entry

// complete adds the directories of all files.
func (t tree) complete() {
	for name := range t {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, has := t[dir]; !has {
				t[dir] = entry{mode: 0o755, dir: true}
			}
		}
	}
}

// write writes the files as an archive that depends on nothing else: no clock, no order, no user names.
func (t tree) write(out io.Writer) error {
	t.complete()
	archive := tar.NewWriter(out)
	for _, name := range sorted(t) {
		e := t[name]
		header := &tar.Header{
			Name: name, Mode: e.mode, Size: int64(len(e.data)), Uid: e.owner, Gid: e.owner,
			Typeflag: tar.TypeReg, ModTime: time.Unix(0, 0), Format: tar.FormatPAX,
		}
		switch {
		case e.dir:
			header.Typeflag, header.Name = tar.TypeDir, name+"/"
		case e.link != "":
			header.Typeflag, header.Linkname, header.Mode = tar.TypeSymlink, e.link, 0o777
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.data); err != nil {
			return err
		}
	}
	return archive.Close()
}

func (t tree) layer() (v1.Layer, error) {
	var data bytes.Buffer
	if err := t.write(&data); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithCompressedCaching,
		tarball.WithMediaType(types.OCILayer))
}

// imageOf returns the image of an architecture: Debian's files, and plinth above them, so that an image
// of the next version differs in the second layer only.
func imageOf(arch, version string, created time.Time, base, plinth tree) (v1.Image, error) {
	config := &v1.ConfigFile{
		Architecture: arch, OS: "linux", Created: v1.Time{Time: created}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: fmt.Sprintf("%d:%d", unprivileged, unprivileged), Cmd: []string{"plinth", "hold"}, WorkingDir: "/home/plinth",
			Env:    []string{"PATH=/usr/local/bin:/usr/bin:/usr/sbin", "HOME=/home/plinth"},
			Labels: map[string]string{"org.opencontainers.image.title": "plinth", "org.opencontainers.image.version": version},
		},
	}
	if arch == "arm64" {
		config.Variant = "v8"
	}
	image, err := mutate.ConfigFile(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), config)
	if err != nil {
		return nil, err
	}
	return addLayers(image, created, []part{{"packages of Debian 12", base}, {"plinth " + version, plinth}})
}

// part is a layer with what its files are.
type part struct {
	what  string
	files tree
}

func addLayers(image v1.Image, created time.Time, parts []part) (v1.Image, error) {
	for _, p := range parts {
		layer, err := p.files.layer()
		if err != nil {
			return nil, err
		}
		image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{CreatedBy: p.what, Created: v1.Time{Time: created}}})
		if err != nil {
			return nil, err
		}
	}
	return image, nil
}

// index joins the images of all architectures.
func index(images []v1.Image, arches []string) (v1.ImageIndex, error) {
	all := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for i, image := range images {
		config, err := image.ConfigFile()
		if err != nil {
			return nil, err
		}
		all = mutate.AppendManifests(all, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "linux", Architecture: arches[i], Variant: config.Variant},
		}})
	}
	return all, nil
}

// writeTar writes an image as docker save does: docker load and ctr images import read it.
func writeTar(file, reference string, image v1.Image) error {
	as, err := name.NewTag(reference)
	if err != nil {
		return err
	}
	if err := tarball.WriteToFile(file, as, image); err != nil {
		return fmt.Errorf("cannot write %s: %w", file, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%s  %.1f MiB  %s  %s\n", file, float64(info.Size())/(1<<20), reference, digest)
	return nil
}

// writeLayout writes the image of all architectures as an OCI layout: skopeo and crane read it.
func writeLayout(dir, as string, all v1.ImageIndex) error {
	l, err := layout.Write(dir, empty.Index)
	if err == nil {
		err = l.AppendIndex(all, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": as}))
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", dir, err)
	}
	digest, err := all.Digest()
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%s  OCI layout of all architectures  %s\n", dir, digest)
	return nil
}

// push sends the image of all architectures to a registry.
func push(ctx context.Context, reference string, all v1.ImageIndex) error {
	as, err := name.ParseReference(reference)
	if err != nil {
		return err
	}
	if err := remote.WriteIndex(as, all, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return fmt.Errorf("cannot push %s: %w", reference, err)
	}
	fmt.Fprintf(os.Stdout, "pushed %s\n", as)
	return nil
}
