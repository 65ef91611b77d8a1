import { describe, expect, it } from 'vitest';
import { applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../src/core/ids.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import { nodeName, nodeView } from '../../src/core/node/node-view.ts';
import { isForgotten, nodeIds, presence } from '../../src/core/node/presence-view.ts';
import { EMPTY_STATE } from '../../src/core/state.ts';
import { clusterTotals } from '../../src/core/totals.ts';
import { unknown } from '../../src/core/unknown.ts';

const atlas = nodeId('a'.repeat(26));
const juno = nodeId('j'.repeat(26));

describe('a reading', () => {
  it('waits until its source has reported', () => {
    expect(nodeView(EMPTY_STATE, atlas, 0).memory).toEqual({ kind: 'waiting' });
  });

  it('counts its age from receipt, on top of the age it travelled with', () => {
    const state = applyAll(EMPTY_STATE, [event({ seq: 1, ageMs: 300, receivedAtMs: 1_000 }, memoryFact())]);
    expect(nodeView(state, atlas, 1_450).memory).toMatchObject({ kind: 'current', ageMs: 750 });
  });

  it('goes stale by time alone after two and a half of its intervals', () => {
    const state = applyAll(EMPTY_STATE, [
      event({ seq: 1, receivedAtMs: 0 }, memoryFact({ intervalMs: 1_000 })),
    ]);
    expect(nodeView(state, atlas, 2_500).memory.kind).toBe('current');
    expect(nodeView(state, atlas, 2_501).memory).toMatchObject({ kind: 'stale', ageMs: 2_501 });
  });

  it('keeps its last value when its source fails, and reports why', () => {
    const state = applyAll(EMPTY_STATE, [
      event({ seq: 1, receivedAtMs: 0 }, memoryFact()),
      event({ seq: 2, receivedAtMs: 500 }, failed('reading.failed', 'macmon exited with code 1')),
    ]);
    expect(nodeView(state, atlas, 600).memory).toMatchObject({
      kind: 'stale',
      ageMs: 600,
      reason: 'macmon exited with code 1',
    });
  });

  it('reports the code of a failure, and no-answer where its source has just fallen silent', () => {
    const reported = event({ seq: 1, receivedAtMs: 0 }, memoryFact());
    const denied = failed('reading.failed', 'permission denied', 'permission');
    const state = applyAll(EMPTY_STATE, [reported, event({ seq: 2, receivedAtMs: 500 }, denied)]);
    expect(nodeView(state, atlas, 600).memory).toMatchObject({ kind: 'stale', code: 'permission' });
    expect(nodeView(applyAll(EMPTY_STATE, [reported]), atlas, 60_000).memory).toMatchObject({
      kind: 'stale',
      code: 'no-answer',
    });
    const uncoded = applyAll(EMPTY_STATE, [event({ seq: 1 }, failed('reading.failed', 'permission denied'))]);
    expect(nodeView(uncoded, atlas, 5).memory).not.toHaveProperty('code');
  });

  it('is current again as soon as the source reports a value after a failure', () => {
    const state = applyAll(EMPTY_STATE, [
      event({ seq: 1, receivedAtMs: 0 }, failed('reading.failed', 'exited')),
      event({ seq: 2, receivedAtMs: 500 }, memoryFact()),
    ]);
    expect(nodeView(state, atlas, 600).memory.kind).toBe('current');
  });

  it('that never was read reports the reason of its failure, and one that this machine lacks reports it', () => {
    const unavailable = applyAll(EMPTY_STATE, [
      event({ seq: 1 }, failed('reading.failed', 'permission denied')),
    ]);
    expect(nodeView(unavailable, atlas, 5).memory).toMatchObject({
      kind: 'unavailable',
      reason: 'permission denied',
    });
    const absent = applyAll(EMPTY_STATE, [event({ seq: 1 }, failed('reading.absent', 'no such device'))]);
    expect(nodeView(absent, atlas, 5).memory).toMatchObject({ kind: 'absent', reason: 'no such device' });
  });

  it('that is durable and unchanged has its age renewed by a confirmation', () => {
    const state = applyAll(EMPTY_STATE, [
      event({ seq: 1, receivedAtMs: 0 }, identityFact('atlas')),
      event({ seq: 1, receivedAtMs: 60_000 }, confirmed),
    ]);
    expect(nodeView(state, atlas, 61_000).identity).toMatchObject({ kind: 'current', ageMs: 1_000 });
  });
});

describe('presence', () => {
  it('follows local receipt alone: stale after 10 s of silence, offline after 30 s', () => {
    const state = applyAll(EMPTY_STATE, [event({ seq: 1, ageMs: 9_000, receivedAtMs: 0 }, memoryFact())]);
    expect(presence(state, atlas, 9_999)).toBe('live');
    expect(presence(state, atlas, 10_000)).toBe('stale');
    expect(presence(state, atlas, 30_000)).toBe('offline');
  });

  it('follows what the node itself reports of how long it may be silent', () => {
    const config = {
      tags: [],
      site: unknown('not set in config.toml'),
      rack: unknown('not set in config.toml'),
      machineKind: unknown('not set in config.toml'),
      ignoredInterfaces: [],
      staticPeerCount: 0,
      presence: { staleMs: 2_000, offlineMs: 60_000 },
      probes: { isEnabled: true, gpuTtlSeconds: 1, socketTtlSeconds: 1, rdmaTtlSeconds: 1 },
      makesLoad: false,
      webhooks: [],
      servedEndpoints: [],
    };
    const state = applyAll(EMPTY_STATE, [
      event({ seq: 1, receivedAtMs: 0 }, memoryFact()),
      event(
        { seq: 1, receivedAtMs: 0 },
        { kind: 'config.gathered', payload: { source: 'config.toml', intervalMs: 30_000, value: config } },
      ),
    ]);
    expect(presence(state, atlas, 2_000)).toBe('stale');
    expect(presence(state, atlas, 59_999)).toBe('stale');
    expect(presence(state, atlas, 60_000)).toBe('offline');
    expect(presence(state, juno, 30_000)).toBe('offline');
  });

  it('takes an offline node out of the totals', () => {
    const state = applyAll(EMPTY_STATE, [
      event({ seq: 1, receivedAtMs: 0 }, memoryFact()),
      event({ origin: juno, seq: 1, receivedAtMs: 31_000 }, memoryFact()),
    ]);
    expect(clusterTotals(state, 0).memoryTotalBytes).toMatchObject({ sum: 16e9, knownCount: 2 });
    expect(clusterTotals(state, 31_000)).toMatchObject({
      nodeCount: 1,
      memoryTotalBytes: { sum: 8e9, knownCount: 1, count: 1 },
    });
  });
});

describe('totals', () => {
  it('count what is unknown apart instead of adding a zero', () => {
    const value: NodeMemory = { ...MEMORY, availableBytes: unknown('no MemAvailable') };
    const state = applyAll(EMPTY_STATE, [
      event({ seq: 1 }, memoryFact({ value })),
      event({ origin: juno, seq: 1 }, memoryFact()),
    ]);
    expect(clusterTotals(state, 1).memoryUsedBytes).toEqual({
      sum: 3e9,
      knownCount: 1,
      count: 2,
      isLowerBound: false,
    });
  });
});

describe('a forgotten node', () => {
  const used = applyAll(EMPTY_STATE, [
    event({ seq: 1 }, identityFact('atlas')),
    event({ seq: 4 }, memoryFact()),
    event(
      { origin: juno, seq: 1, receivedAtMs: 60_000 },
      {
        kind: 'node.forgotten',
        payload: { subject: atlas, durableEpoch: 1, durableSeq: 1, liveEpoch: 7, liveSeq: 4 },
      },
    ),
  ]);

  it('is hidden while it reports nothing new', () => {
    expect(isForgotten(used, atlas)).toBe(true);
    expect(nodeIds(used)).toEqual([juno]);
  });

  it('is shown again, with everything it reported before, when it sends something', () => {
    const back = applyAll(used, [event({ seq: 5, receivedAtMs: 61_000 }, memoryFact())]);
    expect(nodeIds(back)).toEqual([atlas, juno]);
    expect(nodeName(back, atlas)).toBe('atlas');
    const started = applyAll(used, [event({ seq: 2 }, identityFact('atlas 2'))]);
    expect(nodeIds(started)).toEqual([atlas, juno]);
  });
});

describe('a name', () => {
  it('is the first characters of the id while no identity is known', () => {
    expect(nodeName(EMPTY_STATE, atlas)).toBe('aaaaaaaa');
  });

  it('has the end of the id behind it where two nodes have the same, until one of them is forgotten', () => {
    const two = applyAll(EMPTY_STATE, [
      event({ seq: 1 }, identityFact('ubuntu')),
      event({ origin: juno, seq: 1 }, identityFact('\u200eubuntu')),
    ]);
    expect([atlas, juno].map(node => nodeName(two, node))).toEqual(['ubuntu (aaaa)', 'ubuntu (jjjj)']);
    const one = applyAll(two, [
      event(
        { origin: juno, seq: 2, receivedAtMs: 60_000 },
        {
          kind: 'node.forgotten',
          payload: { subject: atlas, durableEpoch: 1, durableSeq: 1, liveEpoch: 7, liveSeq: 4 },
        },
      ),
    ]);
    expect(nodeName(one, juno)).toBe('ubuntu');
    const renamed = applyAll(two, [event({ seq: 2 }, identityFact('debian'))]);
    expect([atlas, juno].map(node => nodeName(renamed, node))).toEqual(['debian', 'ubuntu']);
  });

  it('is shown as it reads, without what could turn the line round, and by the id where nothing is left', () => {
    const named = (name: string) =>
      nodeName(applyAll(EMPTY_STATE, [event({ seq: 1 }, identityFact(name))]), atlas);
    expect(named('\u202eevil\u202c')).toBe('evil');
    expect(named('\u202e \n')).toBe('aaaaaaaa');
  });
});

interface At {
  readonly origin?: NodeId;
  readonly seq: number;
  readonly ageMs?: number;
  readonly receivedAtMs?: number;
}

const event = (at: At, fact: Fact): Event => ({
  ...fact,
  origin: at.origin ?? atlas,
  class: eventClass(fact.kind),
  epoch: eventClass(fact.kind) === 'durable' ? 1 : 7,
  seq: at.seq,
  key: factKey(fact),
  ageMs: at.ageMs ?? 0,
  receivedAtMs: at.receivedAtMs ?? 0,
});

const MEMORY: NodeMemory = {
  totalBytes: 8e9,
  availableBytes: 5e9,
  swapTotalBytes: 0,
  swapUsedBytes: 0,
  pressure: { level: 'normal', stalledShare: 0 },
  container: { kind: 'none' },
};

const memoryFact = ({
  intervalMs = 500,
  value = MEMORY,
}: {
  intervalMs?: number;
  value?: NodeMemory;
} = {}): Fact => ({
  kind: 'memory.gathered',
  payload: { source: 'procfs', intervalMs, value },
});

const failed = (kind: 'reading.failed' | 'reading.absent', reason: string, code?: string): Fact => ({
  kind,
  payload: {
    reading: 'memory',
    vendor: 'none',
    source: 'macmon',
    intervalMs: 1_000,
    reason,
    ...(code === undefined ? {} : { code }),
  },
});

const confirmed: Fact = {
  kind: 'reading.confirmed',
  payload: { reading: 'identity', vendor: 'none', source: 'dmi', intervalMs: 30_000 },
};

const identityFact = (friendlyName: string): Fact => ({
  kind: 'identity.gathered',
  payload: {
    source: 'dmi',
    intervalMs: 30_000,
    value: {
      friendlyName,
      hostName: 'host',
      model: 'model',
      chip: 'chip',
      architecture: 'x64',
      cpuCount: 2,
      operatingSystem: { platform: 'linux', name: 'Linux', version: '1', build: '6' },
      memoryIsUnified: false,
      virtualisation: 'none',
      plimsollVersion: '0.1.0',
      isSimulated: false,
    },
  },
});
