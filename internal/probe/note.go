package probe

// Note is what weakens the figures, or explains them. Rule is short and stable.
type Note struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}
