// What the processes of a run, and the machines of one, send each other and write: event batches, snapshots, messages of agents, frames on
// ZeroMQ, samples, figures of a server and of power, reports.

import { readFileSync } from 'node:fs';
import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { decodeFrame, encodeFrame } from '../../../src/messaging/frame.ts';
import { parseNotice } from '../../../src/messaging/zeromq/load-zeromq.ts';
import { AGENT_SCHEMA } from '../../../src/wire/agent-message.ts';
import {
  decodeAgentMessage,
  decodeCoordinatorMessage,
  encodeAgentMessage,
} from '../../../src/wire/agent-message-codec.ts';
import { DecodeError } from '../../../src/wire/decode-error.ts';
import { readEventBatch } from '../../../src/wire/event-batch.ts';
import { EventBatchWriter } from '../../../src/wire/event-batch-writer.ts';
import { readOwnSampleLine } from '../../../src/wire/own-sample-line.ts';
import { decodePowerLines, encodePowerLines } from '../../../src/wire/power-line.ts';
import { decodeSampleLine, encodeSampleLine } from '../../../src/wire/sample-line.ts';
import { decodeSampleTimes } from '../../../src/wire/sample-times.ts';
import { decodeServerLines, SERVER_HEADER } from '../../../src/wire/server-line.ts';
import {
  decodeSnapshotPacked,
  encodeSnapshotPacked,
  snapshotFromJson,
  snapshotToJson,
} from '../../../src/wire/snapshot-codec.ts';
import { reportFromJson, runConfigFromJson, runConfigToJson } from '../../../src/wire/stored-json.ts';
import { decodeTruthStamps } from '../../../src/wire/truth-stamps.ts';
import { decodeVarints, encodeVarints } from '../../../src/wire/varints.ts';
import { runConfig } from '../../support/run-records.ts';
import { timedSamplesOf } from '../../support/timed-runs.ts';
import { eventRecordArbitrary } from '../../wire/event-records.ts';
import { holdFinite } from '../believed.ts';
import { type FuzzTarget, firstByteChooses, holdEqual, textOfInput, textSeeds } from '../fuzz-target.ts';

const batchOf = (seed: number): Uint8Array => {
  const writer = new EventBatchWriter({ sourceId: 1, runZeroNs: 5 });
  for (const record of fc.sample(eventRecordArbitrary, { seed, numRuns: 6 })) writer.write(record);
  return (writer.take() ?? new Uint8Array()).slice();
};

const FIXTURES = new URL('../../fixtures/versions/1/', import.meta.url);
const SNAPSHOT = decodeSnapshotPacked(readFileSync(new URL('live-snapshot.msgpack', FIXTURES)));
const SMALL_SNAPSHOT = { ...SNAPSHOT, metrics: SNAPSHOT.metrics.filter((_, index) => index % 9 === 0) };
const SAMPLE_LINES = timedSamplesOf({ seed: 1, requests: 3 }).map(sample =>
  encodeSampleLine(sample).trimEnd(),
);

const packed = (message: object): Uint8Array => encode([AGENT_SCHEMA, message]);

