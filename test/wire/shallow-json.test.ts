import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NESTING_MAX } from '../../src/core/input/json-footprint.ts';
import { decodeLine } from '../../src/recording/recording-line.ts';
import { decodeRecordBody, decodeRecordHead, RECORD_BYTES_MAX } from '../../src/wire/durable-record.ts';
import { decodeMeshMessage, MESH_PROTOCOL_VERSION } from '../../src/wire/mesh-message.ts';
import { decodeRequest } from '../../src/wire/request-message.ts';
import { decodeSampleLine } from '../../src/wire/sample-line.ts';
import { isNestedTooDeep, isPackedTooDeep, parseShallowJson } from '../../src/wire/shallow-json.ts';
import { decodeSnapshotPacked, snapshotFromJson } from '../../src/wire/snapshot-codec.ts';
import { runConfigFromJson } from '../../src/wire/stored-json.ts';
import { decodeSnapshot } from '../../src/wire/stream-message.ts';

const arrays = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const ORIGIN = 'a'.repeat(26);

describe.each([
  ['arrays', arrays],
  ['objects', objects],
])('%s nested thirty thousand deep', (_, nested) => {
  const deep = nested(30_000);
  const record = (fields: string): Uint8Array =>
    Buffer.from(`{"origin":"${ORIGIN}","epoch":1,"seq":1,"kind":"tide.turned","key":"",${fields}}`);

  it.each([
    ['payload', `"version":1,"payload":${deep}`],
    ['version', `"version":${deep},"payload":1`],
    ['unknown field', `"version":1,"payload":1,"more":${deep}`],
  ])('are refused as the %s of a record, whose place is still known', (_name, fields) => {
    const body = record(fields);
    expect(decodeRecordBody(body, { ageMs: 0, receivedAtMs: 0 })).toMatchObject({ kind: 'refused' });
    expect(decodeRecordHead(body)).toMatchObject({ origin: ORIGIN, kind: 'tide.turned' });
  });

  it('are refused in messages, questions, recordings and files of runs', () => {
    const frame = (type: number, text: string): Uint8Array =>
      Buffer.concat([Uint8Array.of(MESH_PROTOCOL_VERSION, type), Buffer.from(text)]);
    expect(decodeMeshMessage(frame(7, `{"more":${deep}}`))).toMatchObject({ kind: 'malformed' });
    expect(decodeRequest(frame(10, `{"id":1,"body":${nested(5_000)}}`))).toMatchObject({ kind: 'malformed' });
    const event = `{"origin":"${ORIGIN}","epoch":1,"seq":1,"kind":"a.b","key":"","payload":${deep},"ageMs":0,"waitedMs":0}`;
    expect(decodeLine(`{"kind":"batch","atMs":0,"events":[${event}]}`)).toMatchObject({ kind: 'refused' });
    expect(decodeSampleLine(`{"more":${deep}}`)).toMatchObject({ kind: 'unreadable' });
    expect(() => runConfigFromJson(`{"more":${deep}}`)).toThrow('nested too deep');
    expect(() => snapshotFromJson(`{"schema":${deep}}`)).toThrow('nested too deep');
    expect(() => decodeSnapshot(`{"version":${deep}}`, 0)).toThrow('version unknown');
  });

  it('are refused in MessagePack', () => {
    const item = nested === arrays ? [0x91] : [0x81, 0xa1, 0x61];
    const bytes = Uint8Array.from([...Array.from({ length: 30_000 }, () => item).flat(), 0xc0]);
    expect(() => decodeSnapshotPacked(bytes)).toThrow('nested too deep');
  });
});

describe('how deep a text is nested', () => {
  it('is bounded exactly, and what is in strings does not count', () => {
    for (const nested of [arrays, objects]) {
      expect(isNestedTooDeep(nested(NESTING_MAX))).toBe(false);
      expect(isNestedTooDeep(nested(NESTING_MAX + 1))).toBe(true);
    }
    expect(parseShallowJson(JSON.stringify({ a: `"\\${arrays(1_000)}` }))).toEqual({
      a: `"\\${arrays(1_000)}`,
    });
    expect(parseShallowJson('[1')).toBeUndefined();
  });

  it('is no reason to refuse anything that is shallow', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), value => {
        const text = JSON.stringify(value);
        expect(parseShallowJson(text)).toEqual(JSON.parse(text));
        expect(isPackedTooDeep(encode(value))).toBe(false);
      }),
    );
  });

  it('of MessagePack is detected for every size of its values, and bytes that break off are refused', () => {
    const long = 'x'.repeat(70_000);
    const many = Array.from({ length: 70_000 }, (_, index) => index * 1_000_003);
    const value = [
      long,
      long.slice(0, 300),
      many,
      { ...many.slice(0, 300) },
      new Uint8Array(300),
      -5,
      1.5,
      true,
    ];
    const bytes = encode(value);
    expect(isPackedTooDeep(bytes)).toBe(false);
    expect(isPackedTooDeep(bytes.subarray(0, bytes.length - 1))).toBe(true);
    expect(isPackedTooDeep(Uint8Array.of(0xdd, 0xff))).toBe(true);
    expect(isPackedTooDeep(Uint8Array.of(0xc1))).toBe(true);
  });

  it('does not keep a record of the greatest size from being looked at', () => {
    const head = `{"version":1,"origin":"${ORIGIN}","epoch":1,"seq":1,"kind":"a.b","key":"","payload":`;
    const deepest = Math.floor((RECORD_BYTES_MAX - head.length - 2) / 2);
    const body = Buffer.from(`${head}${arrays(deepest)}}`);
    expect(decodeRecordBody(body, { ageMs: 0, receivedAtMs: 0 })).toMatchObject({ kind: 'refused' });
    expect(decodeRecordHead(body)).toMatchObject({ kind: 'a.b' });
  });
});
