package sysstat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plinth/internal/capture"
	"plinth/internal/capture/capturetest"
)

const (
	banner   = "Linux 3.10.0 (db1) \t03/04/20 \t_x86_64_\t(4 CPU)\n\n"
	shares   = "CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
	extended = "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util\n"
	sinceUp  = "     0.00     0.02    0.13    0.11     0.01     0.00    52.51     0.00    0.88    0.53    1.29   0.52   0.01\n"
	interval = "     1.00     2.00    3.00    4.00     5.00     6.00    52.51     0.70    0.88    0.53    1.29   0.52  50.00\n"
)

// form is an output of another version, made from the formats in sysstat's source.
type form struct {
	name, text string
	columns    map[string][]float64
	times      []string
	notes      []string // their rules
}

var forms = []form{
	{
		name: "iostat 10.1 -x",
		text: banner + extended + "sda          " + sinceUp + "\n" + extended + "sda          " + interval,
		columns: map[string][]float64{
			"diskstats.sda.reads_merged": {1}, "diskstats.sda.write_bytes": {6144}, "diskstats.sda.queue": {0.7}, "diskstats.sda.utilisation": {0.5},
			"diskstats.sda.read_latency": {0.53e-3}, "iostat.sda.await": {0.88}, "iostat.sda.svctm": {0.52}, "iostat.sda.avgrq-sz": {52.51},
		},
		notes: []string{capture.LeftOut},
	},
	{
		name:    "iostat 10.1 -xh",
		text:    banner + extended + "sda\n             " + sinceUp + "\n" + extended + "sda\n             " + interval,
		columns: map[string][]float64{"diskstats.sda.reads_merged": {1}, "diskstats.sda.utilisation": {0.5}},
		notes:   []string{capture.LeftOut},
	},
	{
		name: "iostat in blocks (POSIXLY_CORRECT), without the beginning",
		text: "Device:            tps   Blk_read/s   Blk_wrtn/s   Blk_read   Blk_wrtn\nsda               0.24         5.24         1.10     203305      42533\n\n" +
			"Device:            tps   Blk_read/s   Blk_wrtn/s   Blk_read   Blk_wrtn\nsda               1.00         2.00         4.00          2          4\n",
		columns: map[string][]float64{"diskstats.sda.read_bytes": {1024}, "diskstats.sda.write_bytes": {2048}},
		notes:   []string{capture.LeftOut},
	},
	{
		name: "JSON of iostat 11.6",
		text: `{"sysstat": {"hosts": [{"nodename": "db1", "number-of-cpus": 4, "date": "2020-03-04", "statistics": [
				{"disk": [{"disk_device": "sda", "rrqm": 0.10, "wrqm": 0.20, "r": 1.00, "w": 2.00, "rkB": 1.00, "wkB": 1.00, "avgqu-sz": 0.10, "r_await": 1.00, "util": 1.00}]},
				{"disk": [{"disk_device": "sda", "rrqm": 3.00, "wrqm": 4.00, "r": 5.00, "w": 6.00, "rkB": 7.00, "wkB": 8.00, "avgqu-sz": 0.50, "r_await": 2.00, "util": 9.00}]}
				]}]}}`,
		columns: map[string][]float64{
			"diskstats.sda.reads_merged": {3}, "diskstats.sda.reads": {5}, "diskstats.sda.read_bytes": {7168}, "diskstats.sda.queue": {0.5},
			"diskstats.sda.read_latency": {2e-3}, "diskstats.sda.utilisation": {0.09},
		},
		notes: []string{capture.LeftOut},
	},
	{
		name: "over midnight, with AM and PM, on a date that can be read in two ways",
		text: banner + "11:59:58 PM  " + shares + "11:59:59 PM  all   10.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   90.00\n" +
			"12:00:00 AM  all   20.00    5.00    0.00    0.00    0.00    0.00    0.00    5.00    1.00   69.00\n" +
			"12:00:01 AM  all   30.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   70.00\n",
		columns: map[string][]float64{"stat.cpu.user": {0.4, 1, 1.2}, "stat.cpu.nice": {0, 0.24, 0}, "stat.cpu.guest": {0, 0.2, 0}},
		times:   []string{"1970-01-01 23:59:59", "1970-01-02 00:00:00", "1970-01-02 00:00:01"},
	},
	{
		name: "two reports in one second",
		text: banner + "10:00:00     " + shares + "10:00:01     all   10.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   90.00\n\n" +
			"10:00:01     " + shares + "10:00:01     all   20.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   80.00\n",
		columns: map[string][]float64{"stat.cpu.user": {0.4, 0.8}},
		times:   []string{"1970-01-01 10:00:01", "1970-01-01 10:00:01"},
	},
	{
		name: "what cannot be right",
		text: strings.Replace(banner, "03/04/20", "13.04.2020", 1) + "10:00:00     " + shares + "10:00:01     all   10.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   80.00\n" +
			"10:00:02     all    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00\nAverage:     all   15.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   85.00\n",
		columns: map[string][]float64{"stat.cpu.user": {0.4, none}},
		times:   []string{"2020-04-13 10:00:01", "2020-04-13 10:00:02"},
		notes:   []string{capture.Contradiction, capture.Contradiction, capture.Contradiction, capture.LeftOut},
	},
	{
		name: "sar 10.1: sectors, a restart, a second table",
		text: banner + "00:00:01          DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n" +
			"00:10:01       dev8-0      1.00      2.00      4.00      8.00      0.50      1.50      0.10      3.00\n\n" +
			"00:15:00       LINUX RESTART\n\n00:20:01          DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n" +
			"00:30:01       dev8-0      2.00      4.00      4.00      8.00      0.50      1.50      0.10    130.00\n\n" +
			"00:00:01         INTR    intr/s\n00:10:01          sum    100.00\n00:30:01          sum    200.00\n",
		columns: map[string][]float64{"diskstats.dev8-0.read_bytes": {1024, 2048}, "diskstats.dev8-0.utilisation": {0.03, 1.3}, "stat.intr": {100, 200}},
		times:   []string{"1970-01-01 00:10:01", "1970-01-01 00:30:01"},
		notes:   []string{capture.Contradiction},
	},
	{
		name: "pidstat 10.1 -h, I/O that may not be read",
		text: banner + "#      Time   UID       PID    %usr %system  %guest    %CPU   CPU   kB_rd/s   kB_wr/s kB_ccwr/s  Command\n" +
			" 1646859221     0         6    1.00    0.50    0.00    1.50     0     -1.00     -1.00     -1.00  ksoftirqd/0\n" +
			" 1646859221     0         7    1.00    0.50    0.00    1.50     0      4.00      2.00      0.00  my daemon: x\n",
		columns: map[string][]float64{"pidstat.ksoftirqd/0[6].%CPU": {1.5}, "pidstat.ksoftirqd/0[6].kB_rd/s": nil, "pidstat.my daemon: x[7].kB_rd/s": {4}},
		times:   []string{"2022-03-09 20:53:41"},
	},
}

