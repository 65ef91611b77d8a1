// The network gatherer as a whole, with stand-ins for `ip` that report, hang, die, print garbage and disappear.

import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { NodeNetwork } from '../../../src/core/node/network.ts';
import { watchLinks } from '../../../src/gather/ip/link-watch.ts';
import { linuxNetworkGatherer } from '../../../src/gather/ip/linux-network-gatherer.ts';
import type { GatherSettings } from '../../../src/gather/machine-access.ts';
import { ownTools } from '../../../src/gather/machine-tools.ts';
import { fixture } from '../../support/fixture.ts';
import { isRunning, processIdsIn } from '../../support/process-ids.ts';
import type { RecordedTree } from '../../support/recorded-files.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { type GathererRun, isReading, runForTest } from '../gatherer-run.ts';
import { machineForTest } from '../machine-for-test.ts';
import { plant, recordedTree } from '../recorded-tree.ts';
import { type StandInTools, standInTools } from '../stand-in-tools.ts';

let tools: StandInTools;
let root: TemporaryDirectory;
let settings: GatherSettings;

beforeEach(() => {
  tools = standInTools();
  root = temporaryDirectory();
  settings = { name: undefined, ignoredInterfaces: [] };
  plant(root.path, [interfacesOf('sysfs/class-net-every-kind.json', FEW)]);
  writeFileSync(join(tools.folder, 'addr.json'), fixture('ip/addr-thunderbolt-and-vpn.json'));
});

afterEach(() => {
  root[Symbol.dispose]();
  tools[Symbol.dispose]();
});

