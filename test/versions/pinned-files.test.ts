// What version 1 of the formats writes for others to read, except frames and journals: an event of every kind, every document,
// a run with all its files, what the run reported to the daemon, the stream to a page, recordings, and how a daemon and a run
// are found.

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { readLiveRuns } from '../../src/bench/run/live-run-file.ts';
import { eventClass, isEventKind, KINDS } from '../../src/core/event-kinds.ts';
import { groupViews } from '../../src/core/group/group-view.ts';
import { nodeView } from '../../src/core/node/node-view.ts';
import { recordOf } from '../../src/core/record-of.ts';
import { LATENESS_KEYS, NO_FIGURE } from '../../src/core/run/event-record.ts';
import { runEndSchema, runProgressSchema, runStartSchema } from '../../src/core/run/run.ts';
import { SERVER_FIGURE_KEYS } from '../../src/core/run/server-reading.ts';
import { NOT_REPORTED } from '../../src/core/schema.ts';
import { EMPTY_STATE } from '../../src/core/state.ts';
import { readDaemonFile } from '../../src/daemon/daemon-file.ts';
import { rebuildReport } from '../../src/metrics/report-sources.ts';
import { eventOf } from '../../src/recording/recording-line.ts';
import { readRecording } from '../../src/recording/recording-reader.ts';
import { readEventBatch } from '../../src/wire/event-batch.ts';
import { decodeFact } from '../../src/wire/event-schema.ts';
import { decodeSampleLine } from '../../src/wire/sample-line.ts';
import { decodeSampleTimes, gapsOf } from '../../src/wire/sample-times.ts';
import { decodeSnapshotPacked, snapshotFromJson } from '../../src/wire/snapshot-codec.ts';
import { reportFromJson, runConfigFromJson } from '../../src/wire/stored-json.ts';
import { decodeBatch, decodeSnapshot } from '../../src/wire/stream-message.ts';
import {
  holds,
  PINNED_NODE,
  type PinnedFact,
  pinnedFacts,
  pinnedPath,
  pinnedText,
  withUnreported,
} from '../support/pinned-version.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { WRITTEN_SCHEMAS } from '../support/written-schemas.ts';

const json = (name: string) => JSON.parse(pinnedText(name));
const linesOf = (name: string): readonly string[] => pinnedText(name).trimEnd().split('\n');

const examples: readonly PinnedFact[] = json('examples.json');

test.each(examples.map(example => [example.kind, example] as const))(
  'an event of the kind %s is read, every field of it',
  (kind, { key, payload, class: written }) => {
    const read = decodeFact(kind, key, payload);
    if (read.kind !== 'known') throw new Error(JSON.stringify(read));
    expect(read.fact.payload).toEqual(withUnreported(payload, read.fact.payload));
    expect(eventClass(read.fact.kind)).toBe(written);
  },
);

test('what records the files imports modules that exist', () => {
  const script = new URL('../fixtures/versions/make-fixtures.mjs', import.meta.url);
  const modules = readFileSync(script, 'utf8').matchAll(/\bsource\('([^']+)'\)/g);
  const missing = [...modules].filter(([, path = '']) => !existsSync(join(repositoryRoot, path)));
  expect(missing.map(([, path]) => path)).toEqual([]);
});

test('every kind of event that this version writes is recorded', () => {
  expect(examples.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...KINDS]));
});

test.each(Object.entries(WRITTEN_SCHEMAS))('a document is read, every field of it: %s', (name, schema) => {
  const document = json('documents.json')[name];
  const read = v.parse(schema, document);
  expect(read).toEqual(withUnreported(document, read));
});

test.each(Object.entries(WRITTEN_SCHEMAS).filter(([name]) => 'schema' in json('documents.json')[name]))(
  'a document of another version is rejected, and the error gives its number: %s',
  (name, schema) => {
    const document = json('documents.json')[name];
    const newer = document.schema.replace(/\/1$/, '/2');
    expect(newer).not.toBe(document.schema);
    expect(() => v.parse(schema, { ...document, schema: newer })).toThrow(newer);
  },
);

