// Compaction drops nothing that the state needs: a replay of what is left, from nothing or from any point at
// which a node left, gives the state of a node that saw every event.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyAll, applyCatchUp } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { type Fact, factKey } from '../../src/core/event-kinds.ts';
import { isRunId, nodeId, type RunId } from '../../src/core/ids.ts';
import { type Connection, connectionKey } from '../../src/core/link/connection.ts';
import { objectiveFields } from '../../src/core/run/objective.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { unknown } from '../../src/core/unknown.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { type DurableRecord, decodeRecordBody, encodeRecordBody } from '../../src/wire/durable-record.ts';
import { longCount } from '../support/counts.ts';
import { OTHER, OWN } from '../support/journal-records.ts';
import { LINK_FIGURES } from '../support/link-figures.ts';
import { PLAIN_RUN_ENTRY } from '../support/run-entry.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

test('a peer that was away for any stretch arrives at the same state, however old and compacted the journal', async () => {
  const moments = fc.array(fc.record({ fact: factArbitrary(), hours: fc.constantFrom(0, 0, 1, 100) }), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(moments, fc.nat(12), fc.boolean(), async (facts, away, isOld) => {
      const clock = new VirtualClock();
      using journal = createMemoryJournal({ ownNode: OWN, clock });
      const events: Event[] = [];
      for (const { fact, hours } of facts) {
        events.push(appendFact(journal, fact, events.length + 1));
        await clock.advance(hours * 3_600_000);
        journal.compact();
      }
      if (isOld) await clock.advance(200 * 24 * 3_600_000);
      journal.compact();
      const whole = applyAll(EMPTY_STATE, events);
      const before = applyAll(EMPTY_STATE, events.slice(0, away));
      expect(catchUp(before, journal)).toEqual(catchUp(whole, journal));
      expect(catchUp(EMPTY_STATE, journal)).toEqual(catchUp(whole, journal));
    }),
    { numRuns: longCount(150, 1_000) },
  );
});

const appendFact = (journal: Journal, fact: Fact, seq: number): Event => {
  const position = { origin: OWN, epoch: journal.ownEpoch, seq };
  const body = encodeRecordBody(position, fact);
  const given: DurableRecord = {
    ...position,
    kind: fact.kind,
    key: factKey(fact),
    body,
    signature: new Uint8Array(0),
    ageMs: 0,
  };
  journal.append([given]);
  return decode(given);
};

const decode = ({ body }: DurableRecord): Event => {
  const decoded = decodeRecordBody(body, { ageMs: 0, receivedAtMs: 0 });
  if (decoded.kind === 'refused') throw new Error(decoded.reason);
  return decoded.event;
};

/** As the mesh will: what is kept after the state's position, and through. Counts of unknown kinds are no part of it. */
const catchUp = (state: State, journal: Journal): State => {
  const [position] = journal.origins();
  if (position === undefined) throw new Error('no origin');
  const known = state.origins[OWN];
  const after = known?.epoch === position.epoch ? known.seq : 0;
  const events = Array.from(journal.recordsAfter(OWN, after), decode);
  return applyCatchUp(state, { ...position, events, receivedAtMs: 0 });
};

const factArbitrary = (): fc.Arbitrary<Fact> =>
  fc.tuple(fc.constantFrom(...OFTEN, ...FACT_KINDS), fc.constantFrom(...ADDRESSES), fc.nat(9)).map(toFact);

const toFact = ([kind, sinkAddress, figure]: [(typeof FACT_KINDS)[number], string, number]): Fact => {
  const connection: Connection = {
    kind: 'socket',
    sink: OTHER,
    sinkAddress,
    sourceInterface: 'en3',
    sinkInterface: 'en3',
    type: 'ethernet',
    negotiatedBitsPerSecond: figure,
  };
  const key = { sink: OTHER, connectionKey: connectionKey(connection) };
  switch (kind) {
    case 'connection.opened':
      return { kind, payload: connection };
    case 'connection.closed':
      return { kind, payload: { ...key, reason: 'timeout' } };
    case 'link.profiled':
      return {
        kind,
        payload: {
          ...key,
          ...LINK_FIGURES,
          uploadBitsPerSecond: figure,
          downloadBitsPerSecond: unknown('not measured'),
          roundTripNsMin: figure,
          roundTripNsP50: figure,
          roundTripNsP99: figure,
          jitterNs: figure,
          bytesUsed: 1_000_000,
        },
      };
    case 'run.started':
    case 'run.ended':
      return {
        kind,
        payload: {
          runId: runIdOf(`run-${figure % 2}`),
          startedAt: '2026-11-20T12:00:00.000Z',
          target: 'http://127.0.0.1:8000',
          targetNode: unknown('not reported'),
          serverKind: 'vLLM',
          model: 'm',
          pattern: { kind: 'concurrency', concurrency: 4 },
          ...PLAIN_RUN_ENTRY,
          dataset: 'synthetic',
          seed: 1,
          command: 'plimsoll bench http://10.1.2.3:8000',
          isStreaming: true,
          limits: { samplesMax: 100, durationMs: unknown('not limited') },
          ...objectiveFields([], 1),
          directory: '/runs/1',
          sweep: unknown('not a stage of a sweep'),
          state: kind === 'run.started' ? 'running' : 'complete',
          reason: '',
          figures: unknown('none yet'),
        },
      };
    case 'node.forgotten':
      return {
        kind,
        payload: {
          subject: nodeId('f'.repeat(26)),
          durableEpoch: figure,
          durableSeq: figure,
          liveEpoch: figure,
          liveSeq: figure,
        },
      };
    default:
      return kind satisfies never;
  }
};

const runIdOf = (text: string): RunId => {
  if (isRunId(text)) return text;
  throw new Error(`not a run id: ${text}`);
};

/** Connections and their profiles depend on each other; the rest do not. */
const OFTEN = ['connection.opened', 'connection.closed', 'link.profiled'] as const;
const ADDRESSES = ['10.0.0.2', '10.0.0.2', '10.0.0.2', 'fe80::1%en3'];

const FACT_KINDS = [
  'connection.opened',
  'connection.closed',
  'link.profiled',
  'run.started',
  'run.ended',
  'node.forgotten',
] as const;
