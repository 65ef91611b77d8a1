import { expect, test } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import type { LinkProfile } from '../../../src/core/link/link-profile.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { portLoads } from '../../../src/probe/schedule/probe-interval.ts';
import { wantedDevices, wantedLinks } from '../../../src/probe/schedule/wanted-probes.ts';
import { measured } from '../../support/made-up-engine.ts';
import { memoryFact, openedConnection } from '../../support/mesh-node.ts';
import { PROBE_SETTINGS, ProbingMesh } from '../../support/probing-mesh.ts';

const SELF: NodeId = nodeId('self'.padEnd(26, 'a'));
const PEER: NodeId = nodeId('peer'.padEnd(26, 'b'));
const NOW_MS = 1_000;

/** State as a journal gives it after a restart: everything was received now, with the age that it has. */
const replayed = (...facts: readonly (readonly [NodeId, number, Fact])[]): State => {
  const seqs = new Map<string, number>();
  return applyAll(
    EMPTY_STATE,
    facts.map(([origin, ageMs, fact]): Event => {
      const key = `${origin} ${eventClass(fact.kind)}`;
      const seq = (seqs.get(key) ?? 0) + 1;
      seqs.set(key, seq);
      return {
        ...fact,
        origin,
        epoch: 1,
        class: eventClass(fact.kind),
        seq,
        key: factKey(fact),
        ageMs,
        receivedAtMs: NOW_MS,
      };
    }),
  );
};

const profiled = (change: Partial<LinkProfile>): Fact => {
  const outcome = measured(1e9);
  if (outcome.kind !== 'measured') throw new Error('it is measured');
  return {
    kind: 'link.profiled',
    payload: {
      ...outcome.measurement,
      sink: PEER,
      connectionKey: 'socket 10.0.0.2',
      extrasAgeMs: 0,
      measuredAgeMs: 0,
      intervalMs: 300_000,
      failure: 'none',
      ...change,
    },
  };
};

const due = (state: State, nowMs = NOW_MS) =>
  wantedLinks(state, portLoads(state, nowMs), { self: SELF, settings: PROBE_SETTINGS, nowMs }).map(
    ({ dueInMs, isFirst }) => ({ dueInMs, isFirst }),
  );

const opened: readonly [NodeId, number, Fact] = [SELF, 1e6, openedConnection(PEER, '10.0.0.2')];
const reported: readonly [NodeId, number, Fact] = [PEER, 0, memoryFact(1)];
const here: readonly [NodeId, number, Fact] = [SELF, 0, memoryFact(1)];

test('a profile of an earlier life counts with the age that it has', () => {
  const state = replayed(opened, [SELF, 120_000, profiled({})], here, reported);
  expect(due(state)).toEqual([{ dueInMs: 180_000, isFirst: false }]);
  expect(due(state, NOW_MS + 20_000)).toEqual([{ dueInMs: 160_000, isFirst: false }]);
});

test('the end that was not chosen measures a path 45 s after it opened, unless the chosen one has by then', () => {
  const openMs = 40_000;
  const openHere: typeof opened = [SELF, openMs, openedConnection(PEER, '10.0.0.2')];
  const openThere: typeof opened = [PEER, openMs, openedConnection(SELF, '10.0.0.1')];
  const unmeasured = replayed(openHere, openThere, here, reported);
  expect(due(unmeasured)).toEqual([{ dueInMs: 5_000, isFirst: true }]);
  expect(due(unmeasured, NOW_MS + 6_000)).toEqual([{ dueInMs: -1_000, isFirst: true }]);
  const isChosen = replayed(openHere, here, reported);
  expect(due(isChosen)).toEqual([{ dueInMs: -openMs, isFirst: true }]);
});

test('the backoff of a failure outlasts a restart', () => {
  const failed = profiled({ failure: unknown('silence'), intervalMs: 960_000, measuredAgeMs: 5e6 });
  expect(due(replayed(opened, [SELF, 120_000, failed], here, reported))).toEqual([
    { dueInMs: 840_000, isFirst: false },
  ]);
});

test('a connection to a node that is not there now is not wanted, with any journal', () => {
  const state = replayed(opened, [PEER, 1e6, openedConnection(SELF, '10.0.0.1')], here);
  expect(due(state, NOW_MS + 60_000)).toEqual([]);
});

test('profiles of connections that were closed, and of other nodes, start nothing', () => {
  const closed: Fact = {
    kind: 'connection.closed',
    payload: { sink: PEER, connectionKey: 'socket 10.0.0.2', reason: 'test' },
  };
  const state = replayed(
    opened,
    [SELF, 1e6, profiled({})],
    [SELF, 1e5, closed],
    [PEER, 1e6, openedConnection(SELF, '10.0.0.1')],
    here,
    reported,
  );
  expect(due(state)).toEqual([]);
});

test('a device is due by the age of its profile, and one that is not there any more is not', () => {
  const profile: Fact = {
    kind: 'gpu.profiled',
    payload: {
      deviceId: 'gpu-1',
      deviceName: 'Test GPU',
      deviceKind: 'gpu',
      engine: 'cuda',
      fp16FlopsPerSecond: 1e12,
      fp32FlopsPerSecond: unknown('not measured'),
      memoryReadBytesPerSecond: 1e12,
      memoryCopyBytesPerSecond: 1e12,
      memoryGemvBytesPerSecond: 1e12,
      int8OperationsPerSecond: unknown('not measured'),
      fp8FlopsPerSecond: unknown('not measured'),
      isLowerBound: false,
      method: 'test',
      measuredAgeMs: 0,
      intervalMs: 3_600_000,
      failure: 'none',
    },
  };
  const state = replayed([SELF, 600_000, profile]);
  const at = { self: SELF, settings: PROBE_SETTINGS, nowMs: NOW_MS };
  const device = { deviceId: 'gpu-1', deviceName: 'Test GPU', vendor: 'nvidia' } as const;
  expect(wantedDevices(state, [device], at)).toMatchObject([{ dueInMs: 3_000_000, isFirst: false }]);
  expect(wantedDevices(state, [], at)).toEqual([]);
});

test('probes that are off measure nothing and lend nothing, and begin when they are on', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'], settings: { isEnabled: false } });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  await mesh.clock.advance(60_000);
  expect(mesh.log).toEqual([]);
  atlas.settings = PROBE_SETTINGS;
  await mesh.clock.advance(30_000);
  expect(mesh.log).toEqual([]);
  const stage = atlas.node.state.probeStatuses[atlas.id]?.[`link ${juno.id} socket 10.0.0.2`]?.value.stage;
  expect(stage).toMatchObject({ kind: 'waiting', reason: `probes are off on ${juno.id.slice(0, 8)}` });
  juno.settings = PROBE_SETTINGS;
  await mesh.clock.advance(120_000);
  expect(mesh.profile(atlas, juno)?.failure).toBe('none');
  expect(mesh.profile(juno, atlas)?.failure).toBe('none');
});

test('what is requested by a person is measured now, however fresh it is, and reports that it was asked for', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  await mesh.clock.advance(60_000);
  mesh.engine.outcome = () => measured(5e9);
  const [requested] = atlas.reconciler.request(subject => subject.kind === 'link');
  expect(requested).toMatchObject({ result: 'started', reason: '' });
  await mesh.clock.advance(5_000);
  expect(mesh.profile(atlas, juno)).toMatchObject({
    uploadBitsPerSecond: 5e9,
    intervalMs: unknown('requested by a person'),
  });
  expect(atlas.reconciler.request(subject => subject.kind === 'gpu')).toEqual([]);
});
