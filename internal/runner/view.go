package runner

import (
	"time"

	"plinth/internal/experiment"
)

// View is told what happens. The command line shows it; tests remember it.
type View interface {
	// Say is for a line that stays.
	Say(text string)
	// Status is what goes on now; each one replaces the one before.
	Status(Status)
}

// Status is the present moment of an experiment.
type Status struct {
	Step        string           // "loading", "driving", "stopping"
	Environment string           // the one that is busy
	Detail      string           // of a step that is not a run: "accounts, 45 %"
	Cell        experiment.Cell  // of a run
	Run, Runs   int              // "run 17 of 78"; 0 before the first
	TPS         float64          // of the last second; 0 when there is none yet
	Words       experiment.Words // for what TPS counts
	Left        time.Duration    // until the end of the experiment; 0 when unknown
	Ended       bool             // this run has just ended
	Problem     string           // why it is not valid, when it ended so
}
