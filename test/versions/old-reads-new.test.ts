// Whatever this version may write, the code in the pinned tarball reads: no field may become required, no list of words and no
// bound may grow. And whatever that version may have written, this one reads. Values are made from the schemas themselves.

import fc from 'fast-check';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_KINDS, type EventKind, eventClass, factKey, KINDS } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { REPORT_SCHEMA } from '../../src/core/run/report.ts';
import { RUN_CONFIG_SCHEMA } from '../../src/core/run/run-config.ts';
import { MESH_VERSION } from '../../src/mesh/tls/authentication.ts';
import { RECORDING_VERSION } from '../../src/recording/recording-line.ts';
import { encodeRecordBody, RECORD_BYTES_MAX, RECORD_VERSION } from '../../src/wire/durable-record.ts';
import { decodeFact, factFrom, KEY_LENGTH_MAX, PAYLOAD_SCHEMAS } from '../../src/wire/event-schema.ts';
import {
  ENTRIES_PER_FRAME_MAX,
  LIVE_BODY_BYTES_MAX,
  MESH_PROTOCOL_VERSION,
} from '../../src/wire/mesh-message.ts';
import { BASELINE_FIGURES_MAX } from '../../src/wire/probe-schema.ts';
import { reportSchema } from '../../src/wire/report-codec.ts';
import { REQUEST_BYTES_MAX } from '../../src/wire/request-message.ts';
import { environmentSchema, reportRunSchema } from '../../src/wire/run-config.ts';
import { runEndSchema, runProgressSchema, runStartSchema } from '../../src/wire/run-schema.ts';
import { LIST_LENGTH_MAX, TEXT_LENGTH_MAX } from '../../src/wire/schema.ts';
import { SNAPSHOT_SCHEMA } from '../../src/wire/snapshot-codec.ts';
import { snapshotSchema } from '../../src/wire/snapshot-schema.ts';
import { STREAM_VERSION } from '../../src/wire/stream-message.ts';
import { MESH_LIST_LENGTH_MAX } from '../../src/wire/version-vector.ts';
import { longCount } from '../support/counts.ts';
import { openedConnection } from '../support/mesh-node.ts';
import { type PinnedProgram, pinnedProgram } from '../support/pinned-program.ts';
import { pinnedFacts } from '../support/pinned-version.ts';
import { type SchemaShape, schemaValues } from '../support/schema-values.ts';

let old: PinnedProgram;
let decodeOld: (kind: string, key: string, payload: unknown) => { readonly kind: string };
beforeAll(async () => {
  old = pinnedProgram();
  const { decodeFact: decode } = await old.module('wire/event-schema.js');
  if (typeof decode !== 'function') throw new Error('the tarball decodes no facts');
  decodeOld = (kind, key, payload) => decode(kind, key, payload);
});
afterAll(() => old[Symbol.dispose]());

const oldKinds = new Set(pinnedFacts().map(({ kind }) => kind));
const runs = { numRuns: longCount(60, 2_000) };

