package launch

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// startFed starts c with a pipe as its standard input and one as its output, and returns our ends.
func startFed(t *testing.T, c Command) (p *process, in, out *os.File) {
	t.Helper()
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	c.Stdin, c.Stdout = stdin, stdout
	p = start(t, c)
	_, _ = stdin.Close(), stdout.Close()
	return p, in, out
}

// Data in both directions, in turn; the program's input ends when the writer closes it.
func TestStdin(t *testing.T) {
	p, in, out := startFed(t, Command{Path: "/bin/cat"})
	answer := make([]byte, 6)
	for _, word := range []string{"first\n", "other\n"} {
		if _, err := io.WriteString(in, word); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, answer); err != nil || string(answer) != word {
			t.Fatalf("read %q, %v; want %q", answer, err, word)
		}
	}
	_ = in.Close()
	if rest, err := io.ReadAll(out); len(rest) != 0 || err != nil {
		t.Errorf("after the end of its input: %q, %v", rest, err)
	}
	if status, err := p.Wait(); status != (ExitStatus{}) || err != nil {
		t.Errorf("ended with %+v, %v", status, err)
	}
}

// More than pipes hold, and every byte value.
func TestStdinIsComplete(t *testing.T) {
	_, in, out := startFed(t, Command{Path: "/bin/cat"})
	var all strings.Builder
	for i := range 1 << 20 {
		all.WriteByte(byte(i + i>>8))
	}
	go func() {
		_, _ = io.WriteString(in, all.String())
		_ = in.Close()
	}()
	if got, err := io.ReadAll(out); string(got) != all.String() || err != nil {
		t.Errorf("read %d bytes, %v; want the %d bytes that were written", len(got), err, all.Len())
	}
}

// A writer notices that the program has ended: no guard keeps its input open.
func TestStdinOfAnEndedProgram(t *testing.T) {
	p, in, _ := startFed(t, Command{Path: "/bin/true"})
	<-p.Done()
	if _, err := in.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("writing after the end: %v", err)
	}
}

// A program that is started meanwhile does not keep the input of another open.
func TestStdinIsNotInherited(t *testing.T) {
	_, in, out := startFed(t, Command{Path: "/bin/cat"})
	start(t, Command{Path: "/bin/sleep", Args: []string{"60"}})
	_ = in.Close()
	if rest, err := io.ReadAll(out); len(rest) != 0 || err != nil {
		t.Errorf("read %q, %v", rest, err)
	}
}

// A program has the same files with and without an input, which is empty then.
func TestStdinIsTheOnlyFile(t *testing.T) {
	list := Command{Path: "/bin/sh", Args: []string{"-c", "readlink /proc/$$/fd/0 >&2; ls /proc/$$/fd"}}
	var without, link strings.Builder
	list.Stdout, list.Stderr = &without, &link
	<-start(t, list).Done()
	if link.String() != "/dev/null\n" {
		t.Errorf("without an input it reads %q", link.String())
	}
	list.Stderr = nil
	_, _, out := startFed(t, list)
	if got, err := io.ReadAll(out); string(got) != without.String() || err != nil {
		t.Errorf("it has the files %q, %v; without an input %q", got, err, without.String())
	}
}

// The guard is killed: the program ends, and our ends of its pipes are closed from the other side.
func TestStdinOfAKilledGuard(t *testing.T) {
	p, in, out := startFed(t, Command{Path: "/bin/cat"})
	kill(t, p.guard.Process.Pid)
	if rest, err := io.ReadAll(out); len(rest) != 0 || err != nil {
		t.Errorf("read %q, %v", rest, err)
	}
	<-p.Done()
	if _, err := in.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("writing after the end: %v", err)
	}
}

func TestStdinOfAProgramThatIsMissing(t *testing.T) {
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := NewLocal().Start(Command{Path: "/nowhere", Stdin: stdin}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("started: %v", err)
	}
	_ = stdin.Close()
	if _, err := in.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("writing to a program that was not started: %v", err)
	}
}
