// The table of platforms: each source reports what its row states.

import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '../../src/core/event-kinds.ts';
import { readingKey } from '../../src/core/node/gathered.ts';
import { gatheredKind, READING_KINDS, type ReadingKind } from '../../src/core/node/reading.ts';
import { platformSources } from '../../src/gather/platform-gatherers.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { FixtureTree, treeFixture } from './gpu/fixture-tree.ts';
import { GathererRun, isAbsence, isFailure } from './gpu/gatherer-run.ts';
import { machineForTest } from './machine-for-test.ts';

/** Read by gatherers of the daemon itself. */
const OF_A_DAEMON: readonly ReadingKind[] = ['config', 'engines'];
/** One per machine. */
const MACHINE_KEYS = READING_KINDS.filter(
  reading => !OF_A_DAEMON.includes(reading) && EVENT_KINDS[gatheredKind(reading)].shape === 'node',
);
const GPU_KEYS = [
  ...['gpus', 'gpuLoads'].flatMap(kind => ['nvidia', 'amd', 'intel'].map(vendor => `${kind} ${vendor}`)),
  'gpuHealths nvidia',
  'gpuHealths amd',
];

describe.each(['linux', 'darwin', 'win32'])('the sources of %s', platform => {
  const sources = platformSources(platform, machineForTest());

  it('have names of their own', () => {
    expect(new Set(sources.map(({ name }) => name)).size).toBe(sources.length);
  });
});

describe('the kinds of reading', () => {
  it.each([
    ['linux', [...MACHINE_KEYS, ...GPU_KEYS]],
    ['darwin', [...MACHINE_KEYS, 'gpus apple', 'gpuLoads apple']],
    ['win32', ['gpus nvidia', 'gpuHealths nvidia', 'gpuLoads nvidia']],
    ['aix', []],
  ])('of %s are all reported', (platform, keys) => {
    const reported = platformSources(platform, machineForTest()).flatMap(({ reports }) =>
      reports.map(readingKey),
    );
    expect([...new Set(reported)].sort()).toEqual([...keys].sort());
  });
});

describe('the sources of GPUs', () => {
  it('report of every vendor that it is not there, once, on a server with displays only', async () => {
    await using tree = await FixtureTree.create(treeFixture('only-displays'));
    const clock = new VirtualClock();
    const gatherers = gpuGatherers({ root: tree.root, env: { PATH: tree.root } });
    await using run = new GathererRun(gatherers, clock);
    for (let at = 0, count = 0; count < GPU_KEYS.length; count += 1)
      at = run.reported.indexOf(await run.until(isAbsence, at)) + 1;
    await clock.advance(300_000);
    expect(run.reported.filter(isAbsence)).toHaveLength(GPU_KEYS.length);
    expect(run.reported.filter(isFailure)).toEqual([]);
  });

  it('report it on a machine without any sysfs', async () => {
    await using run = new GathererRun(gpuGatherers({ root: '/nowhere', env: { PATH: '' } }));
    await run.ended;
    expect(run.reported.filter(isAbsence)).toHaveLength(GPU_KEYS.length);
  });
});

const gpuGatherers = (options: Parameters<typeof machineForTest>[0]) =>
  platformSources('linux', machineForTest(options)).filter(({ reports }) =>
    reports.some(({ vendor }) => vendor !== 'none'),
  );
