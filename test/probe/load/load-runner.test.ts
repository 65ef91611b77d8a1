// Loads that run together, on nodes in memory and a virtual clock: they share what probes exclude each other from, and give way to
// runners at either end.

import { expect, test } from 'vitest';
import { type Load, SENT_RATE } from '../../../src/core/probe/load.ts';
import type { ProbeSubject } from '../../../src/core/probe/probe-status.ts';
import { unknown } from '../../../src/core/unknown.ts';
import type { LinkLoadRequest } from '../../../src/probe/link-engine.ts';
import { ProbingMesh, type ProbingNode } from '../../support/probing-mesh.ts';

const never = new AbortController().signal;
const TOGETHER = 'acceptance-1';

/** Sends for as long as it is asked to, at 1 Gb/s in two runs. */
const loads = (mesh: ProbingMesh): LinkLoadRequest[] => {
  const requests: LinkLoadRequest[] = [];
  mesh.engine.load = async request => {
    requests.push(request);
    await mesh.clock.sleep(request.durationMs, request.signal);
    const half = request.durationMs / 2;
    return {
      kind: 'measured',
      measurement: {
        runs: [
          { startedAgoMs: 2 * half, endedAgoMs: half, bitsPerSecond: 1e9 },
          { startedAgoMs: half, endedAgoMs: 0, bitsPerSecond: 0.9e9 },
        ],
        retransmits: 3,
        bytesUsed: (request.durationMs / 1_000) * 125e6,
      },
    };
  };
  return requests;
};

const linkTo = (sink: ProbingNode): ProbeSubject => ({
  kind: 'link',
  sink: sink.id,
  connectionKey: `socket ${sink.address}`,
});

const load = (
  node: ProbingNode,
  subjects: readonly ProbeSubject[],
  together = TOGETHER,
): Promise<readonly Load[]> =>
  node.loads.load({ together, durationMs: 10_000, subjects: [...subjects] }, never);

const kinds = (results: readonly (readonly Load[])[]): readonly string[] =>
  results.flat().map(one => (one.kind === 'idle' ? `idle: ${one.reason}` : one.kind));

/** Their first profiles are measured, so that nothing else is due. */
const ringOf = async (names: readonly string[]): Promise<ProbingMesh> => {
  const mesh = await ProbingMesh.start({ names });
  await mesh.clock.advance(120_000);
  return mesh;
};

test('a ring of nodes with one port each sends at the same time, and the figures are those of the sinks', async () => {
  await using mesh = await ringOf(['atlas', 'juno', 'pip']);
  const requests = loads(mesh);
  const startedAtMs = mesh.clock.nowMs();
  const results = Promise.all(mesh.nodes.map((node, at) => load(node, [linkTo(mesh.at((at + 1) % 3))])));
  await mesh.clock.advance(15_000);
  const all = (await results).flat();
  expect(kinds([all])).toEqual(['loaded', 'loaded', 'loaded']);
  expect(requests.map(({ durationMs }) => durationMs)).toEqual([10_000, 10_000, 10_000]);
  for (const one of all) {
    if (one.kind !== 'loaded') continue;
    expect(one.figures.map(({ figure, value }) => [figure, value])).toEqual([
      [SENT_RATE, 1e9],
      [SENT_RATE, 0.9e9],
    ]);
    expect(one.toMs - one.fromMs).toBeCloseTo(10_000, 0);
    expect(one).toMatchObject({ retransmits: 3, bytes: 1.25e9 });
  }
  // No profile comes of it.
  expect(mesh.profile(mesh.at(0), mesh.at(1))).toMatchObject({ uploadBitsPerSecond: 1e9 });
  expect(mesh.clock.nowMs() - startedAtMs).toBe(15_000);
});

test('a load of somebody else, and a probe, find the port in use', async () => {
  await using mesh = await ringOf(['atlas', 'juno', 'pip']);
  loads(mesh);
  const [atlas, juno, pip] = [mesh.at(0), mesh.at(1), mesh.at(2)];
  const first = load(atlas, [linkTo(juno)]);
  await mesh.clock.advance(1_000);
  const others = Promise.all([
    load(pip, [linkTo(juno)], 'acceptance-2'),
    load(atlas, [linkTo(pip)], 'acceptance-2'),
  ]);
  await mesh.clock.advance(1_000);
  expect(kinds(await others)).toEqual([
    expect.stringMatching(/^idle: eth0 is being measured on /),
    'idle: eth0 is being measured',
  ]);
  juno.reconciler.request(subject => subject.kind === 'link' && subject.sink === atlas.id);
  const before = mesh.engine.measuredCount;
  await mesh.clock.advance(6_000);
  expect(mesh.engine.measuredCount).toBe(before);
  await mesh.clock.advance(30_000);
  expect(kinds([await first])).toEqual(['loaded']);
  expect(mesh.engine.measuredCount).toBeGreaterThan(before);
});

