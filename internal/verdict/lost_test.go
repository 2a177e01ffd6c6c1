package verdict_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// lose makes runs invalid in both attempts, as in a completed experiment.
func lose(t *testing.T, text string, spoil func(*record.Run)) *record.Record {
	t.Helper()
	rec := made(t, text, func(run *record.Run) {
		memory(1.2)(run)
		spoil(run)
	})
	rec.Runs = append(rec.Runs, again(rec.Runs, func(run record.Run) bool { return run.Status != record.Valid })...)
	return rec
}

// TestBlocksThatAreLost checks that losing more than a third of the blocks makes the
// verdict invalid, and that losing fewer gets a note.
func TestBlocksThatAreLost(t *testing.T) {
	invalid := func(environment string, repeats int) func(*record.Run) {
		return func(run *record.Run) {
			if run.Environment == environment && run.Repeat <= repeats {
				run.Status = record.Invalid
			}
		}
	}
	besides := func(rule string, repeats int) func(*record.Run) {
		return func(run *record.Run) {
			if run.Repeat <= repeats && run.Environment == "memory" {
				run.Beside = &record.Beside{Reasons: []record.Note{{Rule: rule, Text: "apart"}}}
			}
		}
	}
	three := file(three, "repeats: 12")
	for _, c := range []struct {
		name, text string
		spoil      func(*record.Run)
		word       record.Outcome
		note       string
	}{
		{"none", three, func(*record.Run) {}, record.Better, ""},
		{"one", three, invalid("memory", 1), record.Better, "1 of 12 blocks is left out: in 1 of them memory has no valid run"},
		{"a third", three, invalid("memory", 4), record.Better, "4 of 12 blocks are left out: in 4 of them memory has no valid run"},
		{"more than a third", three, invalid("memory", 5), record.Unfit, "5 of 12 blocks are left out: in 5 of them memory has no valid run"},
		{"by a third environment", three, invalid("nfs", 11), record.Unfit, "11 of 12 blocks are left out: in 11 of them nfs has no valid run"},
		{"by two of them", three, func(run *record.Run) {
			invalid("nfs", 2)(run)
			invalid("disk", 3)(run)
		}, record.Better, "3 of 12 blocks are left out: in 3 of them disk has no valid run, in 2 of them nfs has no valid run"},
		{"held back", three, besides("gap-differs", 3), record.Better,
			"3 of 12 blocks are left out: in 3 of them the load generator held one side back more than the other, so the effect is likely underestimated"},
		{"throttled", three, besides("quota-one-side", 6), record.Unfit,
			"6 of 12 blocks are left out: in 6 of them the runs are not comparable"},
	} {
		rec := lose(t, c.text, c.spoil)
		got := of(t, rec, verdict.Options{})
		v := tps(t, got)
		note := ""
		for _, n := range v.Warnings {
			if n.Rule == "blocks-lost" {
				note = n.Text
			}
		}
		if v.Outcome != c.word || note != c.note || v.Outcome == record.Unfit && (v.Level != 0 || !strings.HasSuffix(got.Sentences[0], "TPS: invalid, "+c.note)) {
			t.Errorf("%s: %s, %s\nwant %s, %s\n%v", c.name, v.Outcome, note, c.word, c.note, got.Sentences)
		}
	}
}

// TestBlocksAfterTheLookAreNotLost checks that blocks after the look, and those that wait
// for their second attempt, do not count as lost.
func TestBlocksAfterTheLookAreNotLost(t *testing.T) {
	rec := lose(t, file("repeats: 20"), func(run *record.Run) {
		if run.Repeat > 8 {
			run.Status = record.Invalid
		}
	})
	if v := tps(t, of(t, until(rec, 11), verdict.Options{})); v.Outcome != record.Better || hasNote(v.Warnings, "blocks-lost", "") {
		t.Errorf("%+v", v)
	}
	rec = made(t, file("repeats: 6"), func(run *record.Run) {
		if run.Repeat < 4 {
			run.Status = record.Invalid
		}
	})
	if v := tps(t, of(t, rec, verdict.Options{})); v.Outcome != "" {
		t.Errorf("half of the blocks will be driven again: %+v", v)
	}
}

// TestCellsThatDoNotCountAlike checks the notes on cells of unequal weight, and on cells
// without any block.
func TestCellsThatDoNotCountAlike(t *testing.T) {
	for _, c := range []struct {
		unit  string
		spoil func(run *record.Run) bool
		note  string
	}{
		{"block", func(*record.Run) bool { return false }, ""},
		{"block", func(run *record.Run) bool { return run.Repeat == 2 }, ""},
		{"block", func(run *record.Run) bool { return run.Clients == 8 && run.Repeat < 3 }, "cells have unequal weight: they have 4 to 6 blocks, and each block has the same weight"},
		{"block", func(run *record.Run) bool { return run.Clients == 8 }, "no block is left of tpcb-like, 8 clients, 1 thread: the effect covers the other cells only"},
		{"block", func(run *record.Run) bool { return run.Clients == 8 || run.Clients == 4 && run.Repeat == 1 },
			"cells have unequal weight: they have 5 to 6 blocks, and each block has the same weight; no block is left of tpcb-like, 8 clients, 1 thread: the effect covers the other cells only"},
		{"repeat", func(run *record.Run) bool { return run.Clients == 8 }, "no block is left of tpcb-like, 8 clients, 1 thread: the effect covers the other cells only"},
		{"repeat", func(run *record.Run) bool { return run.Clients == 8 && run.Repeat == 1 }, "1 of 6 repeats lack a cell: their means cover the other cells only"},
	} {
		rec := lose(t, file("interleave: "+c.unit, fourCells), func(run *record.Run) {
			if c.spoil(run) {
				run.Status = record.Failed
			}
		})
		got := of(t, rec, verdict.Options{})
		note := ""
		for _, n := range tps(t, got).Warnings {
			if n.Rule == "unbalanced" {
				note = n.Text
			}
		}
		if note != c.note {
			t.Errorf("%s: got %s\nwant %s", c.unit, note, c.note)
		}
		for _, v := range got.Cells {
			if hasNote(v.Warnings, "unbalanced", "") {
				t.Errorf("one cell is alike: %+v", v)
			}
		}
	}
}
