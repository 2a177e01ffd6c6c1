// Package serve shows a store in the browser: its records, each one's page, and a
// run that goes on, live. It reads records from disk like anyone else; it changes
// nothing, and the one who writes a record does not know that it is there.
//
// It listens on loopback unless told otherwise, answers GET and HEAD only, and
// believes no name: who asks under another host name (DNS rebinding) or from
// another site's page gets nothing.
package serve