test('devices of a node are busy all the time, next to its links', async () => {
  await using mesh = await ringOf(['atlas', 'juno']);
  loads(mesh);
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  atlas.devices = ['gpu-1', 'gpu-2'].map(deviceId => ({
    deviceId,
    deviceName: 'Test GPU',
    vendor: 'nvidia',
  }));
  let busy = 0;
  let busiest = 0;
  atlas.probeDevice = async ({ deviceId, deviceName }, signal) => {
    busy += 1;
    busiest = Math.max(busiest, busy);
    await mesh.clock.sleep(4_000, signal).finally(() => {
      busy -= 1;
    });
    return { kind: 'measured', measurement: { ...MEASURED, deviceId, deviceName } };
  };
  const subjects: readonly ProbeSubject[] = [
    { kind: 'gpu', deviceId: 'gpu-1' },
    { kind: 'gpu', deviceId: 'gpu-2' },
  ];
  const results = Promise.all([load(atlas, [linkTo(juno)]), load(atlas, subjects)]);
  await mesh.clock.advance(20_000);
  const [links, devices] = await results;
  expect(kinds([links, devices])).toEqual(['loaded', 'loaded', 'loaded']);
  expect(busiest).toBe(2);
  // Three probes of four seconds: the third began before its ten seconds were over.
  for (const one of devices)
    expect(one.kind === 'loaded' && one.figures.map(({ fromMs, toMs }) => toMs - fromMs)).toEqual(
      Array.from({ length: 6 }, () => 4_000),
    );
});

test('a benchmark at either end keeps it from starting, and ends it within seconds', async () => {
  await using mesh = await ringOf(['atlas', 'juno']);
  loads(mesh);
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  const running = load(atlas, [linkTo(juno)]);
  await mesh.clock.advance(2_000);
  mesh.lease(juno);
  await mesh.clock.advance(2_500);
  expect(kinds([await running])).toEqual([expect.stringMatching(/^idle: a benchmark runs /)]);
  mesh.lease(juno);
  await mesh.clock.advance(500);
  const next = load(atlas, [linkTo(juno)]);
  await mesh.clock.advance(500);
  expect(kinds([await next])).toEqual([expect.stringMatching(/^idle: a benchmark runs /)]);
});

test('a sink whose own state has the benchmark refuses, and one with probes off refuses too', async () => {
  await using mesh = await ringOf(['atlas', 'juno']);
  loads(mesh);
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  juno.settings = { ...juno.settings, isEnabled: false };
  const refused = load(atlas, [linkTo(juno)]);
  await mesh.clock.advance(1_000);
  expect(kinds([await refused])).toEqual([expect.stringMatching(/^idle: probes are off on /)]);
  atlas.settings = { ...atlas.settings, isEnabled: false };
  expect(kinds([await load(atlas, [linkTo(juno)])])).toEqual([
    expect.stringMatching(/^idle: probes are off/),
  ]);
});

test('an engine that can only measure does that, and its upload is what was sent', async () => {
  await using mesh = await ringOf(['atlas', 'juno']);
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  const result = load(atlas, [linkTo(juno)]);
  await mesh.clock.advance(3_000);
  expect(await result).toMatchObject([
    { kind: 'loaded', figures: [{ figure: SENT_RATE, value: 1e9 }], bytes: 125e6 },
  ]);
});

const MEASURED = {
  deviceKind: 'gpu',
  engine: 'made-up',
  fp16FlopsPerSecond: 1e12,
  fp32FlopsPerSecond: unknown('not measured'),
  memoryReadBytesPerSecond: 1e12,
  memoryCopyBytesPerSecond: unknown('not measured'),
  memoryGemvBytesPerSecond: unknown('not measured'),
  int8OperationsPerSecond: unknown('not measured'),
  fp8FlopsPerSecond: unknown('not measured'),
  isLowerBound: false,
  method: 'made up',
} as const;
