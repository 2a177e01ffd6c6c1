// Package journal is what undoes a change: a file of its own for each plinth, in
// which a change is noted, and synced to disk, before it is made. Whoever finds
// the journal of a dead plinth can put back what that one could not.
//
// A journal is lines of JSON: a header, then notes and what was forgotten:
//
//	{"schema":"plinth/journal/v1","pid":17,"boot":"084478c8…","machine":"a408bc38…","started":"…","label":"results/quick-…"}
//	{"id":1,"note":"directory","args":{"path":"/mnt/nvme0/plinth-7f3a"},"time":"…"}
//	{"id":2,"note":"bind-mount","args":{…},"time":"…"}
//	{"id":2,"forget":true}
//
// A plinth holds a lock (flock) on its journal while it lives, and the kernel
// drops the lock when it dies, however it dies: there are no stale locks.
package journal

// Schema is the schema of a journal. A later one is refused.
const Schema = "plinth/journal/v1"
