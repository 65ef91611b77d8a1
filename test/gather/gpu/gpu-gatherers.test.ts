import { describe, expect, it } from 'vitest';
import { gpuGatherers } from '../../../src/gather/gpu-gatherers.ts';
import { FixtureTree, treeFixture } from './fixture-tree.ts';
import { GathererRun, isAbsence, isFailure } from './gatherer-run.ts';

describe('the GPU gatherers', () => {
  it('have names of their own and tell one kind each', () => {
    const gatherers = gpuGatherers({ platform: 'linux', root: '/nowhere', env: {} });
    expect(new Set(gatherers.map(gatherer => gatherer.name)).size).toBe(6);
    expect(gatherers.every(gatherer => gatherer.tells.length === 1)).toBe(true);
    expect(gpuGatherers({ platform: 'win32', root: '/nowhere', env: {} })).toHaveLength(2);
    expect(gpuGatherers({ platform: 'darwin', root: '/nowhere', env: {} })).toEqual([]);
  });

  it('say of every vendor that it is not there, once, on a server with displays only, and end', async () => {
    await using tree = await FixtureTree.create(treeFixture('only-displays'));
    await using run = new GathererRun(
      gpuGatherers({ platform: 'linux', root: tree.root, env: { PATH: tree.root } }),
    );
    await run.ended;
    expect(run.told.filter(isAbsence)).toHaveLength(6);
    expect(run.told.filter(isFailure)).toEqual([]);
  });

  it('say so on a machine without any sysfs', async () => {
    await using run = new GathererRun(
      gpuGatherers({ platform: 'linux', root: '/nowhere', env: { PATH: '' } }),
    );
    await run.ended;
    expect(run.told.filter(isAbsence)).toHaveLength(6);
  });
});