describe('a run directory', () => {
  test('has its settings, every one of them', () => {
    const config = json('run/config.json');
    const read = runConfigFromJson(pinnedText('run/config.json'));
    expect(read).toEqual(withUnreported(config, read));
  });

  test('has its report, every figure of it', () => {
    const report = json('run/report.json');
    const read = reportFromJson(pinnedText('run/report.json'));
    expect(read).toEqual(withUnreported(report, read));
    expect(read.counts).toEqual({ issued: 40, completed: 36, failed: 4, cancelled: 0, unresolved: 0 });
  });

  test('has its samples, line by line', () => {
    const lines = linesOf('run/samples.jsonl');
    const read = lines.map(decodeSampleLine);
    expect(read.at(-1)).toEqual({
      kind: 'end',
      end: { issued: 42, trackedIssued: 40, state: 'complete' },
    });
    for (const [index, line] of lines.slice(0, -1).entries()) {
      const { kind, id, chunks, chunkGapsNs: _gaps, failure, late, answer, ...reported } = JSON.parse(line);
      const figures = Object.fromEntries(
        Object.entries(reported).map(([name, value]) => [name, value ?? -1]),
      );
      expect(read[index]).toMatchObject({
        kind,
        sample: {
          ...figures,
          sampleId: id,
          chunkCount: chunks,
          failure: failure ?? undefined,
          ...(answer === undefined ? {} : { answerHash: answer }),
          ...(late === undefined
            ? {}
            : { lateness: Object.fromEntries(LATENESS_KEYS.map((key, at) => [key, late[at]])) }),
        },
      });
      const { window, sentNs, endNs, outcome } = reported;
      expect(decodeSampleTimes(line)).toMatchObject({ isTracked: window >= 0, sentNs, endNs, outcome });
    }
  });

  test('gives the same report again, from its snapshot and from its samples alone', async () => {
    using folder = temporaryDirectory();
    cpSync(pinnedPath('run'), folder.path, { recursive: true });
    const report = reportFromJson(pinnedText('run/report.json'));
    const figuresOf = ({ counts, series, errors, windowNs }: typeof report) => ({
      counts,
      errors,
      windowNs,
      ttft: series['ttftNs']?.percentiles,
      latency: series['latencyNs']?.total,
    });
    const rebuilt = await rebuildReport(folder.path);
    expect(figuresOf(rebuilt)).toEqual(figuresOf(report));
    expect(snapshotFromJson(pinnedText('run/final_snapshot.json')).state).toBe('complete');
  });
});

/** Gaps come packed or unpacked, as the line is ours or another's. */
const timesOf = (line: string) => {
  const times = decodeSampleTimes(line);
  return times === undefined ? undefined : { ...times, chunkGapsNs: gapsOf(times) };
};

test('samples with a field also, or without a figure that nobody needs, are read', () => {
  const [line = ''] = linesOf('run/samples.jsonl');
  const before = decodeSampleLine(line);
  const more = JSON.stringify({ ...JSON.parse(line), tide: { metres: 3 } });
  expect(decodeSampleLine(more)).toEqual(before);
  expect(timesOf(more)).toEqual(timesOf(line));
  const { inputTokens: _tokens, ...fewer } = JSON.parse(line);
  const read = decodeSampleLine(JSON.stringify(fewer));
  expect(read).toMatchObject({ kind: 'sample', sample: { inputTokens: -1, outputTokens: 4 } });
});

test('a live snapshot is read from its message, figure by figure', () => {
  const { schema: _schema, ...final } = json('run/final_snapshot.json');
  const read = decodeSnapshotPacked(readFileSync(pinnedPath('live-snapshot.msgpack')));
  expect(read).toEqual({ ...final, seq: 12, state: 'live', pendingTasks: 3 });
});

test('a batch of event records is read, every kind of them', () => {
  const { bytes, header, records } = json('event-batch.json');
  const batch = readEventBatch(Uint8Array.from(Buffer.from(bytes, 'base64')));
  expect(batch).toMatchObject(header);
  // Figures of a server that came later are not in it.
  const unreported = recordOf(SERVER_FIGURE_KEYS, () => NO_FIGURE);
  expect(batch.records).toEqual(
    records.map((record: { readonly kind: string }) =>
      record.kind === 'server.observed' ? { ...unreported, ...record } : record,
    ),
  );
  expect(new Set(batch.records.map(({ kind }) => kind)).size).toBeGreaterThan(30);
});

test('counts of replies are read from a batch, those of versions with fewer and with more of them too', () => {
  const { bytes, records } = json('event-batch-counts.json');
  expect(readEventBatch(Uint8Array.from(Buffer.from(bytes, 'base64'))).records).toEqual(records);
});

test('what a run reports to the daemon is accepted, and an additional field is kept', () => {
  const schemas = [
    [/\/runs$/, runStartSchema],
    [/\/progress$/, runProgressSchema],
    [/\/end$/, runEndSchema],
  ] as const;
  const reported: readonly { readonly path: string; readonly body: object }[] = json('run-reports.json');
  const read = schemas.map(([path, schema]) => {
    const body = reported.find(one => path.test(one.path))?.body;
    const plain = v.parse(schema, body);
    expect(plain).toEqual(withUnreported(body, plain));
    expect(v.parse(schema, { ...body, tide: 3 })).toEqual({ ...plain, tide: 3 });
    return body;
  });
  expect(read).toHaveLength(3);
});

