package cluster

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
)

// set is a StatefulSet that is not ready, and its pod begins.
const set = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, uid: set-1, generation: 1, creationTimestamp: "2026-11-26T00:00:00Z"}
spec: {replicas: 1}
status: {observedGeneration: 1}
`

// pod of the StatefulSet, without its status.
const pod = `---
apiVersion: v1
kind: Pod
metadata: {name: db-0, uid: pod-1, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: set-1, controller: true}]}
spec: {volumes: [{name: data, persistentVolumeClaim: {claimName: data-db-0}}]}
`

// event has no time of its own: its fields follow.
const event = `---
apiVersion: v1
kind: Event
metadata: {name: event, creationTimestamp: "2026-11-26T00:00:01Z"}
type: Warning
`

const job = `
apiVersion: batch/v1
kind: Job
metadata: {name: load, uid: job-1, creationTimestamp: "2026-11-26T00:00:00Z"}
spec: {parallelism: 2, completions: 2}
`

// loadPod is a pod of the Job; its metadata go on.
const loadPod = `---
apiVersion: v1
kind: Pod
metadata: {name: load-0, uid: pod-2, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: load, uid: job-1, controller: true}], `

const cnpg = `
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: orders, uid: cluster-1, creationTimestamp: "2026-11-26T00:00:00Z"}
spec: {instances: 3}
`

// keep is a Job of one pod, which was evicted.
const (
	keep = `
{apiVersion: batch/v1, kind: Job, metadata: {name: keep, uid: job-2}, spec: {parallelism: 1}, status: {ready: 1}}
`
	failedPod = `---
apiVersion: v1
kind: Pod
metadata: {name: keep-a, uid: pod-3, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: keep, uid: job-2, controller: true}]}
status: {phase: Failed, reason: Evicted, message: no memory}
`
	newPod = `---
