package wire

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain lets this test binary be an agent.
func TestMain(m *testing.M) {
	if os.Getenv("PLINTH_TEST_HELPER") == "agent" {
		os.Exit(agentMain())
	}
	os.Exit(m.Run())
}

func agentMain() int {
	rw, err := Stdio()
	if err == nil {
		_, _ = os.Stdout.WriteString("printed by mistake\n")
		err = newServer().Serve(context.Background(), rw, Options{Version: "v1"})
	}
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		return 1
	}
	return 0
}

// TestProcess calls an agent that is another process.
func TestProcess(t *testing.T) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PLINTH_TEST_HELPER=agent")
	var stderr strings.Builder
	command.Stderr = &stderr
	in, err1 := command.StdoutPipe()
	out, err2 := command.StdinPipe()
	if err := errors.Join(err1, err2, command.Start()); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(t.Context(), Streams(in, out), Options{Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	checkEcho(t, c)
	begun := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		_, err := block.Call(context.Background(), c, struct{}{}, func(e string) { begun <- e })
		ended <- err
	}()
	<-begun
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := command.Wait(); err != nil || stderr.String() != "printed by mistake\n" {
		t.Errorf("the agent ended with %v: %s", err, stderr.String())
	}
	var lost *LostError
	if err := <-ended; !errors.As(err, &lost) {
		t.Errorf("the call in progress: %v", err)
	}
}

// TestKilledProcess checks the error of a call whose agent is killed.
func TestKilledProcess(t *testing.T) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PLINTH_TEST_HELPER=agent")
	in, err1 := command.StdoutPipe()
	out, err2 := command.StdinPipe()
	if err := errors.Join(err1, err2, command.Start()); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(t.Context(), Streams(in, out), Options{Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = block.Call(t.Context(), c, struct{}{}, func(string) { _ = command.Process.Kill() })
	var lost *LostError
	if !errors.As(err, &lost) || err.Error() != "cannot call block: the connection was lost: the other end closed it" {
		t.Errorf("error %v", err)
	}
	<-c.Done()
	if !errors.As(c.Err(), &lost) {
		t.Errorf("Err = %v", c.Err())
	}
	_ = command.Wait() // killed
}
