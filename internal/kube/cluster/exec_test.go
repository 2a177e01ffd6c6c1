package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apimachinery/pkg/util/httpstream/spdy"
	"k8s.io/apimachinery/pkg/util/httpstream/wsstream"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	"plinth/internal/wire"
)

// program is what runs in the pod; it returns its exit code.
type program func(in io.Reader, out, errors io.Writer) int

// stream is a connection of an exec at the server's end.
type stream interface {
	io.ReadWriteCloser
}

// kubelet is the part of an API server that carries out commands in pods.
type kubelet struct {
	run      program
	noSocket bool   // it answers only SPDY
	refuses  string // it answers this, with code 403
	asked    chan *http.Request
}

// ServeHTTP answers a request for an exec.
func (k *kubelet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isSocket := wsstream.IsWebSocketRequest(r)
	switch {
	case k.refuses != "":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, status(http.StatusForbidden, "Forbidden", k.refuses))
		return
	case isSocket && k.noSocket:
		http.Error(w, "no WebSocket here", http.StatusBadRequest)
		return
	}
	k.asked <- r
	serve := k.spdy
	if isSocket {
		serve = k.socket
	}
	if err := serve(w, r); err != nil {
		panic(err)
	}
}

func (k *kubelet) socket(w http.ResponseWriter, r *http.Request) error {
	const in, out = wsstream.ReadChannel, wsstream.WriteChannel
	conn := wsstream.NewConn(map[string]wsstream.ChannelProtocolConfig{
		"v5.channel.k8s.io": {Binary: true, Channels: []wsstream.ChannelType{in, out, out, out, in}},
	})
	_, streams, err := conn.Open(w, r)
	if err != nil {
		return err
	}
	k.finish(streams[0], streams[1], streams[2], streams[3])
	_ = conn.Close()
	return nil
}

func (k *kubelet) spdy(w http.ResponseWriter, r *http.Request) error {
	if _, err := httpstream.Handshake(r, w, []string{"v4.channel.k8s.io"}); err != nil {
		return err
	}
	created := make(chan httpstream.Stream, 4)
	conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, _ <-chan struct{}) error {
		created <- s
		return nil
	})
	if conn == nil {
		return errors.New("no connection")
	}
	streams := map[string]stream{}
	for len(streams) < 4 {
		s := <-created
		streams[s.Headers().Get(corev1.StreamType)] = s
	}
	k.finish(streams[corev1.StreamTypeStdin], streams[corev1.StreamTypeStdout], streams[corev1.StreamTypeStderr], streams[corev1.StreamTypeError])
	_ = conn.Close()
	return nil
}

// finish runs the program, and sends its exit code.
func (k *kubelet) finish(in, out, errors, result stream) {
	code := k.run(in, out, errors)
	answer := `{"status":"Success"}`
	if code != 0 {
		answer = fmt.Sprintf(`{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"%d"}]}}`, code)
	}
	_, _ = io.WriteString(result, answer)
	for _, s := range []stream{in, out, errors, result} {
		_ = s.Close()
	}
}

const running = `
{apiVersion: v1, kind: Pod, metadata: {name: db-0, uid: "1"}, status: {phase: Running}}
---
{apiVersion: v1, kind: Pod, metadata: {name: old-0, uid: "2"}, status: {phase: Failed, reason: Evicted, message: "The node was low on resource: memory."}}
`

// withKubelet returns a cluster in whose pods commands run. watched is closed when the pods are watched.
func withKubelet(t *testing.T, k *kubelet) (c *Cluster, client *fake.FakeDynamicClient, watched chan struct{}) {
	t.Helper()
	k.asked = make(chan *http.Request, 10)
	server := httptest.NewServer(k)
	t.Cleanup(server.Close)
	c, client = fakeCluster(t, running)
	c.config = &rest.Config{Host: server.URL}
	watched = make(chan struct{}, 100)
	client.PrependWatchReactor("pods", func(action clienttesting.Action) (bool, watch.Interface, error) {
		w, err := client.Tracker().Watch(action.GetResource(), action.GetNamespace())
		watched <- struct{}{}
		return true, w, err
	})
	return c, client, watched
}