apiVersion: v1
kind: Pod
metadata: {name: keep-b, uid: pod-4, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: keep, uid: job-2, controller: true}]}
status: {phase: Running}
`
)

func TestWaitEnds(t *testing.T) {
	db, load, orders := Ref{"StatefulSet", "db"}, Ref{"Job", "load"}, Ref{"Cluster", "orders"}
	for _, tc := range []struct {
		name, objects string
		ref           Ref
		want, hint    string
	}{
		{"image not found", set + pod + `status: {phase: Pending, containerStatuses: [{name: postgres, image: "postgres:99", state: {waiting: {reason: ErrImagePull, message: "postgres:99: not found"}}}]}`,
			db, "StatefulSet db is not ready: the pod db-0: cannot get the image postgres:99: postgres:99: not found (ErrImagePull)", "check the image's name"},
		{"image is not pulled", set + pod + `status: {containerStatuses: [{name: postgres, image: x, state: {waiting: {reason: ImagePullBackOff, message: "Back-off pulling image"}}}]}`,
			db, "cannot get the image x: Back-off pulling image (ImagePullBackOff)", "check the image's name"},
		{"image of an init container", set + pod + `status: {initContainerStatuses: [{name: init, image: "A B", state: {waiting: {reason: InvalidImageName, message: "couldn't parse image name"}}}]}`,
			db, "cannot get the image A B: couldn't parse image name (InvalidImageName)", "check the image's name"},
		{"unschedulable", set + pod + `status: {conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/1 nodes are available: 1 Insufficient hugepages-2Mi."}]}`,
			db, "the pod db-0: no node takes it: 0/1 nodes are available: 1 Insufficient hugepages-2Mi. (Unschedulable)", "lower limits"},
		{"no storage class", set + pod + `status: {conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "unbound claims"}]}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-db-0, uid: claim-1}, status: {phase: Pending}}
` + event + `
reason: ProvisioningFailed
message: storageclass.storage.k8s.io "nope" not found
involvedObject: {kind: PersistentVolumeClaim, name: data-db-0, uid: claim-1}`,
			db, `the volume claim data-db-0: storageclass.storage.k8s.io "nope" not found (ProvisioningFailed)`, "kubectl get storageclass"},
		{"no provisioner", set + pod + `---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-db-0, uid: claim-1}, status: {phase: Pending}}
` + event + `
reason: ExternalProvisioning
message: Waiting for a volume to be created
involvedObject: {kind: PersistentVolumeClaim, name: data-db-0, uid: claim-1}`,
			db, `the volume claim data-db-0: Waiting for a volume to be created (ExternalProvisioning)`, "is the provisioner of the storage class running?"},
		{"volume lost", set + pod + `---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-db-0, uid: claim-1}, status: {phase: Lost}}`,
			db, "the volume claim data-db-0: its volume is gone (Lost)", "storage class"},
		{"quota", set + event + `
reason: FailedCreate
message: 'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: exceeded quota: small, requested: limits.cpu=4'
involvedObject: {kind: StatefulSet, name: db, uid: set-1}`,
			db, `StatefulSet db: create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: exceeded quota: small, requested: limits.cpu=4 (FailedCreate)`, "kubectl describe quota"},
		{"quota for what is not asked for", set + event + `
reason: FailedCreate
message: 'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: failed quota: small: must specify limits.cpu for: postgres'
involvedObject: {kind: StatefulSet, name: db, uid: set-1}`,
			db, `failed quota: small: must specify limits.cpu for: postgres (FailedCreate)`, "create a LimitRange"},
		{"crash", set + pod + `status: {phase: Running, containerStatuses: [{name: postgres, restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, reason: Error}}}]}`,
			db, "the container postgres ends again and again, with exit code 1 (CrashLoopBackOff); the end of its log:\nlog of /api/v1/namespaces/bench/pods/db-0/log container=postgres&limitBytes=65536&previous=true&tailLines=10", ""},
		{"out of memory", set + pod + `status: {phase: Running, containerStatuses: [{name: postgres, restartCount: 1, state: {running: {}}, lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}]}`,
			db, "the pod db-0: the container postgres needed more memory than its limit, and the kernel killed it (OOMKilled)", "raise limits.memory"},
		{"evicted", set + pod + `status: {phase: Failed, reason: Evicted, message: "The node was low on resource: memory."}`,
			db, "the pod db-0: The node was low on resource: memory. (Evicted)", "the node ran out of a resource"},
		{"not admitted", set + pod + `status: {phase: Failed, reason: OutOfcpu, message: "Pod was rejected: Node didn't have enough resource: cpu"}`,
			db, "the pod db-0: Pod was rejected: Node didn't have enough resource: cpu (OutOfcpu)", "lower limits"},
		{"topology manager", set + pod + `status: {phase: Failed, reason: TopologyAffinityError, message: "Pod was rejected: Resources cannot be allocated with Topology locality"}`,
			db, "Resources cannot be allocated with Topology locality (TopologyAffinityError)", "NUMA nodes"},
		{"preempted", set + pod + `status: {phase: Running, conditions: [{type: DisruptionTarget, status: "True", reason: PreemptionByScheduler, message: "default-scheduler: preempting to accommodate a higher priority pod"}]}`,
			db, "preempting to accommodate a higher priority pod (PreemptionByScheduler)", ""},
		{"secret missing", set + pod + `status: {containerStatuses: [{name: postgres, state: {waiting: {reason: CreateContainerConfigError, message: 'secret "pw" not found'}}}]}`,
			db, `the pod db-0: secret "pw" not found (CreateContainerConfigError)`, ""},
		{"being deleted", `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, uid: set-1, deletionTimestamp: "2026-11-26T00:00:01Z"}`, db, "StatefulSet db: it is being deleted (Deleted)", ""},
		{"not there", set, load, `cannot wait for Job load: jobs.batch "load" not found`, ""},
		{"job failed", job + `status: {conditions: [{type: Failed, status: "True", message: Job has reached the specified backoff limit}]}
---
apiVersion: v1
kind: Pod
metadata: {name: load-0, uid: pod-2, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: load, uid: job-1}]}
status: {phase: Failed, containerStatuses: [{name: plinth, state: {terminated: {exitCode: 3, reason: Error}}}]}`,
			load, "the pod load-0: the container plinth ended with exit code 3 (Error); the end of its log:\nlog of /api/v1/namespaces/bench/pods/load-0/log container=plinth&limitBytes=65536&tailLines=10", ""},
		{"job evicted", job + loadPod + `deletionTimestamp: "2026-11-26T00:00:01Z"}
status: {phase: Running}`, load, "the pod load-0: it is being deleted (Deleted)", ""},
		{"job complete", job + `status: {conditions: [{type: Complete, status: "True", message: Reached expected number of succeeded pods}]}`,
			load, "Job load: its pods have ended: Reached expected number of succeeded pods (Complete)", ""},
		{"operator refuses", cnpg + `status: {phase: Cluster has incomplete or invalid image catalog, phaseReason: no entry for 18}`,
			orders, "Cluster orders: no entry for 18 (Cluster has incomplete or invalid image catalog)", ""},
		{"operator is not there", cnpg,
			orders, "Cluster orders: the operator has not taken notice of it (no status.phase)", "WATCH_NAMESPACE"},
		{"operator's job", cnpg + event + `
reason: FailedCreate
message: 'Error creating: pods "orders-1-initdb-x" is forbidden: violates PodSecurity "restricted:latest"'
involvedObject: {kind: Job, name: orders-1-initdb, uid: job-9}`,
			orders, `Job orders-1-initdb: Error creating: pods "orders-1-initdb-x" is forbidden: violates PodSecurity`, "those of CloudNativePG meet restricted"},

		{"ready", set[:len(set)-len("status: {observedGeneration: 1}\n")] + "status: {observedGeneration: 1, readyReplicas: 1}", db, "", ""},
		{"job ready", job + "status: {ready: 2}", load, "", ""},
		{"healthy", cnpg + `status: {phase: Cluster in healthy state, readyInstances: 3, conditions: [{type: Ready, status: "True"}]}`, orders, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := fakeCluster(t, tc.objects)
			mustSay(t, c.Wait(context.Background(), tc.ref, Ready, soon), tc.want, tc.hint)
		})
	}
}