describe('the network gatherer', () => {
  it('reports all interfaces at once, with the addresses from ip', async () => {
    rmSync(join(root.path, '/sys'), { recursive: true });
    plant(root.path, [recordedTree('sysfs/class-net-every-kind.json')]);
    standInIp({ monitor: 'exec sleep 600' });
    await using run = start();
    const { source, reading } = await run.waitFor(isReading('network'), 'from start');
    expect(source).toBe('sysfs, ip');
    expect(reading.value.interfaces.length).toBe(20);
    expect(addressesOf(reading.value, 'thunderbolt0')).toEqual(['169.254.44.1']);
  });

  it('reads again when the monitor prints, and only then asks ip again', async () => {
    standInIp({
      monitor:
        'until [ -e "$HERE/change" ]; do sleep 0.02; done; echo "6: thunderbolt0@if6: <UP> mtu 65520"; exec sleep 600',
    });
    await using run = start();
    await run.waitFor(isReading('network'), 'from start');
    writeFileSync(
      join(tools.folder, 'addr.json'),
      fixture('ip/addr-thunderbolt-and-vpn.json').replace('169.254.44.1', '169.254.44.99'),
    );
    writeFileSync(join(tools.folder, 'change'), '');
    const { reading } = await run.waitFor(isReading('network'));
    expect(addressesOf(reading.value, 'thunderbolt0')).toEqual(['169.254.44.99']);
    expect(startsOf('addr')).toBe(2);
  });

  it('asks ip once however often it reads while nothing changes', async () => {
    standInIp({ monitor: 'exec sleep 600' });
    await using run = start({ intervalMs: 20 });
    for (let count = 0; count < 10; count++) await run.waitFor(isReading('network'));
    expect(startsOf('addr')).toBe(1);
    expect(startsOf('monitor')).toBe(1);
  });

  it('sees a changed link at its interval although nobody hinted', async () => {
    standInIp({ monitor: 'exec sleep 600' });
    await using run = start({ intervalMs: 20 });
    await run.waitFor(isReading('network'), 'from start');
    writeFileSync(join(root.path, '/sys/class/net/eno1/operstate'), 'down\n');
    await run.waitUntil(
      reported =>
        isReading('network')(reported) &&
        reported.reading.value.interfaces.find(({ name }) => name === 'eno1')?.isUp === false,
    );
  });

  it('leaves ignored interfaces out from the next reading on', async () => {
    standInIp({ monitor: 'exec sleep 600' });
    await using run = start({ intervalMs: 20 });
    await run.waitFor(isReading('network'), 'from start');
    settings = { name: undefined, ignoredInterfaces: ['eno1', 'wg0'] };
    const { reading } = await run.waitFor(
      (reported): reported is Extract<typeof reported, { kind: 'reading' }> =>
        isReading('network')(reported) && reported.reading.value.interfaces.length === FEW.length - 2,
    );
    expect(reading.kind === 'network' && reading.value.interfaces.map(({ name }) => name)).not.toContain(
      'eno1',
    );
  });

  it('reports what sysfs and the C library have if there is no ip', async () => {
    await using run = start({ intervalMs: 20, path: tools.folder });
    const { source } = await run.waitFor(isReading('network'), 'from start');
    expect(source).toBe('sysfs, getifaddrs');
    await run.waitFor(isReading('network'));
    expect(run.reported.every(reported => reported.kind === 'reading')).toBe(true);
  });

  it('reads from ip what the ports of Open vSwitch are, once while they stay the same', async () => {
    rmSync(join(root.path, '/sys'), { recursive: true });
    plant(root.path, [recordedTree('sysfs/class-net-team-and-open-vswitch.json')]);
    writeFileSync(join(tools.folder, 'link.json'), fixture('ip/link-details-team-and-open-vswitch.json'));
    standInIp({
      monitor: 'exec sleep 600',
      addr: 'case "$*" in *-d*) echo $$ >> "$HERE/link.pids"; cat "$HERE/link.json";; *) cat "$HERE/addr.json";; esac',
    });
    await using run = start({ intervalMs: 20 });
    const { reading } = await run.waitFor(isReading('network'), 'from start');
    expect(typesOf(reading.value)).toMatchObject({ 'br-ex': 'bridge', team0: 'bond' });
    expect(reading.guessedTypes).toEqual([]);
    for (let count = 0; count < 5; count++) await run.waitFor(isReading('network'));
    expect(startsOf('link')).toBe(1);
  });

  it('marks the types of virtual devices as guessed while ip does not report their kind', async () => {
    rmSync(join(root.path, '/sys'), { recursive: true });
    plant(root.path, [recordedTree('sysfs/class-net-team-and-open-vswitch.json')]);
    standInIp({
      monitor: 'exec sleep 600',
      addr: 'case "$*" in *-d*) exit 1;; *) cat "$HERE/addr.json";; esac',
    });
    await using run = start();
    const { reading } = await run.waitFor(isReading('network'), 'from start');
    expect(typesOf(reading.value)).toMatchObject({ 'br-ex': 'virtual', team0: 'bond' });
    expect(reading.guessedTypes).toEqual(expect.arrayContaining(['br-ex', 'br-data', 'team0', 'vlan40']));
    expect(reading.guessedTypes).not.toContain('eno1');
  });

  it.each([
    ['hangs', 'exec sleep 600'],
    ['prints garbage', 'head -c 5000 /dev/urandom'],
    ['prints half of a line', `printf '[{"ifindex":1,"ifname":"lo","addr'`],
    ['fails', 'echo "Cannot open netlink socket" >&2; exit 1'],
    ['dies', 'kill -KILL $$'],
  ])('goes on without ip when that %s', async (_, addr) => {
    standInIp({ monitor: 'exec sleep 600', addr });
    await using run = start({ intervalMs: 20, toolTimeoutMs: 200 });
    const { source, reading } = await run.waitFor(isReading('network'), 'from start');
    expect(source).toBe('sysfs, getifaddrs');
    expect(reading.value.interfaces.length).toBe(FEW.length);
    for (let count = 0; count < 5; count++) await run.waitFor(isReading('network'));
    expect(startsOf('addr')).toBe(1);
  });

  it.each([
    ['hangs', 'exec sleep 600'],
    ['dies', 'exit 3'],
    ['prints garbage', 'head -c 3000000 /dev/urandom; exec sleep 600'],
    ['floods', 'exec yes "nothing that is an event"'],
    ['crashes half-way through a line', `printf '4: thunderbo'; kill -SEGV $$`],
  ])('keeps its interval when the monitor %s', async (_, monitor) => {
    standInIp({ monitor });
    await using run = start({ intervalMs: 20 });
    for (let count = 0; count < 10; count++) await run.waitFor(isReading('network'));
    expect(run.reported.every(reported => reported.kind === 'reading')).toBe(true);
  });

  it('starts the monitor again after it died, and reads once in case something was missed', async ({
    signal,
  }) => {
    standInIp({ monitor: '[ -e "$HERE/second" ] && exec sleep 600; touch "$HERE/second"; exit 1' });
    await using run = start();
    await run.waitFor(isReading('network'), 'from start');
    await run.waitFor(isReading('network'));
    await until(() => startsOf('monitor') === 2, signal);
  });

  it('leaves a monitor that floods with what are no events', async ({ signal }) => {
    standInIp({ monitor: 'exec yes "nothing that is an event"' });
    await using run = start();
    await until(() => startsOf('monitor') === 1, signal);
    await until(() => pidsOf('monitor').every(pid => !isRunning(pid)), signal);
    expect(run.reported.every(reported => reported.kind === 'reading')).toBe(true);
  });

  it('stops at once and leaves no monitor behind', async ({ signal }) => {
    standInIp({ monitor: `trap '' TERM; while :; do sleep 0.1; done` });
    const run = start();
    await run.waitFor(isReading('network'), 'from start');
    await until(() => startsOf('monitor') === 1, signal);
    await run[Symbol.asyncDispose]();
    expect(pidsOf('monitor').filter(isRunning)).toEqual([]);
  });

  it('leaves no monitor behind when its process is killed', async ({ signal }) => {
    standInIp({ monitor: `trap '' HUP; exec sleep 600` });
    const watcher = spawn(process.execPath, [WATCHER], { env: tools.env, stdio: 'ignore' });
    await until(() => startsOf('monitor') === 1, signal);
    expect(pidsOf('monitor').filter(isRunning)).toHaveLength(1);
    watcher.kill('SIGKILL');
    await until(() => !pidsOf('monitor').some(isRunning), signal);
  });

  it('gives up watching for good where there is no ip', async () => {
    tools.script('sh', 'exec /bin/sh "$@"');
    const watching = { clock: systemClock, signal: new AbortController().signal, onHint: () => {} };
    await watchLinks({ ...watching, tools: ownTools({ PATH: tools.folder }) });
    await watchLinks({ ...watching, tools: ownTools({ PATH: '/nowhere' }) });
  });

  it('fails with a reason when there is no sysfs', async () => {
    standInIp({ monitor: 'exec sleep 600' });
    rmSync(join(root.path, '/sys'), { recursive: true });
    await using run = start();
    const failure = await run.waitUntil(reported => reported.kind === 'failure', 'from start');
    expect(failure).toMatchObject({ about: 'network', reason: 'no /sys/class/net' });
  });

  it('reports an interface that came and one that went', async () => {
    standInIp({ monitor: 'exec sleep 600' });
    await using run = start({ intervalMs: 20 });
    await run.waitFor(isReading('network'), 'from start');
    rmSync(join(root.path, '/sys/class/net/wg0'), { recursive: true });
    mkdirSync(join(root.path, '/sys/class/net/new0'));
    await run.waitUntil(reported => {
      if (!isReading('network')(reported)) return false;
      const names = reported.reading.value.interfaces.map(({ name }) => name);
      return names.includes('new0') && !names.includes('wg0');
    });
  });
});

