import { expect, test } from 'vitest';
import { factKey } from '../../src/core/event-kinds.ts';
import { linkViews } from '../../src/core/link/link-view.ts';
import { nodeName, nodeView } from '../../src/core/node/node-view.ts';
import { nodeIds } from '../../src/core/node/presence-view.ts';
import { knownValue } from '../../src/core/node/reading-view.ts';
import { unusualDeviceFigures, unusualLinkFigures } from '../../src/core/probe/unusual-figures.ts';
import { isKnown, isUnknown } from '../../src/core/unknown.ts';
import { decodeRecordBody, encodeRecordBody } from '../../src/wire/durable-record.ts';
import { SimulatedWorld, stateOf } from './simulated-world.ts';

const TEN_MINUTES_MS = 600_000;

test('everything that is simulated is accepted as a report of a peer', async () => {
  for (const count of [2, 4, 8, 24]) {
    await using world = new SimulatedWorld(count, { pastStepSeconds: 60 });
    await world.clock.advance(90_000);
    const refused = world.reported.flatMap(({ fact, node }) => {
      const body = encodeRecordBody({ origin: node, epoch: 1, seq: 1 }, fact);
      const decoded = decodeRecordBody(body, { ageMs: 0, receivedAtMs: 0 });
      return decoded.kind === 'event' && decoded.event.kind === fact.kind
        ? []
        : [`${fact.kind}: ${JSON.stringify(decoded)}`];
    });
    expect(refused.slice(0, 3)).toEqual([]);
  }
});

test('the same seed reports the same, another seed another', async () => {
  const reported = async (seed: number): Promise<string> => {
    await using world = new SimulatedWorld(8, { seed });
    await world.clock.advance(60_000);
    return JSON.stringify(world.reported);
  };
  const first = await reported(5);
  expect(await reported(5)).toBe(first);
  expect(await reported(6)).not.toBe(first);
});

test('every node is marked as simulated, and has every reading or reports that it has none', async () => {
  await using world = new SimulatedWorld(24, { hasFaults: false });
  await world.clock.advance(31_000);
  const state = stateOf(world);
  const nowMs = world.clock.nowMs();
  expect(nodeIds(state)).toHaveLength(24);
  for (const node of nodeIds(state)) {
    expect(state.nodeIdentities[node]?.value.isSimulated).toBe(true);
    const view = nodeView(state, node, nowMs);
    const readings = [view.identity, view.memory, view.system, view.network, view.disk, view.config];
    expect(readings.map(({ kind }) => kind)).toEqual(readings.map(() => 'current'));
    expect(['current', 'absent']).toContain(view.thunderbolt.kind);
    expect(['current', 'absent']).toContain(view.rdmaDevices.kind);
    for (const vendor of view.gpus)
      expect([vendor.inventory.kind, vendor.loads.kind]).toEqual(['current', 'current']);
    expect(view.gpus.length > 0 || view.absentGpus.length === 3).toBe(true);
  }
});

test('Linux machines report a pressure that fits their memory and moves; Macs report that they measure none', async () => {
  await using world = new SimulatedWorld(24, { hasFaults: false });
  await world.clock.advance(61_000);
  const state = stateOf(world);
  const nowMs = world.clock.nowMs();
  const kinds = nodeIds(state).map(node => {
    const { identity, pressure, memory } = nodeView(state, node, nowMs);
    const platform = knownValue(identity)?.operatingSystem.platform;
    const reported = knownValue(pressure)?.host;
    if (reported !== undefined && isKnown(reported.memory))
      expect(reported.memory.some.share10s).toBe(knownValue(memory)?.pressure.stalledShare);
    return `${platform} ${pressure.kind}`;
  });
  expect([...new Set(kinds)].sort()).toEqual(['linux current', 'macos absent']);
  const totals = new Map<string, number[]>();
  for (const { node, fact } of world.facts('pressure.gathered')) {
    const { source, value } = fact.payload;
    expect(source).toBe('simulated');
    for (const [resource, reported] of Object.entries(value.host)) {
      if (isUnknown(reported)) throw new Error(reported.reason);
      expect(isUnknown(reported.full)).toBe(resource === 'cpu');
      for (const time of [reported.some, reported.full]) {
        if (isUnknown(time)) continue;
        for (const share of [time.share10s, time.share60s, time.share300s])
          expect(share >= 0 && share <= 1).toBe(true);
      }
    }
    if (isKnown(value.host.cpu))
      totals.set(node, [...(totals.get(node) ?? []), value.host.cpu.some.totalMicroseconds]);
  }
  for (const reported of totals.values()) {
    expect(reported.length).toBeGreaterThan(1);
    expect(reported).toEqual([...reported].sort((a, b) => a - b));
    expect(reported.at(-1)).toBeGreaterThan(reported[0] ?? 0);
  }
});

