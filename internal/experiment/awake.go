package experiment

// Whether CPUs are kept from halting.
const (
	AwakeAuto = "auto"
	AwakeOn   = "on"
	AwakeOff  = "off"
)
