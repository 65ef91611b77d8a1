import { describe, expect, it } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { forgetNode } from '../../../src/core/node/forget.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds, presence, stoppedMs } from '../../../src/core/node/presence-view.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { clusterTotals } from '../../../src/core/totals.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { nodeWarnings } from '../../../src/core/warnings/node-warnings.ts';
import { shownWarning } from '../../../src/core/warnings/warning.ts';

const atlas = nodeId('a'.repeat(26));
const juno = nodeId('j'.repeat(26));

describe('a node that reported it stops', () => {
  it('is offline at once, with the age of its word, and out of the totals', () => {
    const state = folded(memory(1, 40), stopping(2, 50));
    expect(presence(state, atlas, 51)).toBe('offline');
    expect(nodeView(state, atlas, 5_050)).toMatchObject({ presence: 'offline', stoppedMs: 5_000 });
    expect(clusterTotals(state, 51).nodeCount).toBe(0);
    expect(presence(folded(memory(1, 40)), atlas, 51)).toBe('live');
  });

  it('counts the time that its word travelled', () => {
    const state = folded({ ...stopping(2, 50), ageMs: 7_000 });
    expect(stoppedMs(state, atlas, 1_050)).toBe(8_000);
  });

  it('stays stopped when what it reported before arrives later', () => {
    const state = folded(stopping(9, 50), memory(8, 60), config(3, 70));
    expect(presence(state, atlas, 80)).toBe('offline');
  });

  it('is live with the first live value of its next start', () => {
    const state = folded(stopping(9, 50), { ...memory(1, 60), epoch: 2 });
    expect(presence(state, atlas, 61)).toBe('live');
    expect(nodeView(state, atlas, 61).stoppedMs).toBeUndefined();
  });

  it('is live with the first durable fact past the point that it named', () => {
    const state = folded(config(1, 10), config(2, 20), config(3, 30), stopping(9, 50), config(4, 60));
    expect(presence(state, atlas, 61)).toBe('live');
  });

  it('may be forgotten at once, and is shown again when it sends something', () => {
    const state = folded(memory(1, 40), stopping(2, 50));
    const result = forgetNode(state, { self: juno, subject: atlas, nowMs: 60 });
    if (result.kind !== 'forgotten') throw new Error(`refused: ${result.code}`);
    const forget: Event = {
      ...event(1, 60, { kind: 'node.forgotten', payload: result.fact }),
      origin: juno,
    };
    const forgotten = applyAll(state, [forget]);
    expect(nodeIds(forgotten)).not.toContain(atlas);
    expect(nodeIds(applyAll(forgotten, [{ ...memory(1, 90), epoch: 2 }]))).toContain(atlas);
  });

  it('is a note, while a node that fell silent is a danger', () => {
    const warningsOf = (state: State, nowMs: number) =>
      nodeWarnings(state, [nodeView(state, atlas, nowMs)]).map(shownWarning);
    expect(warningsOf(folded(memory(1, 40), stopping(2, 50)), 5_050)).toMatchObject([
      { level: 'note', title: expect.stringMatching(/^aaaaaaaa stopped 5\ss ago$/), command: 'plimsoll up' },
    ]);
    expect(warningsOf(folded(memory(1, 40)), 40_040)).toMatchObject([{ level: 'danger' }]);
  });
});

const folded = (...events: readonly Event[]): State => applyAll(EMPTY_STATE, events);

const event = (seq: number, receivedAtMs: number, fact: Fact): Event => ({
  ...fact,
  origin: atlas,
  epoch: 1,
  class: eventClass(fact.kind),
  seq,
  key: factKey(fact),
  ageMs: 0,
  receivedAtMs,
});

const stopping = (seq: number, receivedAtMs: number): Event =>
  event(seq, receivedAtMs, { kind: 'node.stopping', payload: { durableEpoch: 1, durableSeq: 3 } });

const memory = (seq: number, receivedAtMs: number): Event =>
  event(seq, receivedAtMs, {
    kind: 'reading.confirmed',
    payload: { reading: 'memory', vendor: 'none', source: 'test', intervalMs: 500 },
  });

const config = (seq: number, receivedAtMs: number): Event =>
  event(seq, receivedAtMs, {
    kind: 'config.gathered',
    payload: {
      source: 'config.toml',
      intervalMs: 30_000,
      value: {
        tags: [],
        site: unknown('not set in config.toml'),
        rack: unknown('not set in config.toml'),
        machineKind: unknown('not set in config.toml'),
        ignoredInterfaces: [],
        staticPeerCount: 0,
        probes: { isEnabled: true, gpuTtlSeconds: 1, socketTtlSeconds: 1, rdmaTtlSeconds: 1 },
        makesLoad: false,
        webhooks: [],
        servedEndpoints: [],
      },
    },
  });