test('nothing grows stale in ten minutes, and figures move', async () => {
  await using world = new SimulatedWorld(8, { hasFaults: false });
  await world.clock.advance(TEN_MINUTES_MS);
  const state = stateOf(world);
  for (const node of nodeIds(state)) {
    const view = nodeView(state, node, world.clock.nowMs());
    expect([view.identity.kind, view.network.kind, view.memory.kind]).toEqual([
      'current',
      'current',
      'current',
    ]);
  }
  const spark = world.nodeNamed('spark-1');
  const uses = new Set(
    world
      .facts('gpuLoads.gathered')
      .flatMap(({ node, fact }) => (node === spark ? [fact.payload.value.devices[0]?.use] : [])),
  );
  expect(uses.size).toBeGreaterThan(50);
});

test('connections are open from the start, with a profile each that is no older than its time to live', async () => {
  await using world = new SimulatedWorld(8, { hasFaults: false });
  await world.clock.advance(100);
  const opened = world.facts('connection.opened');
  const profiled = world.facts('link.profiled');
  // 28 pairs over the switch, three RDMA cables of Macs, one of Sparks, one Thunderbolt cable without.
  expect(opened).toHaveLength(2 * (28 + 2 * 3 + 2 + 1));
  expect(profiled).toHaveLength(opened.length);
  for (const { fact, ageMs } of profiled) {
    const { intervalMs } = fact.payload;
    expect(isKnown(intervalMs) && ageMs <= intervalMs).toBe(true);
  }
});

test('each probe is reported as running, then its profile with when the next one is due', async () => {
  await using world = new SimulatedWorld(2);
  await world.clock.advance(TEN_MINUTES_MS + 30_000);
  const [socket] = world
    .facts('probe.reported')
    .filter(({ fact }) => fact.payload.subject.kind === 'link' && fact.payload.stage.kind === 'running');
  if (socket === undefined) throw new Error('no probe ran');
  const about = world.reported.filter(
    ({ node, fact, atMs }) =>
      node === socket.node &&
      atMs >= socket.atMs &&
      ((fact.kind === 'probe.reported' && factKey(fact) === factKey(socket.fact)) ||
        (fact.kind === 'link.profiled' && `link ${factKey(fact)}` === factKey(socket.fact))),
  );
  const [running, profile, idle] = about.map(({ fact }) => fact);
  expect(running).toBe(socket.fact);
  expect(profile?.kind).toBe('link.profiled');
  expect(idle?.kind === 'probe.reported' && idle.payload.stage.kind).toBe('idle');
});

test('the connection that is to fail fails with a reason, and the other direction does not', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(100);
  const [pip, spark1] = [world.nodeNamed('pip'), world.nodeNamed('spark-1')];
  const failures = world.facts('link.profiled').filter(({ fact }) => isUnknown(fact.payload.failure));
  expect(failures.map(({ node, fact }) => [node, fact.payload.sink])).toEqual([[pip, spark1]]);
  expect(failures[0]?.fact.payload.uploadBitsPerSecond).toEqual({
    kind: 'unknown',
    reason: 'no answer within 30 s',
  });
});

test('a device that was never measured is measured first of all', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(25_000);
  const anchor = world.nodeNamed('anchor');
  const about = world.reported.filter(
    ({ node, fact }) =>
      node === anchor &&
      (fact.kind === 'gpu.profiled' ||
        (fact.kind === 'probe.reported' && fact.payload.subject.kind === 'gpu')),
  );
  expect(
    about.map(({ fact }) => (fact.kind === 'probe.reported' ? fact.payload.stage.kind : fact.kind)),
  ).toEqual(['running', 'gpu.profiled', 'idle']);
});

