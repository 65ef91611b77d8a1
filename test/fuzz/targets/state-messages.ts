// State as it is stored and streamed: lines and blocks of recordings, what a browser gets, what passes through a fleet's server, notices,
// and the labels of a page for Prometheus.

import fc from 'fast-check';
import { apply, applyAll } from '../../../src/core/apply.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { MetricPage } from '../../../src/daemon/http/metrics/metric-page.ts';
import { FleetSubjects } from '../../../src/mesh/nats/fleet-subjects.ts';
import { Sealer } from '../../../src/mesh/nats/sealed-message.ts';
import { StateSnapshot } from '../../../src/mesh/nats/state-snapshot.ts';
import {
  BLOCK_HEAD_BYTES,
  decodeBlockHead,
  decodeBlockText,
  decodeLine,
  encodeBlock,
  eventOf,
  recordedEvent,
} from '../../../src/recording/recording-line.ts';
import { decodeApiProblem } from '../../../src/wire/api/api-problem.ts';
import { encodeRecordBody } from '../../../src/wire/durable-record.ts';
import { decodeFleet } from '../../../src/wire/fleet-message.ts';
import { encodeMeshMessage } from '../../../src/wire/mesh-message.ts';
import { decodeMeshStatus } from '../../../src/wire/mesh-status.ts';
import { decodeNotices } from '../../../src/wire/notice.ts';
import {
  decodeBatch,
  decodeSnapshot,
  encodeBatch,
  encodeSnapshot,
  StreamMessageError,
} from '../../../src/wire/stream-message.ts';
import { arbitraryFact, arbitraryHistory } from '../../core/arbitrary-event.ts';
import { type FuzzTarget, firstByteChooses, textOfInput, textSeeds } from '../fuzz-target.ts';

const A = nodeId('a'.repeat(26));
const EVENTS = fc.sample(arbitraryHistory(A), { seed: 3, numRuns: 12 }).flat().slice(0, 12);
const BODIES = fc
  .sample(arbitraryFact, { seed: 4, numRuns: 3 })
  .map((fact, at) => encodeRecordBody({ origin: A, epoch: 1, seq: at + 1 }, fact));
const RECORDS = BODIES.map(body => ({ ageMs: 1, proof: new Uint8Array(96), body }));
const FRAME = encodeMeshMessage({
  kind: 'records',
  origin: A,
  epoch: 1,
  after: 0,
  through: 3,
  records: RECORDS,
});
const SUBJECT = `plimsoll.v1.lab.state.${A}.identity`;
const SUBJECTS = new FleetSubjects('lab', A);
const sealer = new Sealer({
  node: A,
  start: 1,
  keys: [{ id: '0102030405060708', secret: new Uint8Array(32).fill(7) }],
});
const HEADER = {
  kind: 'header',
  format: 'plimsoll recording',
  version: 1,
  plimsollVersion: '0.1.0',
  nodeId: A,
  areNamesKept: true,
};
const RECORDED = EVENTS.flatMap(event => recordedEvent(event, 5_000) ?? []);
const STATE = applyAll(EMPTY_STATE, EVENTS);
const ABOUT = { daemonStart: 's1', nodeId: A, plimsollVersion: '0.1.0' };

const parsed = (input: Uint8Array): unknown => {
  try {
    return JSON.parse(textOfInput(input));
  } catch {
    return undefined;
  }
};

/** As a scraper reads a line: name, labels with the three escapes of the format, figure. */
const LINE = /^[a-z_]+\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"\} \S+$/;

