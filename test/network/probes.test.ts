// Whole daemons on hosts of their own find what their cables carry, with nobody asking.

import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isKnown, type Reported } from '../../src/core/unknown.ts';
import { isLongRun } from '../support/counts.ts';
import type { HostProcess } from './namespaces.ts';
import type { ProbingSettings, SeenProbes } from './seen-probes.ts';
import { interfaceTo, line, reasonAgainst, shape } from './shapes.ts';
import { TestBed } from './test-bed.ts';

it.concurrent('two daemons profile their cable once, from one of its ends, at the rate that it has in each direction', {
  timeout: 120_000,
}, async context => {
  const reason = reasonAgainst('tc');
  if (reason !== undefined) context.skip(reason);
  await using bed = await TestBed.open(context);
  line(bed.net, ['atlas', 'juno']);
  shape(bed.net, 'atlas', interfaceTo('juno'), '200mbit');
  shape(bed.net, 'juno', interfaceTo('atlas'), '50mbit');
  const daemons = ['atlas', 'juno'].map(host => start(bed, host));
  const seen = await until(daemons[0], ({ links }) =>
    links.some(({ profile }) => profile.failure === 'none'),
  );
  for (const { source, profile } of seen.links) {
    if (profile.failure !== 'none') continue;
    const [up, down] = [megabits(profile.uploadBitsPerSecond), megabits(profile.downloadBitsPerSecond)];
    const [fromAtlas, fromJuno] = source === 'atlas' ? [up, down] : [down, up];
    context.annotate(`${source}: ${up.toFixed(1)} up, ${down.toFixed(1)} down, ${profile.method}`);
    expect(fromAtlas).toBeGreaterThan(160);
    expect(fromAtlas).toBeLessThan(205);
    expect(fromJuno).toBeGreaterThan(40);
    expect(fromJuno).toBeLessThan(52);
    expect(isKnown(profile.roundTripNsP50)).toBe(true);
  }
});

it.concurrent('two daemons leave their cable alone while a benchmark runs on one of them, and measure it when it was killed', {
  timeout: 400_000,
}, async context => {
  if (!isLongRun) context.skip('half a minute of probing and loading: in npm run test:long');
  await using bed = await TestBed.open(context);
  line(bed.net, ['atlas', 'juno']);
  const atlas = start(bed, 'atlas');
  const benchmark = bed.net.spawn('atlas', process.execPath, [
    BENCHMARK,
    bed.home('atlas'),
    'http://127.0.0.1:8000/v1',
  ]);
  await once(benchmark.stdout, 'data');
  const juno = start(bed, 'juno');
  for (const [daemon, other] of [
    [juno, 'atlas'],
    [atlas, 'juno'],
  ] as const) {
    const { links, statuses } = await until(daemon, ({ statuses: all }) =>
      all.some(({ stage }) => stage.kind === 'waiting' && stage.reason === AGAINST_ATLAS),
    );
    expect(links, `the cable to ${other}`).toEqual([]);
    expect(
      statuses.filter(({ subject, stage }) => subject.kind === 'link' && stage.kind === 'running'),
    ).toEqual([]);
  }
  benchmark.kill('SIGKILL');
  await until(juno, ({ links }) => links.some(({ profile }) => profile.failure === 'none'));
});

it.concurrent('probe all measures the cable of two daemons each way, and gives the reason why their devices were not measured', {
  timeout: 300_000,
}, async context => {
  if (!isLongRun) context.skip('everything measured on two hosts: in npm run test:long');
  const reason = reasonAgainst('tc');
  if (reason !== undefined) context.skip(reason);
  await using bed = await TestBed.open(context);
  line(bed.net, ['atlas', 'juno']);
  shape(bed.net, 'atlas', interfaceTo('juno'), '200mbit');
  shape(bed.net, 'juno', interfaceTo('atlas'), '50mbit');
  const [atlas] = ['atlas', 'juno'].map(host => start(bed, host));
  await until(atlas, ({ links }) => links.some(({ profile }) => profile.failure === 'none'));
  const home = bed.home('atlas');
  const command = bed.net.spawn('atlas', process.execPath, [MAIN, 'probe', 'all', '--home', home, '--json']);
  const campaign = JSON.parse(await textOf(command.stdout));
  expect(campaign).toMatchObject({ state: 'complete', unreached: [] });
  expect([...campaign.nodes].sort()).toEqual(['atlas', 'juno']);
  const rows: readonly { kind: string; node: string; what: string; value: Reported<number> }[] =
    campaign.measurements;
  const rates = rows.filter(({ what }) => what === 'upload' || what === 'download');
  expect(rates).toHaveLength(2);
  for (const { node, what, value } of rates) {
    const isFromAtlas = (node === 'atlas') === (what === 'upload');
    expect(megabits(value)).toBeGreaterThan(isFromAtlas ? 160 : 40);
    expect(megabits(value)).toBeLessThan(isFromAtlas ? 205 : 52);
  }
  const devices = rows.filter(({ kind }) => kind !== 'link');
  expect(devices.map(({ value }) => value)).toEqual(
    devices.map(() => ({ kind: 'unknown', reason: 'not in this test' })),
  );
  expect(new Set(devices.map(({ node }) => node))).toEqual(new Set(['atlas', 'juno']));
});

const AGAINST_ATLAS = 'a benchmark runs against atlas';
const BENCHMARK = fileURLToPath(new URL('./benchmark-process.ts', import.meta.url));

const megabits = (rate: Reported<number>): number => (isKnown(rate) ? rate / 1e6 : Number.NaN);

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const PROCESS = fileURLToPath(new URL('./probing-process.ts', import.meta.url));

const start = (bed: TestBed, host: string): HostProcess => {
  mkdirSync(bed.home(host), { recursive: true, mode: 0o700 });
  const settings: ProbingSettings = { home: bed.home(host), keyFile: bed.keyFile, name: host };
  return bed.net.spawn(host, process.execPath, [PROCESS, JSON.stringify(settings)]);
};

const until = async (
  child: HostProcess | undefined,
  isSeen: (seen: SeenProbes) => boolean,
): Promise<SeenProbes> => {
  if (child === undefined) throw new Error('no such daemon');
  let last: SeenProbes | undefined;
  const lines = createInterface({ input: child.stdout });
  const timer = setTimeout(() => lines.close(), WAIT_MS_MAX);
  try {
    for await (const text of lines) {
      const seen: SeenProbes = JSON.parse(text);
      last = seen;
      if (isSeen(seen)) return seen;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error(`it was not seen in ${WAIT_MS_MAX / 1_000} s; last: ${JSON.stringify(last, null, 1)}`);
};

/** Beacons, links, a reachability check and four probes, on a machine with other work. */
const WAIT_MS_MAX = 110_000;
