// The cluster of faults shows every warning, at some moment of the virtual clock, and losses as a daemon records them.

import { expect, test } from 'vitest';
import { faultText } from '../../dashboard/src/fleet/fault-text.ts';
import { nodesOfFault } from '../../src/core/fleet/fleet-faults.ts';
import { FleetWatch } from '../../src/core/fleet/fleet-watch.ts';
import type { NodeId } from '../../src/core/ids.ts';
import { type LinkView, linkViews } from '../../src/core/link/link-view.ts';
import { nodeView } from '../../src/core/node/node-view.ts';
import { nodeIds, presence } from '../../src/core/node/presence-view.ts';

import { everyWarning } from '../../src/core/warnings/cluster-warnings.ts';
import { WARNING_KINDS } from '../../src/core/warnings/warning.ts';
import { FAULTS } from '../../src/simulate/scenario/faults.ts';
import { linkTable } from '../../src/tui/link-table.ts';
import { decodeRecordBody, encodeRecordBody } from '../../src/wire/durable-record.ts';
import { SimulatedWorld, stateOf } from './simulated-world.ts';

/** What the simulation cannot show honestly, and why. */
const NOT_SHOWN: Readonly<Partial<Record<keyof typeof WARNING_KINDS, string>>> = {
  kinds: 'events of a newer version: this version can only write kinds that it knows',
  refused: 'more entries than any machine has: only a hostile program sends them',
  'stale late': 'several sources of one machine: every simulated reading has the same source',
  more: 'more than 200 warnings of one kind: twelve machines do not have them',
};

test('every kind of warning is shown at some moment of the first quarter of an hour', async () => {
  await using world = new SimulatedWorld(FAULTS);
  const shown = new Map<string, string>();
  for (let atSeconds = 5; atSeconds <= 900; atSeconds += 40) {
    await world.clock.advance(atSeconds * 1_000 - world.clock.nowMs());
    for (const { id, title } of warningsOf(world)) shown.set(id, title);
  }
  const ids = [...shown.keys()];
  const isShown = (kind: string): boolean => ids.some(id => id === kind || id.startsWith(`${kind} `));
  expect(
    Object.keys(WARNING_KINDS)
      .filter(kind => !isShown(kind))
      .sort(),
  ).toEqual(Object.keys(NOT_SHOWN).sort());
});

const warningsOf = (world: SimulatedWorld) => {
  const state = stateOf(world);
  const nowMs = world.clock.nowMs();
  const views = nodeIds(state).map(node => nodeView(state, node, nowMs));
  return everyWarning({ state, views, nowMs });
};

test('what is simulated of faults passes for what a peer may report', async () => {
  await using world = new SimulatedWorld(FAULTS);
  await world.clock.advance(200_000);
  const refused = world.reported.flatMap(({ fact, node }) => {
    const body = encodeRecordBody({ origin: node, epoch: 1, seq: 1 }, fact);
    const decoded = decodeRecordBody(body, { ageMs: 0, receivedAtMs: 0 });
    return decoded.kind === 'event' && decoded.event.kind === fact.kind
      ? []
      : [`${fact.kind}: ${JSON.stringify(decoded)}`];
  });
  expect(refused.slice(0, 3)).toEqual([]);
});

test('equal seeds have equal faults', async () => {
  const reported = async (): Promise<string> => {
    await using world = new SimulatedWorld(FAULTS, { seed: 7 });
    await world.clock.advance(130_000);
    return JSON.stringify(world.reported);
  };
  expect(await reported()).toBe(await reported());
});

test('a cable that slows down shows its newest figure, the age of that figure, and the one of before no more', async () => {
  await using world = new SimulatedWorld(FAULTS);
  await world.clock.advance(29_000);
  expect(linkOf(world, 'bosun', 'quay')?.there?.value).toBeGreaterThan(9e9);
  await world.clock.advance(16_000);
  const { there, back } = linkOf(world, 'bosun', 'quay') ?? {};
  for (const figure of [there, back]) {
    expect(figure?.value).toBeLessThan(1e9);
    expect(world.clock.nowMs() - (figure?.of.measuredAtMs ?? 0)).toBeLessThan(6_000);
  }
});

test('both ends of a cut cable report no carrier and lose what goes over it; plugged in, its figures are back', async () => {
  await using world = new SimulatedWorld(FAULTS);
  await world.clock.advance(40_000);
  const before = linkOf(world, 'spark-1', 'spark-2');
  await world.clock.advance(15_000);
  const lost = linkOf(world, 'spark-1', 'spark-2');
  expect(lost?.standing.kind).toBe('lost');
  expect(lost?.last.there?.value).toBe(before?.there?.value);
  expect(lost?.lost.flatMap(({ cause }) => cause.deadEnds.map(({ kind }) => kind))).toEqual(
    Array(4).fill('down'),
  );
  const sparks = [world.nodeNamed('spark-1'), world.nodeNamed('spark-2')];
  const reported = world.facts('connection.lost');
  expect(reported.map(({ node }) => node).sort()).toEqual([...sparks, ...sparks].sort());
  for (const { fact } of reported)
    expect(fact.payload).toMatchObject({ code: 'no-answer', reason: 'no answer', lostAgeMs: 0 });
  await world.clock.advance(145_000);
  const restored = linkOf(world, 'spark-1', 'spark-2');
  expect(restored?.standing.kind).toBe('measured');
  expect(restored?.lost).toEqual([]);
  await world.clock.advance(125_000);
  expect(linkOf(world, 'spark-1', 'spark-2')?.standing.kind).toBe('lost');
});