// TestWaitGoesOn: what is normal while pods start, or past, is no error before the deadline, which then
// says what is known.
func TestWaitGoesOn(t *testing.T) {
	const starts = `status: {phase: Pending, containerStatuses: [{name: postgres, state: {waiting: {reason: ContainerCreating}}}]}
`
	for _, tc := range []struct{ name, objects, want string }{
		{"starts", set + pod + starts, "the pod db-0 is ContainerCreating"},
		{"no pod yet", set, "it has no pods"},
		{"autoscaler", set + pod + `status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no room}]}` + "\n" + event + `
reason: TriggeredScaleUp
message: a node group grows
involvedObject: {kind: Pod, name: db-0, uid: pod-1}`, "the pod db-0 is pending; a node group grows (TriggeredScaleUp)"},
		{"Karpenter", set + pod + `status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no room}]}` + "\n" + event + `
reason: Nominated
message: "Pod should schedule on: nodeclaim/a"
involvedObject: {kind: Pod, name: db-0, uid: pod-1}`, "the pod db-0 is pending; Pod should schedule on: nodeclaim/a (Nominated)"},
		{"volumes are created", set + pod + `status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."}]}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-db-0, uid: claim-1}, status: {phase: Pending}}
` + event + `
reason: Provisioning
message: External provisioner is provisioning volume
involvedObject: {kind: PersistentVolumeClaim, name: data-db-0, uid: claim-1}`, "the pod db-0 is pending; External provisioner is provisioning volume (Provisioning)"},
		{"quota of the past", set + pod + starts + event + `
reason: FailedCreate
message: is forbidden
involvedObject: {kind: StatefulSet, name: db, uid: set-1}`, "is forbidden (FailedCreate)"},
		{"event of an earlier object", set + event + `
reason: FailedCreate
message: is forbidden
involvedObject: {kind: StatefulSet, name: db, uid: set-0}`, ": it has no pods"},
		{"event before the object", set + event + `
reason: FailedCreate
lastTimestamp: "2026-11-25T23:59:59Z"
message: is forbidden
involvedObject: {kind: StatefulSet, name: db}`, ": it has no pods"},
		{"mount", set + pod + starts + event + `
reason: FailedMount
message: MountVolume.SetUp failed
involvedObject: {kind: Pod, name: db-0, uid: pod-1}`, "MountVolume.SetUp failed (FailedMount)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := fakeCluster(t, tc.objects)
			view, err := c.look(context.Background(), Ref{"StatefulSet", "db"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := newWaiting(time.Hour)
			w.last = view
			if found := w.decide(view, time.Now()); found != nil {
				t.Fatalf("it ends: %+v", found)
			}
			ctx, cancel := context.WithCancelCause(context.Background())
			cancel(errTooLate)
			err = w.end(ctx, Ref{"StatefulSet", "db"}, time.Second, "advice")
			mustSay(t, err, "StatefulSet db is not ready after ", "advice")
			if !strings.HasSuffix(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %s", err, tc.want)
			}
		})
	}
}

// TestPatience: what may pass by itself has to last. A pod that no node takes has more time, unless the
// autoscaler says that it adds none.
func TestPatience(t *testing.T) {
	const room = `status: {conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no room}]}
`
	for name, tc := range map[string]struct {
		more string
		last time.Duration
	}{
		"there may be an autoscaler": {room, time.Minute},
		"there is one that adds no node": {room + event + `
reason: NotTriggerScaleUp
message: "pod didn't trigger scale-up: 1 max node group size reached"
involvedObject: {kind: Pod, name: db-0, uid: pod-1}`, 10 * time.Second},
		"an image is not pulled": {`status: {containerStatuses: [{name: postgres, image: x, state: {waiting: {reason: ImagePullBackOff}}}]}`, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := fakeCluster(t, set+pod+tc.more)
			bad, err := c.look(context.Background(), Ref{"StatefulSet", "db"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			good := &view{object: bad.object}
			w := newWaiting(10 * time.Second)
			begin := time.Now()
			for _, step := range []struct {
				after time.Duration
				view  *view
				ends  bool
			}{
				{0, bad, false}, {9 * time.Second, bad, false}, {10 * time.Second, good, false},
				{11 * time.Second, bad, false}, {10*time.Second + tc.last, bad, false}, {11*time.Second + tc.last, bad, true},
			} {
				if found := w.decide(step.view, begin.Add(step.after)); (found != nil) != step.ends {
					t.Errorf("after %s: %+v", step.after, found)
				}
			}
		})
	}
}

// TestVanishedPod: a pod of a Job that is gone is not replaced.
func TestVanishedPod(t *testing.T) {
	c, client := fakeCluster(t, job+`---
apiVersion: v1
kind: Pod
metadata: {name: load-0, uid: pod-2, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: load, uid: job-1}]}
status: {phase: Running}`)
	looks := 0
	err := c.Wait(context.Background(), Ref{"Job", "load"}, func(Object) bool {
		if looks++; looks == 2 { // it was seen once
			_ = client.Tracker().Delete(kindPod.resource, "bench", "load-0")
		}
		return false
	}, soon)
	mustSay(t, err, "Job load is not ready: the pod load-0: it was deleted (Deleted)", "")
	var gone *PodError
	if !errors.As(err, &gone) || gone.Reason != "Deleted" {
		t.Errorf("it is %#v", err)
	}
}

// TestWaitSurvivesAnAPIServerThatFails: it asks again; an answer that stays ends the waiting.
func TestWaitSurvivesAnAPIServerThatFails(t *testing.T) {
	c, client := fakeCluster(t, job+"status: {ready: 2}")
	failures := 3
	client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		failures--
		return failures >= 0, nil, apierrors.NewInternalError(errors.New("etcd has no leader"))
	})
	mustSay(t, c.Wait(context.Background(), Ref{"Job", "load"}, Ready, soon), "", "")
	client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(kindPod.resource.GroupResource(), "",
			errors.New(`User "bob" cannot list resource "pods" in API group "" in the namespace "bench"`))
	})
	mustSay(t, c.Wait(context.Background(), Ref{"Job", "load"}, func(Object) bool { return false }, soon), "cannot wait for Job load: pods is forbidden",
		"give bob a Role in the namespace bench with this rule:\n- apiGroups: [\"\"]\n  resources: [\"pods\"]\n  verbs: [\"list\"]")
}

