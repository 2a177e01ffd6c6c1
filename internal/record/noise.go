package record

// Quantity identifies the metric and the workload that noise refers to.
type Quantity struct{ Workload, Metric string }

// FoundNoise is a Noise with the name of the record that it comes from.
type FoundNoise struct {
	Noise
	Record string
}
