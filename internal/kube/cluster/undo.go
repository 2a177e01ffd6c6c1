package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/journal"
)

// kindCordon is the only change in a cluster that is journaled: the keeper takes everything else along.
const kindCordon = "kubernetes-cordon"

// cordoned is a node that plinth has cordoned, and where its cluster is.
type cordoned struct {
	Context string `json:"context"`          // of the configuration of kubectl; empty within the cluster
	Config  string `json:"config,omitempty"` // KUBECONFIG
	Server  string `json:"server"`
	Name    string `json:"name"` // of the node
	Record  string `json:"record"`
}

// NoteCordon journals that a node is about to be cordoned.
func (c *Cluster) NoteCordon(j *journal.Journal, node, record string) error {
	config, err := absolute(os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	note := cordoned{Context: c.Name, Config: config, Server: c.config.Host, Name: node, Record: record}
	if c.Name == InCluster {
		note.Context = ""
	}
	_, err = j.Note(kindCordon, note)
	return err
}

// absolute makes the files of a KUBECONFIG absolute: what is journaled may be undone in another directory.
func absolute(config string) (string, error) {
	files := filepath.SplitList(config)
	for i, file := range files {
		if file == "" { // is ignored
			continue
		}
		var err error
		if files[i], err = filepath.Abs(file); err != nil {
			return "", err
		}
	}
	return strings.Join(files, string(filepath.ListSeparator)), nil
}

// Undoers returns the function that undoes what is journaled.
func Undoers() journal.Undoers { return journal.Undoers{kindCordon: undoCordon} }

// undoCordon uncordons a node.
func undoCordon(ctx context.Context, args json.RawMessage) error {
	var note cordoned
	if err := json.Unmarshal(args, &note); err != nil || note.Name == "" || note.Record == "" {
		return errors.Join(errors.New("cannot uncordon a node: the journal entry has no node"), err)
	}
	c, err := Open(ctx, Options{Context: note.Context, Config: note.Config})
	if err == nil && c.config.Host != note.Server {
		err = fmt.Errorf("the context %s now points to %s, not to %s", c.Name, c.config.Host, note.Server)
	}
	if err != nil {
		return hint.Wrap(fmt.Errorf("cannot uncordon the node %s: %w", note.Name, err), "kubectl uncordon "+note.Name)
	}
	return c.Uncordon(ctx, note.Name, note.Record)
}
