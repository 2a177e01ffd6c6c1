package truth

import "plinth/internal/experiment"

// dear is the number of trials per column of a line whose trials take long: they list a
// million orders, draw a hundred thousand, or simulate hundreds of runs. Other lines have
// a thousand or so.
const dear = 500

// equals compares equals, by every plan on every machine: any better or worse is an
// error, anywhere in the family and at any look.
func equals() Table {
	t := Table{Title: "Equals called different", Columns: machineNames(), Together: true}
	add := func(name string, trials int, e *experiment.Experiment, luck float64) {
		t.Lines = append(t.Lines, Line{Name: name, Claim: atMost(0.05), Trials: trials, Ask: onMachines(Trial{Experiment: e, Luck: luck}, (*Trial).differs)})
	}
	add("6 blocks", 1000, plan(6, oneWorkload, two), 0)
	add("12 blocks", 1000, plan(12, oneWorkload, two), 0)
	add("12 blocks, 3 workloads", 1000, plan(12, threeWorkloads, two), 0)
	add("12 blocks, 3 workloads, 3 environments", 1000, plan(12, threeWorkloads, three), 0)
	add("20 blocks, 3 looks", dear, plan(20, oneWorkload, two), 0)
	add("20 blocks, stop: decided", dear, plan(20, oneWorkload, two, decided), 0)
	add("78 blocks of 13 cells, 3 looks", dear, plan(6, oneWorkload, two, thirteenCells), 0)
	add("78 blocks, 3 workloads, stop: decided", dear, plan(6, threeWorkloads, two, thirteenCells, decided), 0)
	add("6 repeats of 13 cells, interleave: repeat", dear, plan(6, oneWorkload, two, thirteenCells, byRepeat), 0)
	add("12 repeats, interleave: repeat, 3 environments", dear, plan(12, oneWorkload, three, fourCells, byRepeat), 0)
	add("6 repeats of 13 cells, reload, loads differ by 1 %", dear, plan(6, oneWorkload, two, thirteenCells, reload), 0.01)
	add("6 repeats of 13 cells, reload, loads differ by 10 %", dear, plan(6, oneWorkload, two, thirteenCells, reload), 0.10)
	t.Lines = append(t.Lines, Line{
		Name: "the 4 cells of 48 blocks, 3 looks", Claim: atMost(0.05), Trials: dear,
		Ask: onMachines(Trial{Experiment: plan(12, oneWorkload, two, fourCells)}, (*Trial).cellsDiffer),
	})
	return t
}

// onMachines asks a question of a trial on each machine.
func onMachines(trial Trial, ask func(*Trial, uint64) (Answer, error)) func(int, uint64) (Answer, error) {
	return func(column int, seed uint64) (Answer, error) {
		t := trial
		t.Machine = machines[column]
		return ask(&t, seed)
	}
}