test('what goes over one dead cable is one warning, with the figures of its fastest path and where to look', async () => {
  await using world = new SimulatedWorld(FAULTS);
  await world.clock.advance(100_000);
  const lost = warningsOf(world).filter(({ id }) => id.startsWith('link lost '));
  expect(lost.map(({ title, on, command }) => [title, on, command]).sort()).toEqual([
    [
      'atlas and juno: Thunderbolt\u00a05 (RDMA) rdma_en3–rdma_en2 and Thunderbolt (TCP) en3–en2 are lost',
      expect.stringMatching(/^(atlas|juno)$/),
      expect.stringMatching(/^ifconfig en[23]$/),
    ],
    [
      'rack-1 and rack-2: Ethernet ens1f1np1–ens1f1np1 is lost',
      'rack-2',
      'sudo dmesg -T | grep -F -e ens1f1np1',
    ],
    [
      'spark-1 and spark-2: RoCE rocep1s0f0–rocep1s0f0 and Ethernet enp1s0f0np0–enp1s0f0np0 are lost',
      expect.stringMatching(/^spark-[12]$/),
      'ip -s link show dev enp1s0f0np0',
    ],
  ]);
  const [spark] = lost.filter(({ title }) => title.startsWith('spark'));
  expect(spark?.why).toMatch(/^Lost \d+\ss ago: cable unplugged or port down at /);
  expect(spark?.why).toMatch(/Last measured: 96\.\d\sGb\/s to spark-[12], 96\.\d\sGb\/s to spark-[12], /);
});

test('a terminal of 80 columns shows what is lost, since when, and how old the figures are', async () => {
  await using world = new SimulatedWorld(FAULTS);
  await world.clock.advance(135_000);
  const lines = linkTable(stateOf(world), world.clock.nowMs(), { columns: 80, rowsMax: 40 });
  const rowOf = (one: string, other: string): string | undefined =>
    lines
      .map(line => line.map(({ text }) => text).join(''))
      .find(text => text.includes(one) && text.includes(other))
      ?.replaceAll('\u00a0', ' ');
  expect(rowOf('spark-1', 'spark-2')).toMatch(/^× spark-1 .* 96\.\d Gb\/s .*lost 1 min ago, measured \d+/);
  expect(rowOf('atlas', 'pip')).toMatch(/^× atlas .* 38\.0 Gb\/s .*no contact, measured \d+/);
  expect(rowOf('atlas', 'juno')).toMatch(/^! atlas .*\d+ (s|min); lost 1 min ago: Thu/);
});

test('a lost path stays next to the open one of the same link', async () => {
  await using world = new SimulatedWorld(FAULTS);
  await world.clock.advance(80_000);
  const link = linkOf(world, 'atlas', 'juno');
  expect(link?.standing.kind).toBe('measured');
  expect([...new Set(link?.connections.map(({ medium }) => medium))]).toEqual(['wifi']);
  expect(link?.lost.map(({ of: { medium } }) => medium)).toEqual(['rdma', 'cable']);
});

test('an interface that disappears is the cause of its loss, and the other end has no carrier', async () => {
  await using world = new SimulatedWorld(FAULTS);
  await world.clock.advance(100_000);
  const [path] = linkOf(world, 'rack-1', 'rack-2')?.lost ?? [];
  const ends = path?.cause.deadEnds.map(({ node, kind }) => [node, kind]);
  expect(ends).toHaveLength(2);
  expect(new Map(ends?.map(([node, kind]) => [node ?? '', kind]))).toEqual(
    new Map([
      [world.nodeNamed('rack-1'), 'down'],
      [world.nodeNamed('rack-2'), 'gone'],
    ]),
  );
});

test('a lost GPU is listed apart, and the seven others stay with their figures', async () => {
  await using world = new SimulatedWorld(FAULTS);
  await world.clock.advance(50_000);
  const gpus = () => nodeView(stateOf(world), world.nodeNamed('rack-1'), world.clock.nowMs()).gpus[0];
  expect([gpus()?.devices.length, gpus()?.failed.length]).toEqual([8, 0]);
  await world.clock.advance(10_000);
  expect(gpus()?.devices.map(({ device }) => device.index)).toEqual([0, 1, 2, 4, 5, 6, 7]);
  expect(gpus()?.failed).toMatchObject([{ index: 3, state: 'lost', pciAddress: '0000:06:00.0' }]);
});