export const target: FuzzTarget = {
  name: 'state-messages',
  covers: [
    'src/recording/recording-line.ts',
    'src/recording/recording-line.ts',
    'src/wire/stream-message.ts',
    'src/wire/fleet-message.ts',
    'src/wire/notice.ts',
    'src/wire/mesh-status.ts',
    'src/wire/api/api-problem.ts',
    'src/mesh/nats/sealed-message.ts',
    'src/mesh/nats/state-snapshot.ts',
    'src/mesh/nats/fleet-subjects.ts',
    'src/daemon/http/metrics/metric-page.ts',
  ],
  isRefusal: error => error instanceof StreamMessageError,
  ...firstByteChooses([
    {
      seeds: textSeeds(
        JSON.stringify(HEADER),
        JSON.stringify({ kind: 'batch', atMs: 5, events: RECORDED.slice(0, 4) }),
        JSON.stringify({
          kind: 'origin',
          origin: A,
          epoch: 1,
          through: 2,
          lastSeenMs: 1,
          events: RECORDED.slice(4, 7),
        }),
      ),
      run: input => {
        const decoded = decodeLine(textOfInput(input));
        if (decoded.kind !== 'line' || !('events' in decoded.line)) return decoded;
        const events = decoded.line.events.flatMap(event => eventOf(event, 9_000) ?? []);
        return events.reduce(apply, EMPTY_STATE);
      },
    },
    {
      seeds: [encodeBlock('{"kind":"ready"}\n'.repeat(9))],
      run: input => {
        const head = decodeBlockHead(input);
        if (head.kind === 'wrong') return undefined;
        return decodeBlockText(
          input.subarray(BLOCK_HEAD_BYTES, BLOCK_HEAD_BYTES + head.frameBytes),
          head.checksum,
        )?.length;
      },
    },
    {
      seeds: textSeeds(encodeSnapshot({ ...ABOUT, nowMs: 100, state: STATE }).text),
      run: input => decodeSnapshot(textOfInput(input), 5_000).nowMs,
    },
    {
      seeds: textSeeds(encodeBatch({ nowMs: 100, events: EVENTS.slice(0, 4) }).text),
      run: input => decodeBatch(textOfInput(input), 5_000).events.length,
    },
    {
      seeds: textSeeds(
        JSON.stringify({
          version: 1,
          nowMs: 1,
          isWhole: true,
          ...ABOUT,
          parts: { roster: { groups: [] }, links: [{ measuredAtMs: 1 }] },
        }),
      ),
      run: input => decodeFleet(textOfInput(input), 5_000).nowMs,
    },
    { seeds: [sealer.seal(SUBJECT, FRAME)], run: input => sealer.open(SUBJECT, A, input).kind },
    {
      seeds: [FRAME],
      run: input => {
        const snapshot = new StateSnapshot();
        snapshot.add(input, 5, A);
        snapshot.complete({ serverNowMs: 9, nowMs: 9 });
        for (const { origin } of snapshot.vectors())
          for (const frame of snapshot.framesAfter(
            origin,
            { epoch: 0, through: 0 },
            { nowMs: () => 10, chunkBytesMax: 4_096 },
          ))
            if (frame.length === 0) throw new Error('an empty frame');
      },
    },
    {
      seeds: textSeeds(SUBJECT, `plimsoll.v1.lab.ask.${A}.want.${A}`, `plimsoll.v1.lab.run.r.${A}.x`),
      run: input => SUBJECTS.parse(textOfInput(input)),
    },
    {
      seeds: textSeeds('[{"id":"a","code":"b","problem":"c","advice":"d"}]'),
      run: input => decodeNotices(parsed(input)),
    },
    { seeds: textSeeds('{"kind":"solitary"}'), run: input => decodeMeshStatus(parsed(input)) },
    {
      seeds: textSeeds(
        '{"error":{"code":"a","problem":"b","advice":"c"}}',
        '{"code":"a","problem":"b","advice":"c"}',
      ),
      run: input => decodeApiProblem(parsed(input)),
    },
    {
      seeds: textSeeds('name "left" \\ \n new'),
      run: input => {
        for (const format of ['prometheus', 'openmetrics'] as const) {
          const page = new MetricPage(0);
          page.gauge({ name: 'plimsoll_made_up', help: textOfInput(input) }, { node: textOfInput(input) }, 1);
          const lines = page
            .text(format)
            .split('\n')
            .filter(line => line !== '' && !line.startsWith('# '));
          if (lines.length !== 1 || !LINE.test(lines[0] ?? ''))
            throw new Error(`a label breaks out of its line: ${JSON.stringify(lines)}`);
        }
      },
    },
  ]),
};
