package experiment

import (
	"cmp"
	"reflect"

	"plinth/internal/unit"
)

// Cost says what is paid for an environment, as far as that does not follow from its instance and its
// storage. The experiment's own Cost has the keys that the environments share.
type Cost struct {
	Book        string            `yaml:"book" doc:"Price book (plinth prices lists them). Default: aws."`
	Region      string            `yaml:"region" doc:"Region of the prices. Default: the fact region, otherwise the only one of the book, or us-east-1."`
	Service     string            `yaml:"service" doc:"Managed database of the price book that runs the server: rds-postgresql (default for instances db.*), aurora-postgresql."`
	Machines    int               `yaml:"machines" min:"1" max:"10000" doc:"Number of machines like the environment's instance. Default: 1, or 2 with a replica."`
	Term        string            `yaml:"term" doc:"How the machines are paid: on-demand (default), or a term of the price book, such as spot."`
	Discount    unit.Share        `yaml:"discount" doc:"Share off the price of the machines: 70%."`
	Volumes     []CostVolume      `yaml:"volumes" doc:"Volumes that are billed, instead of those of the storage: [{for: data, type: gp3, size: 500GiB}]."`
	Classes     map[string]string `yaml:"classes" doc:"Type of the volume behind each storage class of Kubernetes: {ebs-fast: io2}."`
	IOs         float64           `yaml:"ios_per_month" min:"1" doc:"Requests per month of storage that is paid by request (Aurora Standard), from its own counters."`
	ACUs        float64           `yaml:"acus" min:"0.5" max:"256" doc:"Mean number of Aurora capacity units, with Aurora Serverless v2."`
	Premises    Premises          `yaml:"on_premises" doc:"A machine that is owned, instead of rented ones."`
	Further     map[string]string `yaml:"further" doc:"Further costs per month, by name: {licences: 120, archive: 4.50}."`
	Utilisation unit.Share        `yaml:"utilisation" doc:"Share of the month during which the load is the measured one, for costs per transaction. Default: 100%."`
}

// CostVolume is a volume that is paid, or several equal ones. What it lacks comes from the storage with
// the same role.
type CostVolume struct {
	For        string    `yaml:"for" doc:"Role of the volume in the storage: data, wal, temp, the name of a tablespace, or any other word."`
	Type       string    `yaml:"type" doc:"Type of the volume in the price book: gp3, io2."`
	Count      int       `yaml:"count" min:"1" max:"10000" doc:"Number of such volumes. Default: 1."`
	Size       unit.Size `yaml:"size" min:"1MiB" max:"16TiB" doc:"Size of each. A gigabyte of AWS is 1GiB."`
	IOPS       float64   `yaml:"iops" min:"1" doc:"Provisioned IOPS of each."`
	Throughput unit.Rate `yaml:"throughput" min:"4KiB/s" doc:"Provisioned throughput of each."`
}

// Premises is a machine that is owned.
type Premises struct {
	Capital      float64    `yaml:"capital" min:"0.01" doc:"Price of the machine with its disks."`
	Years        float64    `yaml:"years" min:"0.1" max:"30" doc:"Years after which it is replaced. Default: 4."`
	Watts        float64    `yaml:"watts" min:"0.1" doc:"Mean power, with cooling."`
	KilowattHour float64    `yaml:"kilowatt_hour" min:"0.0001" doc:"Price of a kilowatt-hour."`
	Share        unit.Share `yaml:"share" doc:"Share of the machine that this environment uses. Default: 100%."`
}

// There reports whether the file states any cost.
func (c Cost) There() bool { return !reflect.ValueOf(c).IsZero() }

// There reports whether a machine is owned.
func (p Premises) There() bool { return p != Premises{} }

// CostOf returns what is paid for an environment: its own keys, and otherwise those that the environments
// share.
func (e *Experiment) CostOf(env Environment) Cost {
	c, shared := env.Cost, e.Cost
	own, common := reflect.ValueOf(&c).Elem(), reflect.ValueOf(shared)
	for i := range own.NumField() {
		if own.Field(i).IsZero() {
			own.Field(i).Set(common.Field(i))
		}
	}
	return c
}

// InstanceName returns the cloud instance of an environment, as declared or as a fact states it; "" if it is
// not known.
func (e Environment) InstanceName() string { return cmp.Or(e.Instance, e.Facts["instance"]) }
