// Package durability says what environments kept of the writes that they had acknowledged,
// after a kill or a power cut: a sentence for each, and all of them side by side.
package durability