// TestWaitNeedsNoEvents: they only explain, so an account that may not read them can wait all the same.
func TestWaitNeedsNoEvents(t *testing.T) {
	c, client := fakeCluster(t, job+"status: {ready: 0}")
	client.PrependReactor("list", "events", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(kindEvent.resource.GroupResource(), "", errors.New("no"))
	})
	looks := 0
	third := func(Object) bool { looks++; return looks > 3 }
	mustSay(t, c.Wait(context.Background(), Ref{"Job", "load"}, third, time.Minute), "", "")
	never := func(Object) bool { return false }
	mustSay(t, c.Wait(context.Background(), Ref{"Job", "load"}, never, 20*time.Millisecond), "its events are not known, because this account has no right to list events",
		"kubectl describe job load --namespace bench may say more")
}

// TestWaitAllowsForDelays: an API server may not know an object yet, nor a right.
func TestWaitAllowsForDelays(t *testing.T) {
	c, client := fakeCluster(t, job+"status: {ready: 2}")
	c.settles = soon
	answers := []error{
		apierrors.NewNotFound(kinds[0].resource.GroupResource(), "load"),
		apierrors.NewForbidden(kinds[0].resource.GroupResource(), "load", errors.New("not yet")),
		errors.New("connection refused"),
	}
	client.PrependReactor("get", "jobs", func(clienttesting.Action) (bool, runtime.Object, error) {
		if len(answers) == 0 {
			return false, nil, nil
		}
		err := answers[0]
		answers = answers[1:]
		return true, nil, err
	})
	mustSay(t, c.Wait(t.Context(), Ref{"Job", "load"}, Ready, soon), "", "")
	client.PrependReactor("get", "jobs", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewUnauthorized("expired")
	})
	mustSay(t, c.Wait(t.Context(), Ref{"Job", "load"}, Ready, soon), "the cluster does not accept the credentials", "log in again")
}