func TestForms(t *testing.T) {
	for _, test := range forms {
		t.Run(test.name, func(t *testing.T) {
			found := capturetest.Parse(t, Kinds(), test.text)
			for name, want := range test.columns {
				if got := capturetest.Column(found, name); !capturetest.Same(got, want) {
					t.Errorf("%s is %v, want %v", name, got, want)
				}
			}
			var times, rules []string
			for _, m := range found.Series[0].Times {
				times = append(times, m.Time.Format("2006-01-02 15:04:05"))
			}
			for _, n := range found.Notes {
				rules = append(rules, n.Rule)
			}
			if !slices.Equal(times, test.times) || !slices.Equal(rules, test.notes) {
				t.Errorf("times %v, want %v; notes %v", times, test.times, capturetest.Notes(found))
			}
		})
	}
}

func TestContradictionsHaveTheirArithmetic(t *testing.T) {
	text := banner + "10:00:00 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n" +
		"10:00:30 AM     all     99.85      0.00      0.00      0.00      0.15      0.00\n10:01:00 AM     all     90.00      0.00      0.00      0.00      0.00      0.00\n" +
		"Average:        all     81.96      0.00      0.00      0.00      0.10      0.00\n"
	want := []string{
		"import-contradiction: the shares of CPU time of all CPUs do not add up to 100 % in 1 reading: in one, they add up to 90.00 %",
		"import-contradiction: the average of %user of all CPUs is 81.96, but the values of 2 readings lie between 90.00 and 99.85",
	}
	if got := capturetest.Notes(capturetest.Parse(t, Kinds(), text)); !slices.Equal(got, want) {
		t.Errorf("notes %q", got)
	}
}