export const target: FuzzTarget = {
  name: 'run-messages',
  covers: [
    'src/wire/event-batch.ts',
    'src/wire/field-reader.ts',
    'src/wire/snapshot-codec.ts',
    'src/wire/shallow-json.ts',
    'src/wire/agent-message-codec.ts',
    'src/wire/own-sample-line.ts',
    'src/wire/sample-line.ts',
    'src/wire/sample-times.ts',
    'src/wire/varints.ts',
    'src/wire/server-line.ts',
    'src/wire/power-line.ts',
    'src/wire/stored-json.ts',
    'src/core/run/report.ts',
    'src/wire/truth-stamps.ts',
    'src/messaging/frame.ts',
    'src/messaging/zeromq/load-zeromq.ts',
  ],
  isRefusal: error => error instanceof DecodeError,
  ...firstByteChooses([
    {
      seeds: [1, 2, 3, 4, 5, 6].map(batchOf),
      run: input => {
        const { records } = readEventBatch(input);
        return holdFinite(records);
      },
    },
    {
      seeds: [encodeSnapshotPacked(SMALL_SNAPSHOT)],
      run: input => {
        const snapshot = decodeSnapshotPacked(input);
        holdEqual('a snapshot', decodeSnapshotPacked(encodeSnapshotPacked(snapshot)), snapshot);
        return snapshot;
      },
    },
    {
      seeds: textSeeds(snapshotToJson(SMALL_SNAPSHOT)),
      run: input => {
        const snapshot = snapshotFromJson(textOfInput(input));
        const again = snapshotFromJson(snapshotToJson(snapshot));
        holdEqual('a snapshot of JSON', snapshotToJson(again), snapshotToJson(snapshot));
      },
    },
    {
      seeds: [
        packed({ kind: 'ping', id: 1 }),
        packed({ kind: 'start', atNs: 5 }),
        packed({ kind: 'stop', how: 'drain' }),
        packed({ kind: 'dataset', index: 0, isLast: true, rawBytes: 3, bytes: new Uint8Array(3) }),
      ],
      run: input => {
        const decoded = decodeCoordinatorMessage(input);
        if (decoded.kind === 'message')
          holdEqual('a message', decodeCoordinatorMessage(encodeAgentMessage(decoded.message)), decoded);
      },
    },
    {
      seeds: [
        packed({ kind: 'pong', id: 1, atNs: 5 }),
        packed({ kind: 'ready', runZeroNs: 1, connectionsOpened: 2, ephemeralPorts: 3, notices: ['a'] }),
        packed({ kind: 'live', snapshot: new Uint8Array(2) }),
        packed({ kind: 'facts', untilNs: 1, batches: [new Uint8Array(1)], lines: new Uint8Array(1) }),
        packed({ kind: 'refused', problem: { code: 'x', problem: 'y', advice: '' } }),
      ],
      run: input => {
        const decoded = decodeAgentMessage(input);
        if (decoded.kind === 'message')
          holdEqual('a message', decodeAgentMessage(encodeAgentMessage(decoded.message)), decoded);
      },
    },
    {
      seeds: textSeeds(...SAMPLE_LINES),
      run: input => {
        const slow = decodeSampleLine(textOfInput(input));
        const fast = readOwnSampleLine(input, { from: 0, to: input.length });
        decodeSampleTimes(textOfInput(input));
        if (fast === undefined) return slow;
        if (slow.kind !== 'sample') throw new Error(`the fast reader takes a line that is ${slow.kind}`);
        holdEqual('a sample', fast.sample, slow.sample);
        return slow;
      },
    },
    {
      seeds: [encodeVarints([0, 1, 127, 128, 2 ** 31, 2 ** 53 - 1])],
      run: input => {
        const values = decodeVarints(input);
        if (values !== undefined) holdEqual('varints', decodeVarints(encodeVarints(values)), values);
      },
    },
    {
      seeds: textSeeds(`${SERVER_HEADER}1,2,3,4,5,6,7\n`),
      run: input => decodeServerLines(textOfInput(input)),
    },
    {
      seeds: textSeeds(encodePowerLines([{ seconds: 1, watts: new Map([['gpu', 2.5]]) }])),
      run: input => decodePowerLines(textOfInput(input)),
    },
    { seeds: textSeeds(runConfigToJson(runConfig())), run: input => runConfigFromJson(textOfInput(input)) },
    {
      seeds: [readFileSync(new URL('run/report.json', FIXTURES))],
      run: input => reportFromJson(textOfInput(input)),
    },
    { seeds: [new Uint8Array(40)], run: input => decodeTruthStamps(Buffer.from(input)) },
    {
      seeds: [encodeFrame('events', new Uint8Array(3))],
      run: input => {
        const frame = decodeFrame(input);
        // The padding after the topic is not read.
        if (frame !== undefined)
          holdEqual('a frame', decodeFrame(new Uint8Array(encodeFrame(frame.topic, frame.payload))), frame);
      },
    },
    { seeds: textSeeds('\u0001~probe/0123456789abcdef'), run: parseNotice },
  ]),
};