/** Each reading opens ten files of each interface, and what these tests are about is when it is read. */
const FEW = ['eno1', 'thunderbolt0', 'wg0'] as const;

const interfacesOf = (path: string, names: readonly string[]): RecordedTree => {
  const { root, files, links = {} } = recordedTree(path);
  const ofThem = (entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(entries).filter(([file]) => names.some(name => file.startsWith(`${name}/`))),
    );
  return { root, files: ofThem(files), links: ofThem(links) };
};

interface StartOptions {
  readonly intervalMs?: number;
  readonly toolTimeoutMs?: number;
  readonly path?: string;
}

const start = ({ intervalMs = 600_000, toolTimeoutMs = 10_000, path }: StartOptions = {}): GathererRun =>
  runForTest([
    linuxNetworkGatherer(
      machineForTest({
        root: root.path,
        env: path === undefined ? tools.env : { PATH: path },
        intervals: { networkMs: intervalMs },
        settings: () => settings,
        timeouts: { kernelMs: toolTimeoutMs },
      }),
      () => ({}),
    ),
  ]);

const standInIp = ({
  monitor,
  addr = 'cat "$HERE/addr.json"',
}: {
  readonly monitor: string;
  readonly addr?: string;
}): void => {
  tools.script(
    'ip',
    `case "$*" in
*monitor*) echo $$ >> "$HERE/monitor.pids"; ${monitor};;
*) echo $$ >> "$HERE/addr.pids"; ${addr};;
esac`,
  );
};

const WATCHER = fileURLToPath(new URL('./watch-links-until-killed.ts', import.meta.url));

type Process = 'monitor' | 'addr' | 'link';

const pidsOf = (what: Process): readonly number[] => processIdsIn(join(tools.folder, `${what}.pids`));

const startsOf = (what: Process): number => pidsOf(what).length;

const typesOf = ({ interfaces }: NodeNetwork): Readonly<Record<string, unknown>> =>
  Object.fromEntries(interfaces.map(({ name, type }) => [name, type]));

const addressesOf = (
  network: {
    readonly interfaces: readonly {
      readonly name: string;
      readonly addresses: readonly { readonly address: string }[];
    }[];
  },
  name: string,
): readonly string[] | undefined =>
  network.interfaces.find(item => item.name === name)?.addresses.map(({ address }) => address);
