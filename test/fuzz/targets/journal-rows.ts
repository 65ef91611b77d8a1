// The content of a journal, which peers send in the same form: records, their heads, the summaries of hours.
// What can be read is folded into state, which nothing may stop.

import fc from 'fast-check';
import { apply } from '../../../src/core/apply.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import {
  decodeHourlySummary,
  encodeHourlySummary,
  mergeSummaries,
  summarizeHour,
} from '../../../src/journal/hourly-summary.ts';
import { decodeRecordBody, decodeRecordHead, encodeRecordBody } from '../../../src/wire/durable-record.ts';
import { arbitraryFact } from '../../core/arbitrary-event.ts';
import { type FuzzTarget, firstByteChooses, holdEqual } from '../fuzz-target.ts';

const A = nodeId('a'.repeat(26));
const BODIES = fc
  .sample(arbitraryFact, { seed: 2, numRuns: 200 })
  .filter((fact, at, all) => all.findIndex(({ kind }) => kind === fact.kind) === at)
  .map(fact => encodeRecordBody({ origin: A, epoch: 1, seq: 1 }, fact));
const RECEIPT = { ageMs: 40, receivedAtMs: 1_000 };

const readRecord = (input: Uint8Array): unknown => {
  const head = decodeRecordHead(input);
  const decoded = decodeRecordBody(input, RECEIPT);
  if (decoded.kind === 'refused') return decoded;
  const { event } = decoded;
  if (head === undefined) throw new Error('an event without a head');
  const state = apply(EMPTY_STATE, event);
  holdEqual('what is applied twice', apply(state, event), state);
  if (event.kind !== 'unknown') {
    const body = encodeRecordBody({ origin: event.origin, epoch: event.epoch, seq: event.seq }, event);
    // As text: the zero of JSON has a sign, and nothing here cares.
    holdEqual('a record', JSON.stringify(decodeRecordBody(body, RECEIPT)), JSON.stringify(decoded));
  }
  return event;
};

const readSummary = (input: Uint8Array): unknown => {
  const summary = decodeHourlySummary(input);
  if (summary === undefined) return undefined;
  holdEqual('a summary', decodeHourlySummary(encodeHourlySummary(summary)), summary);
  return mergeSummaries(summary, summary);
};

export const target: FuzzTarget = {
  name: 'journal-rows',
  covers: [
    'src/wire/durable-record.ts',
    'src/wire/event-schema.ts',
    'src/core/apply.ts',
    'src/journal/hourly-summary.ts',
  ],
  ...firstByteChooses([
    { seeds: BODIES, run: readRecord },
    { seeds: [encodeHourlySummary(summarizeHour(BODIES))], run: readSummary },
    {
      seeds: BODIES.slice(0, 3),
      run: input => decodeHourlySummary(encodeHourlySummary(summarizeHour([input, input]))),
    },
  ]),
};
