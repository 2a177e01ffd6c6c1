package device

// The sources of the catalog. Documentation is cited as of when it is known to have
// said so: it has no edition of its own.
var (
	ebsGuide = Source{Title: "Amazon EBS User Guide, volume types", Author: "Amazon Web Services", Date: "as of 2024"}
	ec2Guide = Source{Title: "Amazon EC2 Instance Types, storage optimized", Author: "Amazon Web Services", Date: "as of 2024"}

	bareMetal  = Source{Title: "Bare Metal vs. AWS RDS: Storage Baseline", Author: "Iwan Setiawan"}
	pinning    = Source{Title: "Bare Metal vs. AWS RDS: CPU/NUMA Pinning and HugePages", Author: "Iwan Setiawan"}
	redisAOF   = Source{Title: "Redis + AOF + Distributed Storage: A Cautionary Benchmark", Author: "Iwan Setiawan", Date: "March 2026"}
	caseStudy  = Source{Title: "PostgreSQL OLTP Benchmark - Case Study", Author: unnamed, Date: "undated"}
	selection  = Source{Title: "Storage Selection for Database Workloads", Author: unnamed, Date: "May 2026"}
	sm863a     = Source{Title: "SM863a data sheet", Author: "Samsung", Date: "October 2016"}
	serialATA  = Source{Title: "Serial ATA specification, revision 3", Author: "SATA-IO", Date: "2009"}
	assumption = Source{Title: "assumed", Author: "plinth", Date: "November 2026"}
)

// unnamed is the author of what does not name one.
const unnamed = "author unnamed"
