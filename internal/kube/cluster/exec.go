package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/tools/remotecommand"
	utilexec "k8s.io/client-go/util/exec"

	"plinth/internal/host"
)

// Stream is a command that runs in a pod: Read returns its standard output, Write sends to its standard
// input.
type Stream struct {
	in     *io.PipeWriter
	out    *io.PipeReader
	errors *tail
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when nothing of the command is read any more
	end    error         // why; set before done is closed
	grace  time.Duration
}

// closeWithin is how long Close waits for the command to end by itself.
const closeWithin = 10 * time.Second

// Exec starts a command in a container of a pod in the cluster's namespace, and returns when it runs.
// The stream ends with the command, the context, the container or the pod. An API server does not end
// the streams of a pod that was removed (kubernetes/kubernetes issue 89031), so the pod is watched.
func (c *Cluster) Exec(ctx context.Context, pod, container string, command []string) (*Stream, error) {
	s, err := c.exec(ctx, pod, container, command)
	if err != nil {
		return nil, fmt.Errorf("cannot run %s in the pod %s: %w", command[0], pod, err)
	}
	return s, nil
}

func (c *Cluster) exec(ctx context.Context, pod, container string, command []string) (*Stream, error) {
	found, err := c.pod(ctx, pod)
	if err != nil {
		return nil, err
	}
	if problem := ended(found); problem != nil {
		return nil, problem
	}
	run := c.executor
	if run == nil {
		run = c.overNetwork
	}
	executor, err := run(pod, container, command)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	fromUser, in := io.Pipe()
	out, toUser := io.Pipe()
	s := &Stream{in: in, out: out, errors: &tail{}, cancel: cancel, done: make(chan struct{}), grace: closeWithin}
	started := &signalReader{Reader: fromUser, read: make(chan struct{})}
	go func() {
		err := executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: started, Stdout: discardClosed{toUser}, Stderr: s.errors})
		s.end = c.endOf(ctx, err)
		cancel(nil)
		_ = fromUser.CloseWithError(s.end) // first: who has read the end must not be able to write
		_ = toUser.CloseWithError(s.end)
		close(s.done)
	}()
	go c.followPod(ctx, found, cancel)
	select {
	case <-started.read:
		return s, nil
	case <-s.done:
		if errors.Is(s.end, io.EOF) { // it has read nothing, and ended
			return s, nil
		}
		return nil, s.end
	}
}

// overNetwork runs a command over a WebSocket, or over SPDY where the API server or a proxy before it
// refuses that.
func (c *Cluster) overNetwork(pod, container string, command []string) (remotecommand.Executor, error) {
	host := c.config.Host
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	address, err := url.Parse(host)
	if err != nil {
		return nil, err
	}
	address = address.JoinPath("api/v1/namespaces", c.Namespace, "pods", pod, "exec")
	address.RawQuery = url.Values{
		"container": {container}, "command": command, "stdin": {"true"}, "stdout": {"true"}, "stderr": {"true"},
	}.Encode()
	socket, err := remotecommand.NewWebSocketExecutor(c.config, "GET", address.String())
	if err != nil {
		return nil, err
	}
	spdy, err := remotecommand.NewSPDYExecutor(c.config, "POST", address)
	if err != nil {
		return nil, err
	}
	return remotecommand.NewFallbackExecutor(socket, spdy, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
}

// endOf returns why a stream has ended: io.EOF if its command succeeded.
func (c *Cluster) endOf(ctx context.Context, err error) error {
	var exit utilexec.CodeExitError
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return cause
	case err == nil:
		return io.EOF
	case errors.As(err, &exit):
		return &ExitError{exit.Code}
	}
	return c.explain(err)
}

// ExitError says that a command in a pod has failed.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("the command ended with exit code %d", e.Code) }

// Read returns what the command writes to its standard output. After it, it returns io.EOF if the
// command has succeeded, an *ExitError, or why the stream has ended.
func (s *Stream) Read(p []byte) (int, error) { return s.out.Read(p) }

// Write sends to the standard input of the command.
func (s *Stream) Write(p []byte) (int, error) { return s.in.Write(p) }

// Close ends the standard input of the command, and waits until the command has ended. One that takes
// too long loses its connection: what runs in the container then is ended with the container.
func (s *Stream) Close() error {
	_ = s.in.Close()
	_ = s.out.Close()
	timer := time.NewTimer(s.grace)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
		s.cancel(io.ErrClosedPipe)
		<-s.done
	}
	return nil
}

// Err returns the end of what the command has written to its standard error.
func (s *Stream) Err() string { return s.errors.String() }

// signalReader tells when it is read: then the stream is connected.
type signalReader struct {
	io.Reader
	once sync.Once
	read chan struct{}
}

func (r *signalReader) Read(p []byte) (int, error) {
	r.once.Do(func() { close(r.read) })
	return r.Reader.Read(p)
}

// discardClosed discards what comes after Close: a command that cannot write would not end.
type discardClosed struct{ *io.PipeWriter }

func (w discardClosed) Write(p []byte) (int, error) {
	if n, err := w.PipeWriter.Write(p); err == nil {
		return n, nil
	}
	return len(p), nil
}

// tail keeps the last bytes that were written.
type tail struct {
	mutex sync.Mutex
	data  []byte
}

const tailSize = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.data = append(t.data, p...)
	if extra := len(t.data) - tailSize; extra > 0 {
		t.data = append(t.data[:0], t.data[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return strings.TrimSpace(string(t.data))
}

// followPod cancels a stream when its pod ends, is replaced or is removed. A connection to the API
// server that fails does not end the stream: the other end's silence does.
func (c *Cluster) followPod(ctx context.Context, pod *corev1.Pod, cancel context.CancelCauseFunc) {
	for {
		now, err := c.pod(ctx, pod.Name)
		switch {
		case ctx.Err() != nil:
			return
		case isGone(err) || err == nil && now.UID != pod.UID:
			cancel(&PodError{Pod: pod.Name, Reason: "Deleted", Text: "it was deleted"})
			return
		case err == nil:
			if problem := c.watchPod(ctx, now); problem != nil {
				cancel(problem)
				return
			}
		}
		if host.Sleep(ctx, c.every) != nil {
			return
		}
	}
}

// watchPod watches a pod until it ends or the watch does.
func (c *Cluster) watchPod(ctx context.Context, pod *corev1.Pod) error {
	if problem := ended(pod); problem != nil {
		return problem
	}
	w, err := c.of(kindPod, c.Namespace).Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + pod.Name, ResourceVersion: pod.ResourceVersion})
	if err != nil {
		return nil // followPod reads the pod again
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		now, err := podOf(event.Object)
		if err != nil || now.UID != pod.UID {
			continue // such as an expired version, after which the watch ends
		}
		if event.Type == "DELETED" {
			return &PodError{Pod: pod.Name, Reason: "Deleted", Text: "it was deleted"}
		}
		if problem := ended(now); problem != nil {
			return problem
		}
	}
	return nil
}