// TestWaitKnowsWhatIsGone: an object that was there does not come back.
func TestWaitKnowsWhatIsGone(t *testing.T) {
	c, client := fakeCluster(t, job)
	c.settles = soon
	err := c.Wait(t.Context(), Ref{"Job", "load"}, func(Object) bool {
		go func() { _ = client.Tracker().Delete(kinds[0].resource, "bench", "load") }()
		return false
	}, soon)
	mustSay(t, err, `cannot wait for Job load: jobs.batch "load" not found`, "")
}

// TestEventsThatMatter: only the events of the object and of what is not ready are asked for.
func TestEventsThatMatter(t *testing.T) {
	c, client := fakeCluster(t, cnpg+`---
apiVersion: v1
kind: Pod
metadata: {name: orders-1, uid: p1, labels: {cnpg.io/cluster: orders}}
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: orders-2, uid: p2, labels: {cnpg.io/cluster: orders}}
spec: {volumes: [{name: pgdata, persistentVolumeClaim: {claimName: orders-2}}, {name: wal, persistentVolumeClaim: {claimName: orders-2-wal}}]}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: orders-2, uid: c1}, status: {phase: Bound}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: orders-2-wal, uid: c2}, status: {phase: Pending}}
`)
	var asked []string
	client.PrependReactor("list", "events", func(action clienttesting.Action) (bool, runtime.Object, error) {
		asked = append(asked, action.(clienttesting.ListAction).GetListRestrictions().Fields.String())
		return false, nil, nil
	})
	if _, err := c.look(t.Context(), Ref{"Cluster", "orders"}, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"involvedObject.name=orders", "involvedObject.name=orders-2", "involvedObject.name=orders-2-wal", "involvedObject.kind=Job"}
	if !slices.Equal(asked, want) {
		t.Errorf("it asks for %q\nwant %q", asked, want)
	}
}

