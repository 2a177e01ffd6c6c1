package layout

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"plinth/internal/cost"
	"plinth/internal/placement"
	"plinth/internal/price"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

//go:embed published.yaml
var publishedYAML []byte

// publication is a layout that was published. The file published.yaml explains the keys.
type publication struct {
	Name     string            `yaml:"name"`
	From     string            `yaml:"from"`
	Run      string            `yaml:"run"` // the experiment that measures it
	Volumes  []publishedVolume `yaml:"volumes"`
	Settings map[string]string `yaml:"settings"`
	Costs    string            `yaml:"costs"`
	Row      string            `yaml:"row"`
}

type publishedVolume struct {
	Name       string    `yaml:"name"`
	On         string    `yaml:"on"`
	Size       unit.Size `yaml:"size"`
	Filesystem string    `yaml:"filesystem"`
	Mount      []string  `yaml:"mount"`
	Holds      []string  `yaml:"holds"`
}

// publications returns the published layouts. A test checks that they can be read.
var publications = sync.OnceValue(func() (all []publication) {
	if strictyaml.Decode(publishedYAML, &all) != nil {
		return nil
	}
	return all
})

// Comparison is a published layout beside this one.
type Comparison struct {
	From string     `json:"from"`
	Run  string     `json:"experiment"`
	Rows []Compared `json:"rows"`
}

// Compared is a volume, an object, a setting or the price, as published and here.
type Compared struct {
	What      string `json:"what"`
	Published string `json:"published"`
	Here      string `json:"here"`
	Same      bool   `json:"same"`
	Why       string `json:"why,omitempty"` // of a difference
}

// compare compares the layout with a published one of the same name.
func (f *finder) compare(l *Layout) error {
	at := slices.IndexFunc(publications(), func(p publication) bool { return p.Name == l.Input.Name })
	if at < 0 || f.choice.Stores != nil {
		return nil
	}
	p := publications()[at]
	f.note("the publication states neither growth nor the sizes of backups: what is assumed is marked in the file (plinth layout %s --yaml)", p.Name)
	c := &Comparison{From: p.From, Run: p.Run}
	for _, v := range p.Volumes {
		c.Rows = append(c.Rows, f.compareVolume(l, v))
	}
	for _, v := range p.Volumes {
		for _, name := range v.Holds {
			row, err := f.compareObject(l, name, v.On)
			if err != nil {
				return err
			}
			c.Rows = append(c.Rows, row)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Settings)) {
		c.Rows = append(c.Rows, compareSetting(l, name, p.Settings[name]))
	}
	row, err := f.comparePrice(l, p)
	c.Rows = append(c.Rows, row)
	l.Published = c
	return err
}

// volumeOf returns the volume that holds an object.
func (l Layout) volumeOf(name string) (Volume, bool) {
	for _, v := range l.Volumes {
		if slices.Contains(v.Holds, name) {
			return v, true
		}
	}
	return Volume{}, false
}

// alike is by how much two sizes may differ to count as equal.
const alike = 0.05

func (f *finder) compareVolume(l *Layout, p publishedVolume) Compared {
	row := Compared{What: "volume " + p.Name, Published: volumeWords(p.Size, p.Filesystem, p.Mount, p.On)}
	here, found := l.volumeOf(p.Holds[0])
	if !found {
		row.Here, row.Why = "none", "the input has no "+p.Holds[0]
		return row
	}
	row.Here = volumeWords(here.Size, here.Filesystem, here.Mount, here.Disk)
	sameSize := math.Abs(float64(here.Size-p.Size)) <= alike*float64(p.Size)
	sameWay := here.Filesystem == p.Filesystem && slices.Equal(here.Mount, p.Mount)
	row.Same = sameSize && sameWay && here.Disk == p.On
	var why []string
	if here.Disk != p.On {
		why = append(why, "the disk: see "+p.Holds[0])
	}
	if !sameSize {
		why = append(why, fmt.Sprintf("the size: %s of it will be used", l.Disks[here.disk].later(l, here)))
	}
	if !sameWay {
		why = append(why, "the filesystem: see the rules (--why)")
	}
	row.Why = strings.Join(why, "; ")
	return row
}

