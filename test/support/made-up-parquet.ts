// A Parquet file of one required text column, written byte by byte, so that a test decides the content of its pages: Thrift's compact
// protocol and the page headers of parquet-format (github.com/apache/parquet-format, parquet.thrift).

import { gzipSync } from 'node:zlib';

/** "prompt" has one text of a dictionary in each row. */
export const repeatedText = (text: string, rows: number): Buffer => {
  const dictionary = page({ kind: DICTIONARY, values: 1, encoding: PLAIN }, plainText(text));
  // A bit width of 0: each row has the only entry.
  const data = page({ kind: DATA, values: rows, encoding: RLE_DICTIONARY }, Buffer.of(0));
  return tableOf(rows, [dictionary, data]);
};

/** "prompt" has texts of 1, 2, 3, … characters, each the one before with a character more. */
export const growingTexts = (rows: number): Buffer => {
  const prefixes = Buffer.concat([packedHead(rows), zigzag(0), zigzag(1), Buffer.alloc(MINIBLOCKS)]);
  const suffixes = Buffer.concat([packedHead(rows), zigzag(1), zigzag(0), Buffer.alloc(MINIBLOCKS)]);
  const body = Buffer.concat([prefixes, suffixes, Buffer.alloc(rows, 'a')]);
  return tableOf(rows, [page({ kind: DATA, values: rows, encoding: DELTA_BYTE_ARRAY }, body)]);
};

interface PageKind {
  readonly kind: number;
  readonly values: number;
  readonly encoding: number;
}

interface Page {
  readonly bytes: Buffer;
  readonly rawBytes: number;
}

const page = ({ kind, values, encoding }: PageKind, raw: Buffer): Page => {
  const body = gzipSync(raw);
  const head = struct([
    [1, i32(kind)],
    [2, i32(raw.length)],
    [3, i32(body.length)],
    kind === DICTIONARY
      ? [
          7,
          nested([
            [1, i32(values)],
            [2, i32(encoding)],
          ]),
        ]
      : [
          5,
          nested([
            [1, i32(values)],
            [2, i32(encoding)],
            [3, i32(RLE)],
            [4, i32(RLE)],
          ]),
        ],
  ]);
  return { bytes: Buffer.concat([head, body]), rawBytes: head.length + raw.length };
};

const tableOf = (rows: number, pages: readonly Page[]): Buffer => {
  const content = Buffer.concat(pages.map(({ bytes }) => bytes));
  const rawBytes = pages.reduce((sum, each) => sum + each.rawBytes, 0);
  const column = nested([
    [1, i32(BYTE_ARRAY)],
    [2, list(I32, [zigzag(PLAIN)])],
    [3, list(BINARY, [text('prompt')])],
    [4, i32(GZIP)],
    [5, i64(rows)],
    [6, i64(rawBytes)],
    [7, i64(content.length)],
    [9, i64(MAGIC.length + (pages.length > 1 ? (pages[0]?.bytes.length ?? 0) : 0))],
    ...(pages.length > 1 ? ([[11, i64(MAGIC.length)]] satisfies Field[]) : []),
  ]);
  const group = struct([
    [
      1,
      list(STRUCT, [
        struct([
          [2, i64(MAGIC.length)],
          [3, column],
        ]),
      ]),
    ],
    [2, i64(rawBytes)],
    [3, i64(rows)],
  ]);
  const root = struct([
    [4, binary('schema')],
    [5, i32(1)],
  ]);
  const leaf = struct([
    [1, i32(BYTE_ARRAY)],
    [3, i32(REQUIRED)],
    [4, binary('prompt')],
    [6, i32(UTF8)],
  ]);
  const footer = struct([
    [1, i32(1)],
    [2, list(STRUCT, [root, leaf])],
    [3, i64(rows)],
    [4, list(STRUCT, [group])],
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([MAGIC, content, footer, length, MAGIC]);
};

const plainText = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** Of DELTA_BINARY_PACKED: one block with all values, of which each differs from the one before by the same. */
const packedHead = (values: number): Buffer =>
  Buffer.concat([
    varint(BigInt(Math.ceil((values + 1) / MINIBLOCKS / 32) * 32 * MINIBLOCKS)),
    varint(BigInt(MINIBLOCKS)),
    varint(BigInt(values)),
  ]);

type Value = { readonly type: number; readonly bytes: Buffer };
type Field = readonly [id: number, value: Value];

const struct = (fields: readonly Field[]): Buffer => {
  let before = 0;
  const parts = fields.map(([id, { type, bytes }]) => {
    const head = Buffer.of(((id - before) << 4) | type);
    before = id;
    return Buffer.concat([head, bytes]);
  });
  return Buffer.concat([...parts, Buffer.of(0)]);
};

const nested = (fields: readonly Field[]): Value => ({ type: STRUCT, bytes: struct(fields) });
const i32 = (value: number): Value => ({ type: I32, bytes: zigzag(value) });
const i64 = (value: number): Value => ({ type: I64, bytes: zigzag(value) });
const binary = (value: string): Value => ({ type: BINARY, bytes: text(value) });
const list = (type: number, items: readonly Buffer[]): Value => ({
  type: LIST,
  bytes: Buffer.concat([Buffer.of((items.length << 4) | type), ...items]),
});

const text = (value: string): Buffer => Buffer.concat([varint(BigInt(value.length)), Buffer.from(value)]);
const zigzag = (value: number): Buffer => varint(BigInt(value) * 2n);

const varint = (value: bigint): Buffer => {
  const bytes: number[] = [];
  for (let left = value; ; left >>= 7n) {
    bytes.push(Number(left & 0x7fn) | (left > 0x7fn ? 0x80 : 0));
    if (left <= 0x7fn) return Buffer.from(bytes);
  }
};

const MAGIC = Buffer.from('PAR1');
const MINIBLOCKS = 4;
const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12] as const;
const [DATA, DICTIONARY] = [0, 2] as const;
const [PLAIN, RLE, DELTA_BYTE_ARRAY, RLE_DICTIONARY] = [0, 3, 7, 8] as const;
const [BYTE_ARRAY, GZIP, REQUIRED, UTF8] = [6, 2, 0, 0] as const;