// TestNow: the time is that of the API server.
func TestNow(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", "Thu, 26 Nov 2026 00:00:00 GMT")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"gitVersion": "v1.33.13"}`))
	}))
	defer s.Close()
	c := &Cluster{config: &rest.Config{Host: s.URL}}
	if err := c.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	served := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	if now := c.In("other").Now(); now.Before(served.Add(-time.Second)) || now.After(served.Add(soon)) {
		t.Errorf("it is %s there", now)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	c, _ := fakeCluster(t, job)
	ctx, cancel := context.WithCancel(context.Background())
	err := c.Wait(ctx, Ref{"Job", "load"}, func(Object) bool { cancel(); return false }, soon)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

func TestTrouble(t *testing.T) {
	c, _ := fakeCluster(t, set+pod+`status: {phase: Failed, reason: Evicted, message: "The node was low on resource: memory."}`)
	mustSay(t, c.Trouble(context.Background(), Ref{"StatefulSet", "db"}, nil), "the pod db-0: The node was low on resource: memory. (Evicted)", "ran out of a resource")
	mustSay(t, c.Trouble(context.Background(), Ref{"Pod", "db-0"}, nil), "(Evicted)", "ran out of a resource")
	c, _ = fakeCluster(t, job+"status: {ready: 2}")
	mustSay(t, c.Trouble(context.Background(), Ref{"Job", "load"}, nil), "", "")
	c, _ = fakeCluster(t, set+pod+`status: {phase: Running, containerStatuses: [{name: postgres, lastState: {terminated: {reason: OOMKilled, finishedAt: "2026-11-26T00:00:00Z"}}}]}`)
	mustSay(t, c.Trouble(context.Background(), Ref{"StatefulSet", "db"}, nil), "(OOMKilled)", "raise limits.memory")
	ended, err := c.Ended(context.Background())
	if err != nil || len(ended) != 1 {
		t.Errorf("%v, %v", ended, err)
	}
	mustSay(t, c.Trouble(context.Background(), Ref{"StatefulSet", "db"}, ended), "", "")
	c, _ = fakeCluster(t, keep+failedPod)
	mustSay(t, c.Trouble(context.Background(), Ref{"Job", "keep"}, nil), "the pod keep-a: no memory (Evicted)", "ran out of a resource")
	c, _ = fakeCluster(t, keep+failedPod+newPod) // it was replaced
	mustSay(t, c.Trouble(context.Background(), Ref{"Job", "keep"}, nil), "", "")
}

// TestAlternatingReasons checks that an image that cannot be pulled is one trouble, whatever the kubelet
// does about it at the moment.
func TestAlternatingReasons(t *testing.T) {
	w, now := newWaiting(10*time.Second), time.Now()
	for i, reason := range []string{"ErrImagePull", "ImagePullBackOff", "ErrImagePull"} {
		pod := &corev1.Pod{}
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
		v := &view{object: &unstructured.Unstructured{Object: Object{"kind": "Pod"}}, pods: []corev1.Pod{*pod}}
		found := w.decide(v, now.Add(time.Duration(i)*6*time.Second))
		if (found != nil) != (i == 2) {
			t.Errorf("after %d s: %+v", i*6, found)
		}
	}
}
