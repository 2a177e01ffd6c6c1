package cli

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"plinth/internal/awake"
	"plinth/internal/cli/base"
	"plinth/internal/driver/redisload"
	"plinth/internal/emulator"
	"plinth/internal/host/launch"
	"plinth/internal/neighbour"
	"plinth/internal/runner/hosttuning"
	"plinth/internal/volume"
)

// machineRules lists the rules by which a busy machine voids or weakens runs. The plinth of these
// tests skips them, so that no test depends on other load on the machine; internal/validity tests
// each rule with separate evidence, and make measure tests them on a quiet machine.
var machineRules = []string{
	"generator-saturated", "generator-held-back", "generator-stalled", "gap-differs", "gap-understates",
	"window-not-covered", "nothing-measured", "unfinished",
	"emulation-unproven", "emulation-late", "emulation-tail", "emulator-competes",
	"machine-touched", "steal", "thermal", "memory-pressure", "swapping", "quota", "others-cpu", "others-io",
}

// In the environment of a plinth under test, allRules makes it apply every rule, and realPath
// makes it measure the overhead of emulated devices.
const (
	allRules = "PLINTH_TEST_RULES=all"
	realPath = "PLINTH_TEST_PATH=real"
)

// TestMain lets this test binary act as plinth for the scripts, and as every process that plinth
// starts from its own binary.
func TestMain(m *testing.M) {
	hosttuning.Impatient(2 * time.Second)
	if os.Getenv("PLINTH_TEST_RULES") != "all" {
		base.Overlooked = machineRules
	}
	if os.Getenv("PLINTH_TEST_PATH") != "real" {
		volume.Uncalibrated(emulator.PathCost{Path: emulator.Path{Read: 20 * time.Microsecond, Write: 20 * time.Microsecond}, ReadIOPS: 40000, WriteIOPS: 40000})
	}
	launch.GuardMain()
	emulator.Main()
	neighbour.Main()
	awake.Main()
	redisload.Main()
	if os.Getenv("PLINTH_TEST_MAIN") != "" { // plinth itself, to be killed
		code := Main(os.Args[1:], os.Stdout, os.Stderr, "test")
		writePeak(os.Getenv("PLINTH_TEST_PEAK"))
		os.Exit(code)
	}
	// Most of these tests wait for a load or a server to end, and use little CPU.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"plinth": func() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr, "test")) },
	})
}

// TestScripts runs the command line as users do: testdata/*.txt.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// Server users must be able to enter the data directory's parents.
			for dir := env.WorkDir; dir != filepath.Dir(dir) && dir != os.TempDir(); dir = filepath.Dir(dir) {
				if err := os.Chmod(dir, 0o755); err != nil {
					return err
				}
			}
			env.Setenv("PLINTH_STATE", filepath.Join(env.WorkDir, "state"))
			records, err := filepath.Abs("testdata/records")
			if err != nil {
				return err
			}
			env.Setenv("RECORDS", records) // of real runs, where what they measured decides what is printed
			env.Values[kubernetesKey{}] = &kubernetes{}
			for _, name := range []string{"PLINTH_PG_BIN", "PLINTH_TEST_PG_BIN", "GORACE"} {
				env.Setenv(name, os.Getenv(name))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"tmpfs": tmpfs, "loop": loop, "server": server, "redis": redisServer, "databases": databases, "sql": sql, "busy": busy, "kubernetes": kubernetesCommand,
		},
		Condition: condition,
	})
}

// exits runs a command and checks its exit code: exits 2 plinth run nothing.yaml
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = exitOf(err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s (%v), want %s", code, err, args[0])
	}
}

func exitOf(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}
