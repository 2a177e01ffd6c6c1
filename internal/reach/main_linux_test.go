package reach

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"plinth/internal/host/launch"
	"plinth/internal/reach/reachtest"
)

// TestMain lets this test binary be a guard, a relay, or the plinth that is started at the other end.
func TestMain(m *testing.M) {
	launch.GuardMain()
	reachtest.Main()
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case "--version":
			fmt.Println("plinth, for tests")
			return
		case "agent":
			agent()
		}
	}
	os.Exit(m.Run())
}

// agent answers lines: some are orders, the others are repeated.
func agent() {
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			os.Exit(0)
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(rest)
		switch word {
		case "uid":
			fmt.Println(os.Geteuid())
		case "pid":
			fmt.Println(os.Getpid())
		case "exe":
			path, _ := os.Readlink("/proc/self/exe")
			fmt.Println(path)
		case "umask":
			text, _ := os.ReadFile("/proc/self/status")
			_, after, _ := strings.Cut(string(text), "Umask:")
			fmt.Println(strings.Fields(after)[0])
		case "env":
			fmt.Println(os.Getenv(rest))
		case "exit":
			fmt.Fprintln(os.Stderr, "the agent gives up")
			os.Exit(n)
		case "raw": // so many bytes follow, and are returned
			_, _ = io.CopyN(os.Stdout, in, int64(n))
		default:
			fmt.Print(line)
		}
	}
}
