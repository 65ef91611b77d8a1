// Which mounts are volumes, their space on this machine, and servers that never answer.

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/clock/clock.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { directoryFiles } from '../../../src/gather/directory-files.ts';
import type { MachineFiles } from '../../../src/gather/machine-files.ts';
import { nodeHost, type ReadSpace, type SpaceAnswer } from '../../../src/gather/machine-host.ts';
import { chooseVolumes, linuxDiskGatherer } from '../../../src/gather/mountinfo/linux-disk-gatherer.ts';
import { parseMountinfo } from '../../../src/gather/mountinfo/parse-mountinfo.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { fixture } from '../../support/fixture.ts';
import { recordedFiles } from '../../support/recorded-files.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { type GathererRun, isReading, runForTest } from '../gatherer-run.ts';
import { machineForTest } from '../machine-for-test.ts';
import { filesAt } from '../recorded-tree.ts';

const WORKSTATION = fixture('procfs/mountinfo-workstation.txt');

describe('the volumes of a machine', () => {
  it('are file systems that hold files, each once', () => {
    expect(chooseVolumes(parseMountinfo(WORKSTATION))).toEqual([
      { mountPoint: '/', device: '/dev/nvme0n1p2', fileSystem: 'ext4', isRemote: false },
      { mountPoint: '/data/large models', device: '/dev/nvme1n1p1', fileSystem: 'xfs', isRemote: false },
      { mountPoint: '/mnt/bucket', device: 'remote:models', fileSystem: 'fuse.rclone', isRemote: true },
      { mountPoint: '/mnt/old', device: '/dev/sdc1', fileSystem: 'ext4', isRemote: false },
      { mountPoint: '/mnt/share', device: 'nas.example:/export', fileSystem: 'nfs4', isRemote: true },
      { mountPoint: '/tank', device: 'tank', fileSystem: 'zfs', isRemote: false },
    ]);
  });

  it('in a container are its root and what was mounted into it, not the files of its engine', () => {
    const volumes = chooseVolumes(parseMountinfo(fixture('procfs/mountinfo-docker-v2.txt')));
    expect(volumes.map(({ mountPoint }) => mountPoint)).toEqual(['/', '/models']);
  });

  it('crash no parser, for any table', () => {
    forAnyOutput([WORKSTATION], text => {
      expect(chooseVolumes(parseMountinfo(text)).length).toBeLessThanOrEqual(128);
    });
  });
});

describe('the disk gatherer', () => {
  it('reports the space of this machine as df does', async () => {
    await using run = start(directoryFiles('/'), nodeHost.volumeSpace, systemClock);
    const { reading } = await run.waitFor(isReading('disk'), 'from start');
    const root = reading.value.volumes.find(({ mountPoint }) => mountPoint === '/');
    const [total] = execFileSync('df', ['-B1', '--output=size', '/'], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .slice(1);
    expect(root?.totalBytes).toBe(Number(total));
    expect(root?.availableBytes).toBeGreaterThan(0);
  });

  it('reports local volumes although a server does not answer, and which one', async () => {
    const clock = new VirtualClock();
    await using run = start(workstation, hangingFor(/^\/mnt\/share/), clock);
    await clock.advance(3_000);
    const { reading } = await run.waitFor(isReading('disk'), 'from start');
    expect(reading.value.volumes.map(({ mountPoint }) => mountPoint)).toEqual([
      '/',
      '/data/large models',
      '/mnt/bucket',
      '/mnt/old',
      '/tank',
    ]);
    expect(run.reported.at(-1)).toMatchObject({
      kind: 'failure',
      reason: '/mnt/share gave no answer in 2000 ms',
      code: 'no-answer',
    });
  });

  it('asks a silent server once, and again when it has answered', async () => {
    const clock = new VirtualClock();
    const requested: string[] = [];
    const late = Promise.withResolvers<SpaceAnswer>();
    const request: ReadSpace = path => {
      requested.push(path);
      return path === '/mnt/share' ? late.promise : Promise.resolve(ANSWER);
    };
    await using run = start(workstation, request, clock);
    await clock.advance(95_000);
    expect(requested.filter(path => path === '/mnt/share')).toHaveLength(1);
    expect(requested.filter(path => path === '/')).toHaveLength(4);
    expect(run.reported.at(-1)).toMatchObject({ reason: '/mnt/share still does not answer' });
    late.resolve(ANSWER);
    await clock.advance(60_000);
    expect(requested.filter(path => path === '/mnt/share').length).toBeGreaterThan(1);
    expect(run.reported.at(-1)).toMatchObject({ kind: 'reading' });
  });

  it('waits for two silent servers at most', async () => {
    const mounts = Array.from(
      { length: 6 },
      (_, index) => `4${index} 27 0:${50 + index} / /mnt/s${index} rw - nfs4 s:/e rw`,
    );
    const files = recordedFiles([filesAt({ '/proc/self/mountinfo': mounts.join('\n') })]);
    const clock = new VirtualClock();
    const requested: string[] = [];
    const request: ReadSpace = path => {
      requested.push(path);
      return new Promise(() => {});
    };
    await using run = start(files, request, clock);
    await clock.advance(65_000);
    expect(requested).toEqual(['/mnt/s0', '/mnt/s1']);
    expect(run.reported.filter(({ kind }) => kind === 'reading').length).toBeGreaterThan(1);
  });

  it('leaves out what turns out to be a file or to hold nothing', async () => {
    const request: ReadSpace = path =>
      Promise.resolve({ ...ANSWER, isFolder: path !== '/tank', totalBytes: path === '/mnt/old' ? 0n : 10n });
    await using run = start(workstation, request, new VirtualClock());
    const { reading } = await run.waitFor(isReading('disk'), 'from start');
    expect(reading.value.volumes.map(({ mountPoint }) => mountPoint)).not.toContain('/tank');
    expect(reading.value.volumes.map(({ mountPoint }) => mountPoint)).not.toContain('/mnt/old');
  });

  it('gives the reason why a volume could not be read, and reports the others', async () => {
    const request: ReadSpace = path =>
      path === '/mnt/bucket'
        ? Promise.reject(new Error('Transport endpoint is not connected'))
        : Promise.resolve(ANSWER);
    await using run = start(workstation, request, new VirtualClock());
    const failure = await run.waitUntil(reported => reported.kind === 'failure', 'from start');
    expect(failure).toMatchObject({ reason: '/mnt/bucket: Transport endpoint is not connected' });
  });

  it('stops at once while it waits', async () => {
    const run = start(workstation, hangingFor(/./), new VirtualClock());
    await run[Symbol.asyncDispose]();
    expect(run.reported).toEqual([]);
  });
});

const ANSWER: SpaceAnswer = { isFolder: true, totalBytes: 1_000n, availableBytes: 400n };
const workstation = recordedFiles([filesAt({ '/proc/self/mountinfo': WORKSTATION })]);

const hangingFor =
  (paths: RegExp): ReadSpace =>
  path =>
    paths.test(path) ? new Promise(() => {}) : Promise.resolve(ANSWER);

const start = (files: MachineFiles, request: ReadSpace, clock: Clock): GathererRun =>
  runForTest([linuxDiskGatherer(machineForTest({ files }), request)], clock);