// later returns the bytes of a volume after the months.
func (d Disk) later(l *Layout, v Volume) (sum unit.Size) {
	for _, k := range d.holds {
		o := l.Plan.Objects[k].Object
		if slices.Contains(v.Holds, o.Name) || slices.Contains(v.Holds, o.Relation.Name) {
			sum += o.Size
		}
	}
	return sum
}

func volumeWords(size unit.Size, filesystem string, mount []string, on string) string {
	return fmt.Sprintf("%s: %s %s, %s", on, size, filesystem, strings.Join(mount, ","))
}

// compareObject compares where an object is. A difference is explained by the figures of the layout
// that has it where it was published.
func (f *finder) compareObject(l *Layout, name, published string) (Compared, error) {
	row := Compared{What: name, Published: published, Here: "not in the input"}
	at := slices.IndexFunc(l.Plan.Objects, func(o placement.Placed) bool { return f.in.shown(o.Object) == name })
	if at < 0 {
		return row, nil
	}
	o := l.Plan.Objects[at]
	row.Here, row.Same = o.To, o.To == published
	if row.Same {
		return row, nil
	}
	if c := f.candidate(published); c.Name == "" || !takes(c.Store, o.Object) {
		row.Why = published + " is not offered to it here"
		return row, nil
	}
	other, err := f.plan(map[string]string{o.Name: published})
	row.Why = differences(l.Plan, other, o)
	return row, err
}

// differences says what is worse where an object is at another place.
func differences(here, other placement.Plan, o placement.Placed) string {
	var why []string
	if more := other.After.Dollars.USD - here.After.Dollars.USD; math.Abs(more) >= 0.005 {
		why = append(why, fmt.Sprintf("%s a month %s", price.Dollars(math.Abs(more)), word(more > 0, "more", "less")))
	}
	if more := 1000 * (other.After.DeviceTime - here.After.DeviceTime); math.Abs(more) >= 0.05 {
		why = append(why, fmt.Sprintf("%.1f ms of device time a second %s", math.Abs(more), word(more > 0, "more", "less")))
	}
	for _, v := range other.Violations {
		why = append(why, v.String())
	}
	text := "as published: " + strings.Join(why, ", ")
	if len(why) == 0 {
		text = "neither is cheaper nor faster"
	}
	if moved := elsewhere(here, other, o.Name); moved > 0 {
		text += fmt.Sprintf("; %s would move, too", unit.Count(moved, "object"))
	}
	return fmt.Sprintf("%s; its size is %s", text, o.Size)
}

// elsewhere counts the other objects that two plans have in different places.
func elsewhere(a, b placement.Plan, name string) (n int) {
	for i, o := range a.Objects {
		if o.Name != name && o.To != b.Objects[i].To {
			n++
		}
	}
	return n
}

func word(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func compareSetting(l *Layout, name, published string) Compared {
	row := Compared{What: name, Published: published, Here: "default"}
	for _, s := range l.Settings {
		if s.Name == name && s.Tablespace == "" {
			row.Here, row.Same = s.Value, s.Value == published
			if !row.Same {
				row.Why = s.Because
			}
		}
	}
	return row
}

// comparePrice compares the price a month. What does not follow from the tariff is known to package
// cost.
func (f *finder) comparePrice(l *Layout, p publication) (Compared, error) {
	table, err := cost.FindPublished(p.Costs, cost.Books{})
	row := Compared{What: "price a month", Here: "unknown"}
	if d := l.Plan.After.Dollars; d.Known {
		row.Here = price.Dollars(d.USD)
	}
	for _, r := range table.Rows {
		if r.Name == p.Row {
			row.Published = price.Dollars(r.Printed)
			row.Same = row.Published == row.Here
			if !row.Same {
				row.Why = fmt.Sprintf("with its own tariff, the published layout costs %s: %s", r.Own.In("USD"), r.Note)
			}
		}
	}
	return row, err
}
