package hostiletest

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// points are Parquet files of a few kilobytes to a few megabytes.
func points() []Case {
	file := func(data func() ([]byte, error)) func(dir, run string) error {
		return func(_, run string) error {
			text, err := data()
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(run, "points.parquet"), text, 0o644)
		}
	}
	return []Case{
		{Name: "points of a million seconds", Shown: true, Damage: file(func() ([]byte, error) { return parquetBomb(1_990, 1_000_000, 1_000_000) })},
		{Name: "points of an hour in 1,990 columns", Shown: true, Damage: file(func() ([]byte, error) { return parquetBomb(1_990, 3_600, 3_600) })},
		{Name: "points that inflate beyond what they say", Shown: true, Damage: file(func() ([]byte, error) { return parquetBomb(500, 60, 1_000_000) })},
		{Name: "points in 100,000 columns", Shown: true, Damage: file(func() ([]byte, error) { return parquetBomb(100_000, 1, 1) })},
		{Name: "points that are no Parquet", Shown: true, Damage: file(func() ([]byte, error) { return bytes.Repeat([]byte("PAR1"), 1<<20), nil })},
		{Name: "points with a long list", Shown: true, Damage: file(func() ([]byte, error) {
			footer := []byte("\x15\x04\x19\xfc\xff\xff\xff\xff\x07") // a schema of two billion columns
			return framed(nil, footer), nil
		})},
	}
}

// parquetBomb returns a file with columns that claim claimed rows and inflate to rows ones.
func parquetBomb(columns, claimed, rows int) ([]byte, error) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		return nil, err
	}
	ones := bytes.Repeat(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1)), rows)
	levels := append(binary.AppendUvarint(nil, uint64(claimed)<<1), 1)
	body := w.EncodeAll(ones, levels)
	header, err := thrift.Marshal(new(thrift.CompactProtocol), format.PageHeader{
		Type: format.DataPageV2, UncompressedPageSize: int32(len(levels) + 8*claimed), CompressedPageSize: int32(len(body)),
		DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
			NumValues: int32(claimed), NumRows: int32(claimed), Encoding: format.Plain, DefinitionLevelsByteLength: int32(len(levels)),
		}),
	})
	if err != nil {
		return nil, err
	}
	body = append(header, body...)
	meta := format.FileMetaData{Version: 2, NumRows: int64(claimed), Schema: []format.SchemaElement{{Name: "points", NumChildren: thrift.New(int32(columns))}}}
	group := format.RowGroup{NumRows: int64(claimed)}
	for i := range columns {
		name := fmt.Sprintf("c%d", i)
		if i < 2 {
			name = []string{"second", "tps"}[i]
		}
		meta.Schema = append(meta.Schema, format.SchemaElement{Name: name, Type: thrift.New(format.Double), RepetitionType: thrift.New(format.Optional)})
		// All columns are the same bytes.
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: format.Double, Codec: format.Zstd, NumValues: int64(claimed), DataPageOffset: 4,
			TotalCompressedSize: int64(len(body)), PathInSchema: []string{name},
		}})
	}
	meta.RowGroups = []format.RowGroup{group}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	return framed(body, footer), err
}

func framed(body, footer []byte) []byte {
	file := append([]byte("PAR1"), body...)
	file = append(file, footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

// logs are histogram logs.
func logs() []Case {
	file := func(data func() []byte) func(dir, run string) error {
		return func(_, run string) error { return os.WriteFile(filepath.Join(run, "latency.hlog"), data(), 0o644) }
	}
	return []Case{
		{Name: "log of many lines", Shown: true, Damage: file(func() []byte { return []byte(strings.Repeat("1,1,1,\n", 9<<20)) })},
		{Name: "log that inflates", Shown: true, Damage: file(func() []byte { return []byte(strings.Repeat("0,1,1,"+inflating()+"\n", 1000)) })},
		{Name: "log that is none", Shown: true, Damage: file(func() []byte { return bytes.Repeat([]byte{0}, 60<<20) })},
	}
}

// inflating returns a histogram that inflates to a gigabyte.
func inflating() string {
	packed := &bytes.Buffer{}
	packed.Write([]byte{0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 0})
	w := zlib.NewWriter(packed)
	zeros := make([]byte, 1<<20)
	for range 64 {
		_, _ = w.Write(zeros) // in memory
	}
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}