describe('version 0.1.0', () => {
  it('has all its kinds in this version, of the class that they had', () => {
    for (const fact of pinnedFacts()) {
      expect(Object.keys(EVENT_KINDS)).toContain(fact.kind);
      expect(KINDS.filter(kind => kind === fact.kind).map(eventClass)).toEqual([fact.class]);
    }
  });

  it.each(KINDS.map(kind => [kind]))('reads every %s that this version may write', kind => {
    fc.assert(
      fc.property(schemaValues(PAYLOAD_SCHEMAS[kind]), payload => {
        const key = keyOf(kind, payload);
        fc.pre(key !== undefined && key.length <= KEY_LENGTH_MAX);
        const sent: unknown = JSON.parse(JSON.stringify(payload));
        expect(decodeOld(kind, key ?? '', sent)).toMatchObject({
          kind: oldKinds.has(kind) ? 'known' : 'unknown',
        });
      }),
      runs,
    );
  });

  it('reads a record that carries the nonce of its start', async () => {
    const { decodeRecordBody: decode } = await old.module('wire/durable-record.js');
    if (typeof decode !== 'function') throw new Error('the tarball decodes no records');
    const position = { origin: nodeId('a'.repeat(26)), epoch: 3, seq: 9 };
    const fact = openedConnection(position.origin, 'way');
    const decoded = decode(encodeRecordBody(position, fact, 'nonce'), { ageMs: 0, receivedAtMs: 0 });
    // It leaves out the fields that it does not know.
    expect(decoded).toMatchObject({ kind: 'event', event: position });
    const { sinkInterface: _unknownThen, ...payload } = { sinkInterface: '', ...fact.payload };
    expect(decoded).toMatchObject({ event: { payload } });
  });

  it.each<[module: string, name: string, schema: SchemaShape]>([
    ['wire/run-schema.js', 'runStartSchema', runStartSchema],
    ['wire/run-schema.js', 'runEndSchema', runEndSchema],
    ['wire/run-schema.js', 'runProgressSchema', runProgressSchema],
    ['wire/snapshot-schema.js', 'snapshotSchema', snapshotSchema],
    ['wire/run-config.js', 'runSchema', reportRunSchema],
    ['wire/run-config.js', 'environmentSchema', environmentSchema],
    ['wire/report-codec.js', 'reportSchema', reportSchema],
  ])(
    'takes by %s %s whatever this version may tell it',
    async (module, name, schema) => {
      const oldSchema: unknown = (await old.module(module))[name];
      if (!isSchema(oldSchema)) throw new Error(`${name} is no schema`);
      fc.assert(
        fc.property(schemaValues(schema), value => {
          const result = v.safeParse(oldSchema, JSON.parse(JSON.stringify(value)));
          expect(result.issues?.map(issue => `${v.getDotPath(issue)}: ${issue.message}`)).toBeUndefined();
        }),
        runs,
      );
    },
    SCHEMA_TEST_MS,
  );

  it.each([
    ['wire/reading-schema.js', 'READING_SCHEMAS', undefined],
    ['wire/run-schema.js', 'runSchema', 'run.ended'],
    ['wire/run-schema.js', 'runProgressSchema', 'progress.reported'],
    ['wire/run-schema.js', 'runnerSchema', 'runner.reported'],
  ])('wrote nothing by %s %s that this version cannot read', async (module, name, kind) => {
    const exported: unknown = (await old.module(module))[name];
    const schemas = kind === undefined ? Object.entries(Object(exported)) : [[kind, exported] as const];
    expect(schemas.length).toBeGreaterThan(0);
    for (const [each, schema] of schemas)
      fc.assert(
        fc.property(schemaValues(shape(schema)), payload => {
          const sent: unknown = JSON.parse(JSON.stringify(payload));
          const key = keyOf(each, sent);
          fc.pre(key === undefined || key.length <= KEY_LENGTH_MAX);
          expect(decodeFact(each, key ?? '', sent)).toMatchObject({ kind: 'known', fact: { payload: sent } });
        }),
        runs,
      );
  });

  it.each<[module: string, name: string, value: unknown]>([
    ['wire/schema.js', 'TEXT_LENGTH_MAX', TEXT_LENGTH_MAX],
    ['wire/schema.js', 'LIST_LENGTH_MAX', LIST_LENGTH_MAX],
    ['wire/event-schema.js', 'KEY_LENGTH_MAX', KEY_LENGTH_MAX],
    ['wire/event-schema.js', 'BASELINE_FIGURES_MAX', BASELINE_FIGURES_MAX],
    ['wire/durable-record.js', 'RECORD_BYTES_MAX', RECORD_BYTES_MAX],
    ['wire/durable-record.js', 'RECORD_VERSION', RECORD_VERSION],
    ['wire/mesh-message.js', 'LIVE_BODY_BYTES_MAX', LIVE_BODY_BYTES_MAX],
    ['wire/mesh-message.js', 'ENTRIES_PER_FRAME_MAX', ENTRIES_PER_FRAME_MAX],
    ['wire/mesh-message.js', 'MESH_PROTOCOL_VERSION', MESH_PROTOCOL_VERSION],
    ['wire/version-vector.js', 'MESH_LIST_LENGTH_MAX', MESH_LIST_LENGTH_MAX],
    ['wire/request-message.js', 'REQUEST_BYTES_MAX', REQUEST_BYTES_MAX],
    ['mesh/tls/authentication.js', 'MESH_VERSION', MESH_VERSION],
    ['wire/snapshot-codec.js', 'SNAPSHOT_SCHEMA', SNAPSHOT_SCHEMA],
    ['wire/stream-message.js', 'STREAM_VERSION', STREAM_VERSION],
    ['core/run/report.js', 'REPORT_SCHEMA', REPORT_SCHEMA],
    ['core/run/run-config.js', 'RUN_CONFIG_SCHEMA', RUN_CONFIG_SCHEMA],
    ['recording/recording-line.js', 'RECORDING_VERSION', RECORDING_VERSION],
  ])('has the same in %s for %s, which it holds others to', async (module, name, value) => {
    expect((await old.module(module))[name]).toBe(value);
  });
});

const isKind = (kind: string): kind is EventKind => KINDS.some(known => known === kind);

/** Undefined for what this version cannot read. */
const keyOf = (kind: string, payload: unknown): string | undefined => {
  const fact = isKind(kind) ? factFrom(kind, payload) : undefined;
  return fact === undefined ? undefined : factKey(fact);
};

const isSchema = (value: unknown): value is v.GenericSchema =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema';

const shape = (schema: unknown): SchemaShape => {
  if (typeof schema !== 'object' || schema === null || !('type' in schema)) throw new Error('no schema');
  return { ...schema, type: String(schema.type) };
};

/** Of the long run, which makes up 2,000 values; a whole report takes longest. */
const SCHEMA_TEST_MS = 180_000;
