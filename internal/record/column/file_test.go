package column_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"plinth/internal/record/column"
)

var limits = column.Limits{Columns: 100, Rows: 10_000, Groups: 4}

// TestColumn compares this package with a library: what the library writes, both read alike.
func TestColumn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		columns, rows := 1+random.IntN(5), random.IntN(3000)
		table := make([][]float64, columns)
		for i := range table {
			table[i] = someValues(random, rows)
		}
		data := written(t, table, 1+random.IntN(3), parquet.PageBufferSize(100+random.IntN(10_000)))
		f, err := column.Open(bytes.NewReader(data), int64(len(data)), limits)
		if err != nil {
			t.Fatal(err)
		}
		if f.Rows() != rows || len(f.Names()) != columns {
			t.Fatalf("%d rows, columns %q; want %d, %d", f.Rows(), f.Names(), rows, columns)
		}
		for i, name := range f.Names() {
			values, err := f.Column(name)
			if err != nil || !slices.EqualFunc(values, table[i], same) {
				t.Fatalf("column %s: %v\n%v\nwant\n%v", name, err, values, table[i])
			}
		}
	}
}

func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }

// someValues returns numbers and nulls, alone or in runs.
func someValues(random *rand.Rand, rows int) []float64 {
	values := make([]float64, rows)
	share, run := random.Float64(), 1+random.IntN(40)
	for i := range values {
		switch {
		case i%run != 0:
			values[i] = values[i-1]
		case random.Float64() < share:
			values[i] = math.NaN()
		default:
			values[i] = random.NormFloat64() * 1e6
		}
	}
	return values
}

// written returns a file with the columns c0, c1, ...
func written(t *testing.T, table [][]float64, groups int, options ...parquet.WriterOption) []byte {
	t.Helper()
	root := parquet.Group{}
	for i := range table {
		root["c"+strconv.Itoa(i)] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
	}
	options = append(options, parquet.NewSchema("points", goTyped{root}), parquet.Compression(&parquet.Zstd))
	out := &bytes.Buffer{}
	w := parquet.NewGenericWriter[any](out, options...)
	rows := len(table[0])
	for r := range rows {
		if r > 0 && r%(rows/groups+1) == 0 {
			must(t, w.Flush())
		}
		row := make(parquet.Row, len(table))
		for i := range table {
			if v := table[i][r]; math.IsNaN(v) {
				row[i] = parquet.NullValue().Level(0, 0, i)
			} else {
				row[i] = parquet.DoubleValue(v).Level(0, 1, i)
			}
		}
		_, err := w.WriteRows([]parquet.Row{row})
		must(t, err)
	}
	must(t, w.Close())
	return out.Bytes()
}

type goTyped struct{ parquet.Group }

func (goTyped) GoType() reflect.Type { return reflect.TypeFor[map[string]*float64]() }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// parts is a file with one column of ones, in one page. A test changes parts of it.
type parts struct {
	header format.PageHeader
	body   []byte
	footer format.FileMetaData
	chunk  *format.ColumnMetaData // in footer
}

func newParts(t testing.TB, rows int) *parts {
	t.Helper()
	levels := append(binary.AppendUvarint(nil, uint64(rows)<<1), 1) // a run of ones
	body := slices.Concat(levels, deflated(t, ones(rows)))
	p := &parts{
		header: format.PageHeader{
			Type: format.DataPageV2, UncompressedPageSize: int32(len(levels) + 8*rows), CompressedPageSize: int32(len(body)),
			DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
				NumValues: int32(rows), NumRows: int32(rows), Encoding: format.Plain, DefinitionLevelsByteLength: int32(len(levels)),
			}),
		},
		body: body,
		footer: format.FileMetaData{
			Version: 2, NumRows: int64(rows),
			Schema: []format.SchemaElement{
				{Name: "points", NumChildren: thrift.New(int32(1))},
				{Name: "tps", Type: thrift.New(format.Double), RepetitionType: thrift.New(format.Optional)},
			},
			RowGroups: []format.RowGroup{{NumRows: int64(rows), Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
				Type: format.Double, Codec: format.Zstd, NumValues: int64(rows), DataPageOffset: 4, PathInSchema: []string{"tps"},
			}}}}},
		},
	}
	p.chunk = &p.footer.RowGroups[0].Columns[0].MetaData
	return p
}

