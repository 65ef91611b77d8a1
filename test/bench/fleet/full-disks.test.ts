// Disks that are full, at the coordinator of a run from agents and at one of them.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { requestHere } from '../run-here.ts';
import { FleetHere } from './agents-here.ts';

/** A small file system at that path, until it is disposed of. */
const smallDisk = (context: TestContext, path: string): Disposable => {
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path], { stdio: 'pipe' });
  } catch {
    context.skip('no file system can be mounted here');
  }
  return { [Symbol.dispose]: () => void execFileSync('umount', [path]) };
};

const MOCK = { ttftMs: 1, gapMs: 0, outputTokens: 50 };
const LOAD = { samplesMax: 300, pattern: { kind: 'concurrency' as const, concurrency: 8 } };
const NAMES = ['atlas', 'boreas'];

describe('a full disk', () => {
  test('of the coordinator makes the run incomplete, reports it, and leaves the samples with the agents', async context => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'small');
    using _disk = smallDisk(context, path);
    await using mock = await startMock(MOCK);
    const fleet = new FleetHere(folder.path, NAMES, { targets: [new URL(mock.url).origin] });
    const { report, diskProblems } = await fleet.run(requestHere(mock.url, LOAD), {
      directory: join(path, 'run'),
    });
    expect(report.complete).toBe(false);
    expect([...report.runProblems, ...diskProblems].join('\n')).toContain('no space left on the disk');
    expect(report.counts.issued).toBe(300);
    expect(report.counts.completed + report.counts.unresolved).toBe(300);
    const ends = await Promise.all(fleet.ends);
    expect(ends.filter(({ keptIn }) => keptIn !== undefined).length).toBeGreaterThan(0);
  });

  test('of an agent makes the run incomplete, and the samples of the other are counted', async context => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'boreas');
    using _disk = smallDisk(context, path);
    await using mock = await startMock(MOCK);
    const fleet = new FleetHere(folder.path, NAMES, { targets: [new URL(mock.url).origin] });
    // It has room for its config, and for no more than a few samples.
    writeFileSync(join(path, 'other'), Buffer.alloc(40_000));
    const { report } = await fleet.run(requestHere(mock.url, LOAD));
    expect(report.complete).toBe(false);
    expect(report.incompleteReason).toContain('boreas: ');
    expect(report.incompleteReason).toContain('no space left on the disk');
    expect(report.agents).toMatchObject([{ state: 'complete' }, { state: 'incomplete' }]);
    expect(report.counts.issued).toBe(300);
    expect(report.counts.completed).toBeGreaterThanOrEqual(report.agents?.[0]?.counts.completed ?? 1);
  });
});