test('a node that serves a model keeps its lease, and its device waits with the reason', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(20_000);
  const spark = world.nodeNamed('spark-1');
  const leases = world.facts('runner.reported');
  expect(new Set(leases.map(({ node }) => node))).toEqual(new Set([spark]));
  const gaps = leases.slice(1).map(({ atMs }, index) => atMs - (leases[index]?.atMs ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(2_000);
  const waiting = world.facts('probe.reported').filter(({ fact }) => fact.payload.stage.kind === 'waiting');
  expect(waiting.length).toBeGreaterThan(0);
  expect(waiting.every(({ node }) => node === spark)).toBe(true);
});

test('the past is reported oldest first and reaches a quarter of an hour back', async () => {
  await using world = new SimulatedWorld(2, { pastStepSeconds: 5 });
  await world.clock.advance(100);
  const [first] = world.simulation.wiring.sites;
  const ages = world
    .facts('memory.gathered')
    .flatMap(({ node, ageMs }) => (node === first?.nodeId ? [ageMs] : []));
  expect(ages[0]).toBe(900_000);
  expect(ages).toEqual([...ages].sort((a, b) => b - a));
});

test('probes that a person asks for run one after another on a node, and are reported to be by hand', async () => {
  await using world = new SimulatedWorld(8, { hasFaults: false });
  await world.clock.advance(30_000);
  const hermes = world.nodeNamed('hermes');
  const juno = world.nodeNamed('juno');
  const answers = world.simulation.request(
    hermes,
    subject => subject.kind === 'link' && subject.sink === juno,
  );
  expect(answers.map(({ result }) => result)).toEqual(['started', 'queued', 'queued']);
  const since = world.reported.length;
  await world.clock.advance(12_000);
  const about = world.reported.slice(since).flatMap(({ node, fact }): string[] => {
    if (node !== hermes) return [];
    if (fact.kind === 'link.profiled' && fact.payload.sink === juno) return ['profiled'];
    if (fact.kind !== 'probe.reported' || fact.payload.subject.kind !== 'link') return [];
    if (fact.payload.subject.sink !== juno) return [];
    const { stage } = fact.payload;
    return [stage.kind === 'running' && stage.isByHand ? 'by hand' : stage.kind];
  });
  expect(about).toEqual(Array(3).fill(['by hand', 'profiled', 'idle']).flat());
});

test('a device that is held back refuses to be measured, with the reason', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(1_000);
  const answers = world.simulation.request(world.nodeNamed('spark-1'), ({ kind }) => kind === 'gpu');
  expect(answers.map(({ result, reason }) => [result, reason])).toEqual([
    ['refused', 'a server on spark-1 has requests in flight'],
  ]);
});

test('while something works on the nodes, GPUs and RDMA are left alone, and sockets are not', async () => {
  await using world = new SimulatedWorld(2);
  await world.clock.advance(1_000);
  world.activity = 'a benchmark runs';
  const since = world.reported.length;
  const mike = world.nodeNamed('mike');
  const answers = world.simulation.request(mike, () => true);
  expect(
    answers.map(({ subject, result }) => [
      subject.kind === 'gpu' ? 'gpu' : subject.connectionKey.split(' ')[0],
      result,
    ]),
  ).toEqual([
    ['gpu', 'refused'],
    ['rdma', 'refused'],
    ['socket', 'started'],
    ['socket', 'queued'],
  ]);
  await world.clock.advance(TEN_MINUTES_MS);
  const measured = world.reported
    .slice(since)
    .map(({ fact }) =>
      fact.kind === 'link.profiled' ? fact.payload.connectionKey.split(' ')[0] : fact.kind,
    );
  expect(measured).toContain('socket');
  expect(measured).not.toContain('rdma');
  expect(measured).not.toContain('gpu.profiled');
});

test('what is worse than last week is reported by its baseline, and nothing else is', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(30_000);
  const state = stateOf(world);
  const unusual = nodeIds(state).flatMap(node =>
    Object.values(state.probeBaselines[node] ?? {}).flatMap(({ value: { subject } }) => {
      const figures =
        subject.kind === 'link'
          ? unusualLinkFigures(state, node, subject)
          : unusualDeviceFigures(state, node, subject.deviceId);
      return figures.map(({ figure }) => `${nodeName(state, node)} ${figure}`);
    }),
  );
  expect(unusual.sort()).toEqual([
    'bosun fp16FlopsPerSecond',
    'bosun uploadBitsPerSecond',
    'spark-2 downloadBitsPerSecond',
  ]);
});

test('a simulated connection reports what its own interface is, and its link is bounded by the slower end', async () => {
  await using world = new SimulatedWorld(6, { hasFaults: false });
  await world.clock.advance(100);
  const [atlas, pip] = [world.nodeNamed('atlas'), world.nodeNamed('pip')];
  const state = stateOf(world);
  const reported = Object.values(state.connections[atlas]?.[pip] ?? {}).map(({ value }) => value);
  expect(reported.map(({ negotiatedBitsPerSecond }) => negotiatedBitsPerSecond)).toEqual([10e9]);
  const link = linkViews(state, world.clock.nowMs()).find(
    ({ nodes }) => nodes.includes(atlas) && nodes.includes(pip),
  );
  expect(link?.best.carrier.negotiatedBitsPerSecond).toBe(1e9);
});