describe('the stream', () => {
  test('begins with a state that holds every fact', () => {
    const { state, nodeId: node } = decodeSnapshot(pinnedText('stream-snapshot.json'), 0);
    expect(node).toBe(PINNED_NODE);
    expect(Object.keys(state)).toEqual(expect.arrayContaining(Object.keys(EMPTY_STATE)));
    expect(state.nodeMemories[PINNED_NODE]?.value).toEqual(readingOf('memory.gathered'));
    expect(state.nodeGpus[PINNED_NODE]?.['nvidia']?.value).toEqual(readingOf('gpus.gathered'));
    expect(state.runs[PINNED_NODE]?.['fixture-1']?.value).toEqual(payloadsOf('run.ended')[0]);
  });

  test('has a node that reports no place: it is in no group, with the reason, and its tags and kind are as before', () => {
    const { state } = decodeSnapshot(pinnedText('stream-snapshot.json'), 0);
    const sources = { state, views: [nodeView(state, PINNED_NODE, 0)], warnings: [], nowMs: 0 };
    expect(groupViews(sources, { kind: 'rack' })).toMatchObject([
      { id: '', reason: NOT_REPORTED.reason, nodes: { count: 1 }, members: [{ nodeId: PINNED_NODE }] },
    ]);
    expect(groupViews(sources, { kind: 'tag' }).map(({ id }) => id)).toEqual(['rack-1']);
    expect(groupViews(sources, { kind: 'kind' })[0]?.id).not.toBe('');
  });

  test('goes on with events, as they were recorded', () => {
    const { events } = decodeBatch(pinnedText('stream-batch.json'), 0);
    const read = events.map(event =>
      event.kind === 'unknown' ? undefined : { kind: event.kind, payload: event.payload },
    );
    for (const { kind, payload } of pinnedFacts()) expect(holds(read, { kind, payload }), kind).toBe(true);
  });
});

describe('a recording', () => {
  test('with names holds every fact that a state can', async () => {
    const read = await eventsIn('named.plimsoll');
    for (const fact of pinnedFacts().filter(isLast)) expect(holds(read, fact), fact.kind).toBe(true);
  });

  test('without names holds as many, and none of the names', async () => {
    const [named, anonymous] = [await eventsIn('named.plimsoll'), await eventsIn('anonymous.plimsoll')];
    expect(anonymous.map(({ kind }) => kind)).toEqual(named.map(({ kind }) => kind));
    expect(JSON.stringify(anonymous)).not.toMatch(/atlas|juno|rack-1|72asyext/);
  });
});

test('a daemon is found by its file, also by one with additional fields or without the optional ones', async () => {
  const reported = json('daemon.json');
  expect(await readDaemonFile(pinnedPath('daemon.json'))).toMatchObject({ kind: 'found', file: reported });
  using folder = temporaryDirectory();
  const path = join(folder.path, 'daemon.json');
  const { startedAtWallMs: _started, version: _version, ...needed } = reported;
  writeFileSync(path, JSON.stringify({ ...needed, tide: 3 }));
  expect(await readDaemonFile(path)).toEqual({
    kind: 'found',
    file: { ...needed, socket: NOT_REPORTED, startedAtWallMs: NOT_REPORTED, version: NOT_REPORTED },
  });
});

test('a run that goes on is found by its file', async () => {
  using folder = temporaryDirectory();
  mkdirSync(join(folder.path, 'live-runs'));
  cpSync(pinnedPath('live-run.json'), join(folder.path, 'live-runs', 'fixture.json'));
  const read = () => readLiveRuns(folder.path, pid => pid === 4_242);
  const { samplesMax: _max, ...less } = json('live-run.json');
  expect(await read()).toEqual([json('live-run.json')]);
  writeFileSync(join(folder.path, 'live-runs', 'fixture.json'), JSON.stringify({ ...less, tide: 3 }));
  expect(await read()).toEqual([{ ...less, samplesMax: null }]);
});

const payloadsOf = (kind: string): readonly unknown[] =>
  pinnedFacts().flatMap(fact => (fact.kind === kind ? [fact.payload] : []));

const readingOf = (kind: string): unknown => Object(payloadsOf(kind)[0]).value;

const keyOf = ({ kind, key }: PinnedFact): string => `${kind.split('.')[0]} ${key}`;

/** Whether it is the last value of its key. */
const isLast = (fact: PinnedFact): boolean =>
  fact.kind !== 'connection.closed' &&
  pinnedFacts().findLast(other => keyOf(other) === keyOf(fact))?.kind === fact.kind;

const eventsIn = async (name: string): Promise<readonly PinnedFact[]> => {
  const facts: PinnedFact[] = [];
  for await (const part of readRecording(pinnedPath(name))) {
    if (part.kind === 'broken') throw new Error(part.reason);
    const { line } = part;
    if (line.kind !== 'origin' && line.kind !== 'batch') continue;
    for (const recorded of line.events) {
      const event = eventOf(recorded, 0);
      if (event === undefined || event.kind === 'unknown') throw new Error(`${recorded.kind} is not read`);
      const { kind, key, payload } = event;
      if (isEventKind(kind)) facts.push({ kind, class: eventClass(kind), key, payload });
    }
  }
  return facts;
};