test('a restart costs nothing: connections are lost with the stop, and return with their figures', async () => {
  await using world = new SimulatedWorld(FAULTS);
  const vm = world.nodeNamed('vm-1');
  await world.clock.advance(109_000);
  const before = linkOf(world, 'quay', 'vm-1')?.there;
  await world.clock.advance(6_000);
  expect(presence(stateOf(world), vm, world.clock.nowMs())).toBe('offline');
  const lost = world.facts('connection.lost').filter(({ fact }) => fact.payload.sink === vm);
  expect(new Set(lost.map(({ fact }) => fact.payload.code))).toEqual(new Set(['node-stopped']));
  expect(linkOf(world, 'quay', 'vm-1')).toMatchObject({
    standing: { kind: 'gone' },
    last: { there: { value: before?.value } },
  });
  await world.clock.advance(45_000);
  expect(presence(stateOf(world), vm, world.clock.nowMs())).toBe('live');
  expect(linkOf(world, 'quay', 'vm-1')).toMatchObject({
    standing: { kind: 'measured' },
    there: { value: before?.value },
  });
});

test('a killed node is offline with its last figures, and its losses report it once that is known', async () => {
  await using world = new SimulatedWorld(FAULTS);
  const pip = world.nodeNamed('pip');
  await world.clock.advance(135_000);
  expect(linkOf(world, 'atlas', 'pip')).toMatchObject({
    standing: { kind: 'gone', offline: [pip] },
    lost: [],
  });
  expect(linkOf(world, 'atlas', 'pip')?.last.there?.value).toBeGreaterThan(1e9);
  const codes = world
    .facts('connection.lost')
    .filter(({ fact }) => fact.payload.sink === pip)
    .map(({ fact: { payload } }) => `${payload.code} ${payload.lostAgeMs / 1_000} s`);
  expect(new Set(codes)).toEqual(new Set(['no-answer 0 s', 'node-offline 18 s']));
});

const linkOf = (world: SimulatedWorld, one: string, other: string): LinkView | undefined => {
  const ends = [world.nodeNamed(one), world.nodeNamed(other)];
  return linkViews(stateOf(world), world.clock.nowMs()).find(({ nodes }) =>
    nodes.every(node => ends.includes(node)),
  );
};

test('the picture of a fleet has lost links and failed GPUs as faults of cells, and as no warning of their own', async () => {
  await using world = new SimulatedWorld(FAULTS);
  await world.clock.advance(100_000);
  const state = stateOf(world);
  const nowMs = world.clock.nowMs();
  const views = nodeIds(state).map(node => nodeView(state, node, nowMs));
  const links = linkViews(state, nowMs);
  const warnings = everyWarning({ state, views, nowMs });
  const { faults, others } = new FleetWatch().read(
    { state, views, links, warnings, nowMs },
    { kind: 'rack' },
  );
  const nameOf = (node: NodeId): string => views.find(({ nodeId }) => nodeId === node)?.name ?? node;
  const found = faults.list
    .filter(({ kind }) => kind === 'lost' || kind === 'gpu')
    .map(fault => {
      const { what, much, why } = faultText(fault, { unit: 'bits', nowMs, nameOf });
      return `${nodesOfFault(fault).map(nameOf).join(' and ')}: ${what} ${much}. ${why}`.replaceAll(
        '\u00a0',
        ' ',
      );
    });
  expect(found.sort()).toMatchInlineSnapshot(`
    [
      "atlas and juno: lost path 34 s. Thunderbolt 5 (RDMA) and 1 more, others are open: cable unplugged or port down at en2 of juno and en3 of atlas",
      "rack-1 and rack-2: lost path 14 s. Ethernet, others are open: cable unplugged or port down at ens1f1np1 of rack-1; no interface ens1f1np1 of rack-2 any more",
      "rack-1: GPU 3: lost. Lost. Reason: Unknown Error.",
      "rack-2: GPU 1: 2 uncorrected memory errors. 2 uncorrected memory errors. Since its driver was loaded or it was reset. Its computations were wrong or were aborted. If more errors follow after a reset, replace it.",
      "rack-2: GPU 1: a repair of its memory needs a reset. A repair of its memory needs a reset. Bad memory is replaced by spare memory when the device is reset or the machine restarts.",
      "rack-2: GPU 2: bad memory could not be replaced by spare memory. Bad memory could not be replaced by spare memory. It has no spare rows left. Replace the device.",
      "rack-2: GPU 4: its NVLink fabric is degraded: bandwidth degraded. Its NVLink fabric is degraded: bandwidth degraded. What is computed over several GPUs is slow or fails. Check the fabric manager, the switches and their log (SXid).",
      "rack-2: GPU 5: must be reset. Must be reset. Reason: [GPU requires reset].",
      "rack-2: GPU 6: 2 of 18 links to other GPUs are down. 2 of 18 links to other GPUs are down. Comparable GPUs in this machine have theirs up. Computations over several GPUs wait for this one.",
      "rack-2: GPU 7: its driver requests: Drain and Reset. Its driver requests: Drain and Reset. The driver cannot use it until that is done.",
      "spark-1 and spark-2: lost link 48 s. RoCE and 1 more: cable unplugged or port down at enp1s0f0np0 of spark-2 and enp1s0f0np0 of spark-1",
    ]
  `);
  expect(others.filter(({ id }) => /^(?:link lost|gpu (?!xid|sxid|reset))/.test(id))).toEqual([]);
});