func ones(n int) []byte {
	return bytes.Repeat(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1)), n)
}

func deflated(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	must(t, err)
	return w.EncodeAll(data, nil)
}

// file returns the bytes of the file.
func (p *parts) file(t testing.TB) []byte {
	t.Helper()
	header, err := thrift.Marshal(new(thrift.CompactProtocol), p.header)
	must(t, err)
	if p.chunk.TotalCompressedSize == 0 {
		p.chunk.TotalCompressedSize = int64(len(header) + len(p.body))
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), p.footer)
	must(t, err)
	return framed(slices.Concat(header, p.body), footer)
}

func framed(body, footer []byte) []byte {
	return slices.Concat([]byte("PAR1"), body, footer, binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), []byte("PAR1"))
}

// TestLies changes one part of a good file at a time. Whatever a file claims, reading it ends with
// an error, and allocates little.
func TestLies(t *testing.T) {
	const rows = 1000
	v2 := func(p *parts) *format.DataPageHeaderV2 { return &p.header.DataPageHeaderV2.V }
	for _, c := range []struct {
		name string
		lie  func(p *parts)
		want string // "" for a file without a lie
	}{
		{"none", func(*parts) {}, ""},
		{"rows", func(p *parts) { p.footer.NumRows = 9000 }, "groups have 1000 rows, but the file declares 9000"},
		{"too many rows", func(p *parts) { p.footer.NumRows = 1 << 40 }, "rows are too many"},
		{"negative rows", func(p *parts) { p.footer.NumRows = -1 }, "rows are too many"},
		{"rows of a group", func(p *parts) { p.footer.RowGroups[0].NumRows = 1 << 40 }, "metadata is damaged"},
		{"many groups", func(p *parts) { p.footer.RowGroups = slices.Repeat(p.footer.RowGroups, 1000) }, "metadata is damaged"},
		{"more chunks than columns", func(p *parts) { p.footer.RowGroups[0].Columns = slices.Repeat(p.footer.RowGroups[0].Columns, 50) }, "metadata is damaged"},
		{"many columns", func(p *parts) { p.footer.Schema = append(p.footer.Schema, make([]format.SchemaElement, 200)...) }, "201 columns are too many"},
		{"no columns", func(p *parts) {
			p.footer.Schema, p.footer.RowGroups = []format.SchemaElement{{NumChildren: thrift.New(int32(0))}}, nil
		}, "no columns"},
		{"nested", func(p *parts) { p.footer.Schema[0].NumChildren = thrift.New(int32(5)) }, "nested"},
		{"column of text", func(p *parts) { p.footer.Schema[1].Type = thrift.New(format.ByteArray) }, `column "tps" is not numeric`},
		{"repeated column", func(p *parts) { p.footer.Schema[1].RepetitionType = thrift.New(format.Repeated) }, `column "tps" is not numeric`},
		{"no name", func(p *parts) { p.footer.Schema[1].Name = "" }, "is empty or duplicated"},
		{"other codec", func(p *parts) { p.chunk.Codec = format.Lz4Raw }, "it is not compressed with ZSTD"},
		{"dictionary", func(p *parts) { p.chunk.DictionaryPageOffset = 4 }, "not encoded as plinth encodes columns"},
		{"another file", func(p *parts) { p.footer.RowGroups[0].Columns[0].FilePath = "/etc/passwd" }, "not encoded as plinth encodes columns"},
		{"chunk before the file", func(p *parts) { p.chunk.DataPageOffset = -8 }, "it has 1000 values in"},
		{"chunk after the file", func(p *parts) { p.chunk.DataPageOffset = math.MaxInt64 }, "it has 1000 values in"},
		{"large chunk", func(p *parts) { p.chunk.TotalCompressedSize = 1 << 40 }, "it has 1000 values in"},
		{"values of a chunk", func(p *parts) { p.chunk.NumValues = 1 << 40 }, "values in"},
		{"page of another kind", func(p *parts) { p.header.Type = format.DictionaryPage }, "not encoded as plinth encodes columns"},
		{"page of another encoding", func(p *parts) { v2(p).Encoding = format.ByteStreamSplit }, "not encoded as plinth encodes columns"},
		{"inflated size", func(p *parts) { p.header.UncompressedPageSize = math.MaxInt32 }, "page is damaged"},
		{"compressed size", func(p *parts) { p.header.CompressedPageSize = math.MaxInt32 }, "page is damaged"},
		{"negative size", func(p *parts) { p.header.CompressedPageSize = -5 }, "page is damaged"},
		{"values of a page", func(p *parts) { v2(p).NumValues = math.MaxInt32 }, "page is damaged"},
		{"empty pages", func(p *parts) { v2(p).NumValues = 0 }, "page is damaged"},
		{"more nulls than values", func(p *parts) { v2(p).NumNulls = 2000 }, "page is damaged"},
		{"nulls that are none", func(p *parts) { v2(p).NumNulls, p.header.UncompressedPageSize = 1, p.header.UncompressedPageSize-8 }, "do not inflate"},
		{"levels beyond the page", func(p *parts) { v2(p).DefinitionLevelsByteLength = math.MaxInt32 }, "page is damaged"},
		{"level of 2", func(p *parts) { p.body[2] = 2 }, "page is damaged"},
		{"endless run of levels", func(p *parts) { p.body = append([]byte{0xfe, 0x7f}, p.body[2:]...) }, ""},
		{"page that inflates to 80 MB", func(p *parts) { p.put(deflated(t, ones(10<<20))) }, "do not inflate to 8000"},
		{"two frames in a page", func(p *parts) { p.put(slices.Concat(deflated(t, ones(rows)), deflated(t, ones(rows)))) }, "do not inflate to 8000"},
		{"short page", func(p *parts) { p.put(deflated(t, ones(rows-1))) }, "do not inflate to 8000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newParts(t, rows)
			c.lie(p)
			data := p.file(t)
			var err error
			used := allocated(func() { err = readAll(data) })
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want ... %s", err, c.want)
			}
			if used > 1<<20 {
				t.Errorf("%d bytes were allocated", used)
			}
		})
	}
}

