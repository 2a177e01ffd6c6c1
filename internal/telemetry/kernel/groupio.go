package kernel

import (
	"bytes"
	"os"
	"path/filepath"

	"plinth/internal/host/proc"
	"plinth/internal/telemetry"
)

// ioSum is what a control group did on all disks: bytes read and written, reads
// and writes.
type ioSum [4]uint64

// groupIOPart is the I/O of a control group.
type groupIOPart struct {
	files []*file // io.stat; of version 1 that of bytes and that of requests
	parse func(g *groupIOPart, file int, text []byte)
	sum   ioSum // at the last reading
	root  string
	upper map[string]bool // devices, and whether they stand on others
	slots []telemetry.Slot
}

func openGroupIO(tree groupTree) (*groupIOPart, error) {
	g := &groupIOPart{root: tree.root, upper: map[string]bool{}, parse: (*groupIOPart).parseBlkio}
	dirs, first := tree.dirs("blkio")
	names := []string{"blkio.throttle.io_service_bytes", "blkio.throttle.io_serviced"}
	if !first {
		dirs, _ = tree.dirs("io")
		names, g.parse = []string{"io.stat"}, (*groupIOPart).parseIOStat
	}
	for _, name := range names {
		f, err := tree.nearest(dirs, name+"_recursive") // with the groups below; since 4.16
		if err != nil {
			f, err = tree.nearest(dirs, name)
		}
		if err != nil {
			g.close()
			return nil, err
		}
		g.files = append(g.files, f)
	}
	return g, nil
}

func (g *groupIOPart) close() { closeAll(g.files) }

func (g *groupIOPart) readTo(b *telemetry.Board) error {
	g.sum = ioSum{}
	for i, f := range g.files {
		text, err := f.read()
		if err != nil {
			return err
		}
		g.parse(g, i, text)
	}
	if g.slots == nil {
		for _, m := range groupIO {
			g.slots = append(g.slots, b.Column(m))
		}
	}
	for i, slot := range g.slots {
		b.Put(slot, float64(g.sum[i]))
	}
	return nil
}

// ioKeys are the words of io.stat, as ioSum.
var ioKeys = [...][]byte{[]byte("rbytes="), []byte("wbytes="), []byte("rios="), []byte("wios=")}

// parseIOStat adds up "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0".
func (g *groupIOPart) parseIOStat(_ int, text []byte) {
	for len(text) > 0 {
		var line, word []byte
		line, text = proc.CutLine(text)
		device, line := proc.CutWord(line)
		if g.standsOnOthers(device) {
			continue
		}
		for word, line = proc.CutWord(line); len(word) > 0; word, line = proc.CutWord(line) {
			for i, key := range ioKeys {
				if digits, found := bytes.CutPrefix(word, key); found {
					n, _ := proc.Number(digits)
					g.sum[i] += n
				}
			}
		}
	}
}

// parseBlkio adds up "8:0 Read 1" and "8:0 Write 2" of the file of bytes (0) or of
// requests (1).
func (g *groupIOPart) parseBlkio(file int, text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = proc.CutLine(text)
		device, rest := proc.CutWord(line)
		operation, rest := proc.CutWord(rest)
		word, _ := proc.CutWord(rest)
		n, ok := proc.Number(word)
		if !ok || g.standsOnOthers(device) {
			continue
		}
		switch string(operation) {
		case "Read":
			g.sum[2*file] += n
		case "Write":
			g.sum[2*file+1] += n
		}
	}
}

// standsOnOthers says whether what a device ("253:0") does is done again by the
// devices below it: dm, md, and loops over files.
func (g *groupIOPart) standsOnOthers(device []byte) bool {
	upper, known := g.upper[string(device)]
	if !known {
		name := string(device)
		dir := filepath.Join(g.root, "sys/dev/block", name)
		slaves, _ := os.ReadDir(filepath.Join(dir, "slaves"))
		_, loop := os.Stat(filepath.Join(dir, "loop"))
		upper = len(slaves) > 0 || loop == nil
		g.upper[name] = upper
	}
	return upper
}