func TestOthersAreNotRead(t *testing.T) {
	for _, text := range []string{
		`[{"percent_user":0.14,"percent_nice":0.0,"type":"cpu"}]`,
		`{"sysstats": {"hosts": []}}`,
		"Linux 6.1.0 (db1) is what we ran.\n\nDevice vda was busy.\n",
		banner,
		banner + "procs -----------memory----------\n r  b   swpd   free\n",
		"NAME        MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\nsda           8:0    0   20G  0 disk\n",
		"12:00:00 the CPU was idle\n12:00:01 again\n",
		"Device Boot Start End\nsda1 * 1 2\n",
		"# hostname;interval\nvm;1\n",
	} {
		if got := capturetest.Text(t, text, Kinds()); len(got.Sections) > 0 {
			t.Errorf("%q is read as %s", text, got.Sections[0].Kind)
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		banner + "10:00:00     " + shares:                          "it has the names of columns, but no values",
		banner + "10:00:00     " + shares + "10:00:01  all 1.00 0": "it ends before the end of its first line of values",
		banner + extended: "it has the names of columns, but no values",
		`{"sysstat": {"hosts": [{"statistics": [{"disk": [`:        "it ends before the end of its first report",
		`{"sysstat": {"hosts": [{"statistics": [{"disk": 1,}]}]}}`: "report 1 cannot be read: invalid character '}' looking for beginning of object key string",
	} {
		got := capturetest.Text(t, text, Kinds())
		if len(got.Sections) != 1 || got.Sections[0].Refused == nil || got.Sections[0].Refused.Error() != want {
			t.Errorf("%q: %+v", text, got.Sections)
		}
	}
}

// TestSections: a second output begins with its first line, and lines of other programs stay unread.
func TestSections(t *testing.T) {
	one := banner + "10:00:00     " + shares + "10:00:01     all   10.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   90.00\n"
	got := capturetest.Text(t, one+"\nbash: a warning\n"+one, Kinds())
	if len(got.Sections) != 2 || len(got.Unread) != 1 {
		t.Errorf("%d sections, unread %v", len(got.Sections), got.Unread)
	}
}

func TestManyColumns(t *testing.T) {
	text := banner + "10:00:00     CPU    intr/s\n"
	for cpu := range 6000 {
		text += fmt.Sprintf("10:00:01    %4d    1.00\n", cpu)
	}
	found := capturetest.Parse(t, Kinds(), text)
	if n := len(found.Series[0].Columns); n != 5000 || len(found.Notes) != 1 || found.Notes[0].Rule != capture.LeftOut {
		t.Errorf("%d columns, notes %v", n, found.Notes)
	}
}

// TestLongDocument has more reports than a day has seconds.
func TestLongDocument(t *testing.T) {
	text := `{"sysstat": {"hosts": [{"nodename": "db1", "number-of-cpus": 4, "date": "2020-03-04", "statistics": [` + "\n" +
		strings.Repeat("\t\t\t\t"+`{"disk": [{"disk_device": "sda", "r/s": 1.00}]},`+"\n", 90_000)
	found := capturetest.Parse(t, Kinds(), text)
	if n := len(capturetest.Column(found, "diskstats.sda.reads")); n != 89_999 {
		t.Errorf("%d rows", n)
	}
	if rules := capturetest.Notes(found); len(rules) != 2 || !strings.HasPrefix(rules[1], capture.Cut) {
		t.Errorf("notes %v", rules)
	}
}

// TestTwoOutputsOfSadf: the heading of a table that was there begins another output.
func TestTwoOutputsOfSadf(t *testing.T) {
	one := "# hostname;interval;timestamp;proc/s;cswch/s\nvm;1;2026-11-26 18:41:43 UTC;0.00;197.00\n"
	if got := capturetest.Text(t, one+one, Kinds()); len(got.Sections) != 2 {
		t.Errorf("%d sections", len(got.Sections))
	}
}

// TestIdle: with -z, all reports but the first can be empty.
func TestIdle(t *testing.T) {
	found := capturetest.Parse(t, Kinds(), banner+extended+"sda          "+sinceUp+"\n"+extended+"\n"+extended)
	if len(found.Series) != 0 || capturetest.Fact(found, "first report.sda.%util") != "0.01" {
		t.Errorf("series %v, facts %v", found.Series, found.Facts)
	}
}
