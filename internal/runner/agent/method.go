package agent

import (
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/record"
	"plinth/internal/runner/site"
	"plinth/internal/runner/stand"
	"plinth/internal/wire"
)

// none is an empty message.
type none struct{}

// The calls of an agent are those of a site.
var (
	methodFollow    = wire.Method[Process, none, Process]{Name: "follow"}
	methodMachines  = wire.Method[none, none, []site.Machine]{Name: "machines"}
	methodForesee   = wire.Method[site.Plan, none, foreseen]{Name: "foresee"}
	methodOpen      = wire.Method[site.Opening, string, site.Opened]{Name: "open"}
	methodRates     = wire.Method[ratesGiven, none, rates]{Name: "rates"}
	methodPutUp     = wire.Method[string, site.Step, record.Environment]{Name: "put-up"}
	methodInventory = wire.Method[none, none, inventories]{Name: "inventories"}
	methodReload    = wire.Method[string, site.Step, none]{Name: "reload"}
	methodReady     = wire.Method[site.Order, none, outcomeOf[site.Ready]]{Name: "ready"}
	methodBegun     = wire.Method[time.Time, none, none]{Name: "begun"}
	methodWatch     = wire.Method[none, none, none]{Name: "watch"}
	methodDrive     = wire.Method[job, driving, driven]{Name: "drive"}
	methodEnd       = wire.Method[site.Ending, none, outcomeOf[site.Account]]{Name: "end"}
	methodRevive    = wire.Method[string, none, none]{Name: "revive"}
	methodInject    = wire.Method[injection, none, outcomeOf[record.Injection]]{Name: "inject"}
	methodWrite     = wire.Method[string, none, none]{Name: "write"}
	methodResumed   = wire.Method[time.Time, none, none]{Name: "resumed"}
	methodCount     = wire.Method[string, none, record.Injection]{Name: "count"}
	methodKill      = wire.Method[inPod, none, none]{Name: "kill"}
	methodView      = wire.Method[inPod, none, host.PodView]{Name: "view"}
	methodClock     = wire.Method[none, none, time.Time]{Name: "clock"}
	methodClean     = wire.Method[cleaning, string, none]{Name: "clean"}
	methodCommand   = wire.Method[[]string, printed, int]{Name: "command"}
	methodInterrupt = wire.Method[none, none, none]{Name: "interrupt"}
	methodClose     = wire.Method[none, none, none]{Name: "close"}
)

// foreseen is the result of Foresee with its error: the preview is complete even then.
type foreseen struct {
	site.Foreseen
	Declared *experiment.Experiment // the plan's experiment, which the site changes
	Problem  *problem
}

// outcomeOf is a result that is complete even with a failure.
type outcomeOf[T any] struct {
	Result  T
	Failure *problem
}

// problem is an error as data.
type problem struct {
	Rule, Text, Hint string
	Input            bool // it is a site.InputError
}

type ratesGiven struct{ Rates *stand.Rates }

type rates struct {
	Rates stand.Rates
	Said  []string
}

type inventories struct {
	Inventories []site.Inventory
	Notes       []record.Note
}

// cleaning says whether entries that cannot be undone are dropped.
type cleaning struct{ Forget bool }

// printed is a part of the output of a command, or of a file that it wrote: exactly one field is set.
type printed struct {
	Out, Err []byte
	File     *chunk
}

type injection struct {
	Environment string
	At          time.Duration
}

// inPod is the first process of a pod that runs one of some programs.
type inPod struct {
	Pod      string // its UID
	Programs []string
}

// job is a driver.Job without what the agent has itself.
type job struct {
	Workload experiment.Workload
	Cell     experiment.Cell
	Conninfo string
	Env      launch.Variables

	Window       time.Time
	Transactions int64
}

// driving is an event of a load in progress: exactly one field is set.
type driving struct {
	Begun *time.Time    // the beginning of the measured window
	Point *record.Point // of a second
	File  *chunk        // after the load
}

// chunk is a part of a file of the run. The chunks of a file follow each other.
type chunk struct {
	Name string // empty for the histogram log
	Data []byte
}

// driven is a driver.Outcome, or the reason why there is none.
type driven struct {
	Driver     record.Driver
	Result     record.Result
	Points     record.Points
	Begin, End time.Time
	KeyReads   int64
	Problems   []record.Note
	Warnings   []record.Note
	Failure    *problem
}