// put replaces the compressed values of the page.
func (p *parts) put(values []byte) {
	p.body = slices.Concat(p.body[:3], values)
	p.header.CompressedPageSize = int32(len(p.body))
}

// allocated returns how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func readAll(data []byte) error {
	f, err := column.Open(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		return err
	}
	for _, name := range f.Names() {
		values, err := f.Column(name)
		if err == nil && len(values) != f.Rows() {
			err = errors.New("too few or too many values")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestLongLists claims lists and strings that are longer than the footer.
func TestLongLists(t *testing.T) {
	for name, footer := range map[string]string{
		"list":   "\x29\xfc\xff\xff\xff\xff\x0f",                   // schema: 2^32 structs
		"groups": "\x49\xfc\xff\xff\xff\xff\x0f",                   // row groups: 2^32 structs
		"string": "\x68\xff\xff\xff\xff\x0f",                       // created_by: 4 GB
		"map":    "\xfb\xff\xff\xff\xff\x0f\x88",                   // an unknown field: a map of 2^32 strings
		"deep":   strings.Repeat("\xfc", 100_000),                  // structs in structs
		"lists":  "\xf9" + strings.Repeat("\x19", 100_000),         // lists in lists
		"bools":  "\xf9\xf1\x80\x80\x40" + strings.Repeat("1", 99), // 2^20 booleans
	} {
		t.Run(name, func(t *testing.T) {
			data := framed(nil, []byte(footer))
			var err error
			if used := allocated(func() { err = readAll(data) }); err == nil || used > 1<<20 {
				t.Errorf("%v, %d bytes allocated", err, used)
			}
		})
	}
}

func TestNoSuchColumn(t *testing.T) {
	data := newParts(t, 100).file(t)
	f, err := column.Open(bytes.NewReader(data), int64(len(data)), limits)
	must(t, err)
	if _, err := f.Column("other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// FuzzFile reads arbitrary bytes: the result is an error or complete columns.
func FuzzFile(f *testing.F) {
	for _, rows := range []int{64, 1000} {
		f.Add(newParts(f, rows).file(f))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := readAll(data); err != nil && strings.Contains(err.Error(), "values") && strings.Contains(err.Error(), "few or") {
			t.Error(err)
		}
	})
}