// transports are the two ways to a pod.
func transports(t *testing.T, run program, test func(t *testing.T, k *kubelet)) {
	for name, noSocket := range map[string]bool{"WebSocket": false, "SPDY": true} {
		t.Run(name, func(t *testing.T) { test(t, &kubelet{run: run, noSocket: noSocket}) })
	}
}

func mustExec(ctx context.Context, t *testing.T, c *Cluster) *Stream {
	t.Helper()
	s, err := c.Exec(ctx, "db-0", "plinth", []string{"plinth", "agent", "a b"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestExec(t *testing.T) {
	cat := func(in io.Reader, out, errors io.Writer) int {
		_, _ = io.WriteString(errors, "a warning\n")
		_, _ = io.Copy(out, in)
		return 0
	}
	transports(t, cat, func(t *testing.T, k *kubelet) {
		c, _, _ := withKubelet(t, k)
		s := mustExec(context.Background(), t, c)
		big := strings.Repeat("0123456789abcdef", 20000)
		for _, text := range []string{"hello", big} {
			go func() { _, _ = io.WriteString(s, text) }()
			mustRead(t, s, text)
		}
		_ = s.in.Close() // the command ends, and says so
		if rest, err := io.ReadAll(s); err != nil || len(rest) > 0 {
			t.Errorf("then %q, %v", rest, err)
		}
		if err := s.Close(); err != nil || s.Err() != "a warning" {
			t.Errorf("closed: %v, %q", err, s.Err())
		}
		r := <-k.asked
		if q := r.URL.Query(); r.URL.Path != "/api/v1/namespaces/bench/pods/db-0/exec" || q.Get("container") != "plinth" || !slices.Equal(q["command"], []string{"plinth", "agent", "a b"}) {
			t.Errorf("it asks for %s", r.URL)
		}
	})
}

func TestExitCode(t *testing.T) {
	fails := func(in io.Reader, out, _ io.Writer) int {
		line, _ := bufio.NewReader(in).ReadString('\n')
		_, _ = io.WriteString(out, line)
		return 3
	}
	transports(t, fails, func(t *testing.T, k *kubelet) {
		c, _, _ := withKubelet(t, k)
		s := mustExec(context.Background(), t, c)
		_, _ = io.WriteString(s, "go\n")
		text, err := io.ReadAll(s)
		var exit *ExitError
		if string(text) != "go\n" || !errors.As(err, &exit) || exit.Code != 3 {
			t.Errorf("it says %q, and ends with %v", text, err)
		}
		if _, err := s.Write([]byte("x")); err == nil {
			t.Error("it takes more")
		}
	})
}

// TestWire: two processes of plinth speak over the stream as they do over ssh.
func TestWire(t *testing.T) {
	echo := wire.Method[string, int, string]{Name: "echo"}
	ended := make(chan error, 2)
	agent := func(in io.Reader, out, _ io.Writer) int {
		var server wire.Server
		echo.Handle(&server, func(_ context.Context, text string, send func(int)) (string, error) {
			for i := range 100 {
				send(i)
			}
			return text, nil
		})
		ended <- server.Serve(context.Background(), wire.Streams(io.NopCloser(in), out.(io.WriteCloser)), wire.Options{Version: "v1"})
		return 0
	}
	transports(t, agent, func(t *testing.T, k *kubelet) {
		c, _, _ := withKubelet(t, k)
		conn, err := wire.Connect(context.Background(), mustExec(context.Background(), t, c), wire.Options{Version: "v1"})
		if err != nil {
			t.Fatal(err)
		}
		events, text := 0, strings.Repeat("word ", 100000)
		got, err := echo.Call(context.Background(), conn, text, func(int) { events++ })
		if err != nil || got != text || events != 100 {
			t.Errorf("the answer has %d bytes after %d events, %v", len(got), events, err)
		}
		_ = conn.Close()
		if err := <-ended; err != nil {
			t.Errorf("the agent ends with %v", err)
		}
	})
}

// TestPodEnds: a stream does not outlive its pod, although its connection stays.
func TestPodEnds(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		end        func(t *testing.T, client *fake.FakeDynamicClient)
	}{
		{"deleted", "the pod db-0: it was deleted (Deleted)", func(t *testing.T, client *fake.FakeDynamicClient) {
			if err := client.Tracker().Delete(kindPod.resource, "bench", "db-0"); err != nil {
				t.Error(err)
			}
		}},
		{"evicted", "the pod db-0: no memory (Evicted)", func(t *testing.T, client *fake.FakeDynamicClient) {
			pod := objects(t, `{apiVersion: v1, kind: Pod, metadata: {name: db-0, uid: "1"}, status: {phase: Failed, reason: Evicted, message: no memory}}`)
			if err := client.Tracker().Update(kindPod.resource, pod[0].(*unstructured.Unstructured), "bench"); err != nil {
				t.Error(err)
			}
		}},
		{"replaced", "the pod db-0: it was deleted (Deleted)", func(t *testing.T, client *fake.FakeDynamicClient) {
			_ = client.Tracker().Delete(kindPod.resource, "bench", "db-0")
			pod := objects(t, `{apiVersion: v1, kind: Pod, metadata: {name: db-0, uid: "9"}, status: {phase: Running}}`)
			if err := client.Tracker().Add(pod[0]); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			freed := make(chan struct{})
			frozen := func(io.Reader, io.Writer, io.Writer) int { <-freed; return 0 }
			transports(t, frozen, func(t *testing.T, k *kubelet) {
				c, client, watched := withKubelet(t, k)
				s := mustExec(context.Background(), t, c)
				<-watched
				tc.end(t, client)
				_, err := io.ReadAll(s)
				var gone *PodError
				if !errors.As(err, &gone) || err.Error() != tc.want {
					t.Errorf("it ends with %v, want %s", err, tc.want)
				}
				_ = s.Close()
			})
			close(freed)
		})
	}
}

func TestExecEndsWithItsContext(t *testing.T) {
	freed := make(chan struct{})
	defer close(freed)
	frozen := func(io.Reader, io.Writer, io.Writer) int { <-freed; return 0 }
	transports(t, frozen, func(t *testing.T, k *kubelet) {
		c, _, _ := withKubelet(t, k)
		ctx, cancel := context.WithCancel(context.Background())
		s := mustExec(ctx, t, c)
		cancel()
		if _, err := io.ReadAll(s); !errors.Is(err, context.Canceled) {
			t.Errorf("it ends with %v", err)
		}
		_ = s.Close()

		s = mustExec(context.Background(), t, c)
		s.grace = time.Millisecond
		if err := s.Close(); err != nil { // the command does not end by itself
			t.Error(err)
		}
		if _, err := s.Read(make([]byte, 1)); err == nil {
			t.Error("it can be read after Close")
		}
	})
}

func TestCloseDiscardsOutput(t *testing.T) {
	talks := func(in io.Reader, out, _ io.Writer) int {
		ended := make(chan struct{})
		go func() { _, _ = io.Copy(io.Discard, in); close(ended) }()
		for {
			select {
			case <-ended:
				return 0
			default:
				_, _ = io.WriteString(out, strings.Repeat("x", 1000))
			}
		}
	}
	transports(t, talks, func(t *testing.T, k *kubelet) {
		c, _, _ := withKubelet(t, k)
		s := mustExec(context.Background(), t, c)
		s.grace = soon
		mustRead(t, s, "xxx")
		if err := s.Close(); err != nil || !errors.Is(s.end, io.EOF) {
			t.Errorf("closed: %v; it ended with %v", err, s.end)
		}
	})
}

func TestExecRefused(t *testing.T) {
	const forbidden = `pods "db-0" is forbidden: User "bob" cannot create resource "pods/exec" in API group "" in the namespace "bench"`
	for _, tc := range []struct{ name, pod, refuses, want, hint string }{
		{"right", "db-0", forbidden, `cannot run plinth in the pod db-0: ` + forbidden, "resources: [\"pods/exec\"]\n  verbs: [\"create\"]"},
		{"no pod", "none", "", `cannot run plinth in the pod none: pods "none" not found`, ""},
		{"evicted pod", "old-0", "", "cannot run plinth in the pod old-0: the pod old-0: The node was low on resource: memory. (Evicted)", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _, _ := withKubelet(t, &kubelet{refuses: tc.refuses})
			_, err := c.Exec(context.Background(), tc.pod, "plinth", []string{"plinth"})
			mustSay(t, err, tc.want, tc.hint)
		})
	}
}
