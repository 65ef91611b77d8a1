// A whole Mac made of stand-in tools, run as the daemon runs it; then its tools break one by one.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READING_KINDS, type ReadingKind } from '../../src/core/node/reading.ts';
import { unknown } from '../../src/core/unknown.ts';
import { fixture } from '../support/fixture.ts';
import { type GathererRun, isFailure, isReading } from './gatherer-run.ts';
import { FAST, macStudio, ONCE, startMac } from './mac-studio.ts';
import { type StandInTools, standInTools } from './stand-in-tools.ts';

describe('a Mac whose tools all answer', () => {
  let mac: StandInTools;
  let run: GathererRun;

  beforeAll(() => {
    mac = macStudio();
    const settings = () => ({ name: undefined, ignoredInterfaces: ['quux3'] });
    run = startMac(mac, { intervals: ONCE, settings });
  });

  afterAll(async () => {
    await run[Symbol.asyncDispose]();
    mac[Symbol.dispose]();
  });

  it('reports every kind of reading', async () => {
    const kinds: readonly ReadingKind[] = [
      'identity',
      'memory',
      'system',
      'gpus',
      'gpuLoads',
      'network',
      'traffic',
      'thunderbolt',
      'rdmaDevices',
      'disk',
    ];
    for (const kind of kinds) await run.waitFor(isReading(kind), 'from start');
    const others = run.reported.filter(reported => reported.kind !== 'reading');
    expect(others.map(({ kind }) => kind)).toEqual(others.map(() => 'absence'));
    const about = others.flatMap(other => (other.kind === 'absence' ? [other.about] : []));
    const elsewhere: readonly ReadingKind[] = ['config', 'engines', 'gpuHealths'];
    expect([...kinds, ...about].toSorted()).toEqual(
      READING_KINDS.filter(kind => !elsewhere.includes(kind)).toSorted(),
    );
  });

  it('has the name that the configuration gives it, else the one its owner gave it', async () => {
    const identity = await run.waitFor(isReading('identity'), 'from start');
    expect(identity.reading.value).toMatchObject({
      friendlyName: 'Lena’s Mac Studio',
      chip: 'Apple M3 Ultra',
    });
    const settings = () => ({ name: 'rack 4', ignoredInterfaces: [] });
    await using named = startMac(mac, { settings }, ['identity']);
    const given = await named.waitFor(isReading('identity'), 'from start');
    expect(given.reading.value.friendlyName).toBe('rack 4');
  });

  it('asks what cannot change only once', async () => {
    using tools = macStudio();
    tools.prints('hardware', fixture('system_profiler-hardware/m3-ultra-mac-studio.json'));
    tools.script(
      'system_profiler',
      `echo "$1" >> "$HERE/asked"; case $1 in SPHardwareDataType) cat "$HERE/hardware.out";; *) exit 1;; esac`,
    );
    await using gatherers = startMac(tools, { intervals: { identityMs: 20 } }, ['identity']);
    for (let round = 0; round < 5; round++) await gatherers.waitFor(isReading('identity'));
    const requested = readFileSync(join(tools.folder, 'asked'), 'utf8').split('\n');
    expect(requested.filter(name => name === 'SPHardwareDataType')).toHaveLength(1);
  });

  it('reports the one GPU of the chip with its cores', async () => {
    const gpus = await run.waitFor(isReading('gpus'), 'from start');
    expect(gpus.reading.value).toMatchObject({
      vendor: 'apple',
      devices: [
        {
          deviceId: 'apple-0',
          name: 'Apple M3 Ultra',
          coreCount: 80,
          runtime: 'Metal 4',
          memoryIsUnified: true,
          memoryTotalBytes: { kind: 'unknown', reason: 'unified memory' },
        },
      ],
    });
  });

  it('reports interfaces with type, state, rate and addresses', async () => {
    const network = await run.waitFor(isReading('network'), 'from start');
    const named = new Map(network.reading.value.interfaces.map(about => [about.name, about]));
    expect(named.get('en0')).toMatchObject({
      type: 'ethernet',
      typeEvidence: 'hardware port "Ethernet"',
      isUp: true,
      speedBitsPerSecond: 10e9,
      mtuBytes: 9000,
      macAddress: '02:00:00:57:01:00',
    });
    expect(named.get('en3')).toMatchObject({ type: 'thunderbolt', isUp: true });
    expect(named.get('en2')).toMatchObject({
      type: 'thunderbolt',
      isUp: false,
      speedBitsPerSecond: { reason: 'no carrier' },
    });
    expect(named.get('en1')).toMatchObject({ type: 'wifi', speedBitsPerSecond: { kind: 'unknown' } });
    expect(named.get('bridge0')).toMatchObject({ type: 'bridge', members: ['en2', 'en3', 'en4'] });
    expect(named.get('lo0')).toMatchObject({ type: 'loopback', isUp: true });
    expect(named.has('quux3')).toBe(false);
  });

  it('joins receptacle, interface and RDMA device, and finds the bridge', async () => {
    const thunderbolt = await run.waitFor(isReading('thunderbolt'), 'from start');
    const { ports, bridge } = thunderbolt.reading.value;
    expect(ports.map(port => [port.receptacle, port.interfaceName, port.rdmaInterfaceName])).toEqual([
      ['4', NO_PORT_4, NO_PORT_4],
      ['3', 'en4', 'rdma_en4'],
      ['2', 'en3', 'rdma_en3'],
      ['1', 'en2', 'rdma_en2'],
    ]);
    expect(ports[0]).toMatchObject({ status: 'connected', negotiatedBitsPerSecond: 80e9 });
    expect(bridge).toEqual({
      kind: 'present',
      interfaceName: 'bridge0',
      serviceName: 'Thunderbolt Bridge',
      isEnabled: false,
      members: ['en2', 'en3', 'en4'],
    });
  });

  it('reports RDMA devices with the state of their ports and their interface', async () => {
    const rdma = await run.waitFor(isReading('rdmaDevices'), 'from start');
    expect(rdma.reading.value.isEnabled).toBe(true);
    const ports = rdma.reading.value.devices.map(({ name, ports: [port] }) => [
      name,
      port?.state,
      port?.interfaceName,
    ]);
    expect(ports).toEqual([
      ['rdma_en2', 'down', 'en2'],
      ['rdma_en3', 'active', 'en3'],
      ['rdma_en4', 'down', 'en4'],
    ]);
  });

  it('reports volumes, network shares among them', async () => {
    const disk = await run.waitFor(isReading('disk'), 'from start');
    expect(disk.reading.value.volumes.map(volume => [volume.mountPoint, volume.fileSystem])).toEqual([
      ['/', 'apfs'],
      ['/Volumes/Models (on shelf)', 'apfs'],
      ['/Volumes/big', 'smbfs'],
    ]);
  });

  it('reads the network again as soon as scutil reports a change', async () => {
    using tools = macStudio();
    tools.script(
      'scutil',
      `if [ "$1" = --get ]; then echo Studio; exit; fi
while read -r line; do [ "$line" = n.watch ] && break; done
while [ ! -e "$HERE/plugged" ]; do sleep 0.05; done
echo '  changed key [0] = State:/Network/Interface/en2/Link'
while read -r line; do :; done`,
    );
    await using hinted = startMac(tools, { intervals: { networkMs: 600_000 } }, ['network']);
    await hinted.waitFor(isReading('network'), 'from start');
    tools.prints('ifconfig', fixture('ifconfig/m3-ultra-mac-studio.txt').replace('inactive', 'active'));
    tools.prints('plugged', '');
    const network = await hinted.waitFor(isReading('network'));
    expect(network.source).toBe('ifconfig');
  });
});

describe('a Mac whose tools break', () => {
  it.each([
    ['system_profiler', 'thunderbolt', 'exit 4', /^system_profiler exited with code 4/],
    ['system_profiler', 'thunderbolt', 'echo garbage', /no list of Thunderbolt buses/],
    [
      'system_profiler',
      'thunderbolt',
      'echo \'{"SPThunderboltDataType" : [ {"_na\'',
      /no list of Thunderbolt/,
    ],
    ['system_profiler', 'thunderbolt', 'exec sleep 60', /^system_profiler gave no answer in 200 ms/],
    ['system_profiler', 'thunderbolt', 'exec cat /dev/zero', /printed more than \d+ bytes/],
    ['ifconfig', 'network', 'echo garbage', /lists no interface/],
    ['ifconfig', 'network', 'kill -9 $$', /was killed by SIGKILL/],
    [
      'ibv_devinfo',
      'rdmaDevices',
      'echo no driver >&2; exit 1',
      /^ibv_devinfo exited with code 1: no driver/,
    ],
    ['df', 'disk', 'exec sleep 60', /^df gave no answer in 200 ms/],
  ] as const)('gives the reason why %s reports no %s (%s)', async (tool, kind, body, reason) => {
    using tools = macStudio();
    tools.script(tool, body);
    if (tool === 'ibv_devinfo') tools.prints('ibv_devices', '');
    // Only what hangs is given little time: a busy machine may take longer to start the others.
    const toolMs = body.includes('sleep') ? 200 : 30_000;
    await using run = startMac(tools, { timeouts: { toolMs } }, [kind]);
    await run.waitUntil(isFailure(kind, reason), 'from start');
  });

  it('recovers when the tool does', async () => {
    using tools = macStudio();
    tools.script('ifconfig', 'exit 1');
    await using run = startMac(tools, {}, ['network']);
    await run.waitUntil(isFailure('network', /exited with code 1/), 'from start');
    tools.prints('ifconfig', fixture('ifconfig/m3-ultra-mac-studio.txt'));
    await run.waitFor(isReading('network'));
  });

  it('loses only names when networksetup disappears', async () => {
    using tools = macStudio();
    tools.remove('networksetup');
    await using run = startMac(tools, {}, ['thunderbolt', 'network']);
    const thunderbolt = await run.waitFor(isReading('thunderbolt'), 'from start');
    const missing = unknown('networksetup: not installed', 'tool-missing');
    expect(thunderbolt.reading.value.ports[2]).toMatchObject({
      interfaceName: missing,
      negotiatedBitsPerSecond: 80e9,
      peers: [{ domainUuid: '5AF20000-0000-4000-8000-000000000001' }],
    });
    expect(thunderbolt.reading.value.bridge).toEqual(missing);
    const network = await run.waitFor(isReading('network'), 'from start');
    const en3 = network.reading.value.interfaces.find(about => about.name === 'en3');
    expect(en3).toMatchObject({ type: missing, isUp: true });
  });

  it('marks a type that follows from the media alone as guessed while there is no port map', async () => {
    using tools = macStudio();
    tools.script('networksetup', 'exit 1');
    await using run = startMac(tools, {}, ['network']);
    const { reading } = await run.waitFor(isReading('network'), 'from start');
    expect(reading.value.interfaces.find(({ name }) => name === 'en0')?.type).toBe('ethernet');
    expect(reading.guessedTypes).toEqual(['en0', 'en9']);
  });

  it('reports that RDMA is unknown on a system older than RDMA, and lists no device', async () => {
    using tools = macStudio();
    for (const tool of ['rdma_ctl', 'ibv_devices', 'ibv_devinfo']) tools.remove(tool);
    await using run = startMac(tools, {}, ['rdmaDevices', 'thunderbolt']);
    const rdma = await run.waitFor(isReading('rdmaDevices'), 'from start');
    expect(rdma.reading.value).toEqual({
      isEnabled: unknown('rdma_ctl: not installed', 'tool-missing'),
      devices: [],
    });
    const thunderbolt = await run.waitFor(isReading('thunderbolt'), 'from start');
    expect(thunderbolt.reading.value.ports[2]?.rdmaInterfaceName).toMatchObject({ kind: 'unknown' });
  });

  it('names RDMA devices whose ports cannot be read', async () => {
    using tools = macStudio();
    tools.script('ibv_devinfo', 'exit 1');
    await using run = startMac(tools, {}, ['rdmaDevices']);
    const rdma = await run.waitFor(isReading('rdmaDevices'), 'from start');
    expect(rdma.reading.value.devices[1]).toMatchObject({
      name: 'rdma_en3',
      nodeGuid: 'e100570100015705',
      firmware: { kind: 'unknown', reason: 'ibv_devinfo exited with code 1' },
      ports: [],
    });
  });

  it('does not take "partially enabled" for enabled', async () => {
    using tools = macStudio();
    tools.prints('rdma_ctl', 'partially enabled\n');
    await using run = startMac(tools, {}, ['rdmaDevices']);
    const rdma = await run.waitFor(isReading('rdmaDevices'), 'from start');
    expect(rdma.reading.value.isEnabled).toEqual({
      kind: 'unknown',
      reason: 'rdma_ctl prints "partially enabled"',
    });
  });

  it('reports identity with reasons when no tool answers', async () => {
    using tools = standInTools();
    for (const tool of MAC_TOOLS) tools.script(tool, 'exit 1');
    await using run = startMac(tools, {}, ['identity']);
    const identity = await run.waitFor(isReading('identity'), 'from start');
    expect(identity.reading.value).toMatchObject({
      friendlyName: 'studio.local',
      model: { kind: 'unknown', reason: 'system_profiler exited with code 1' },
      operatingSystem: { name: 'macOS', version: { kind: 'unknown', reason: 'sw_vers exited with code 1' } },
    });
  });

  it('reports once that a virtual machine has no Thunderbolt, and asks no more', async () => {
    using tools = macStudio();
    tools.prints('none', fixture('system_profiler-thunderbolt/virtual-machine.json'));
    tools.script('system_profiler', `echo "$1" >> "$HERE/asked"; cat "$HERE/none.out"`);
    await using run = startMac(tools, { intervals: { ...FAST, identityMs: 600_000 } }, [
      'thunderbolt',
      'network',
    ]);
    await run.waitUntil(
      reported => reported.kind === 'absence' && reported.about === 'thunderbolt',
      'from start',
    );
    for (let round = 0; round < 5; round++) await run.waitFor(isReading('network'));
    const requested = readFileSync(join(tools.folder, 'asked'), 'utf8').split('\n');
    expect(requested.filter(name => name === 'SPThunderboltDataType')).toHaveLength(1);
  });

  it('keeps the local volumes when a network share does not answer', async () => {
    using tools = macStudio();
    tools.script('df', `case "$2" in /Volumes/big) exec sleep 60;; *) cat "$HERE/local.out";; esac`);
    await using run = startMac(tools, { timeouts: { toolMs: 500 } }, ['disk']);
    const disk = await run.waitFor(isReading('disk'), 'from start');
    expect(disk.reading.value.volumes).toHaveLength(2);
  });
});

const NO_PORT_4 = { kind: 'unknown', reason: 'networksetup lists no port "Thunderbolt 4"' };

const MAC_TOOLS = [
  'system_profiler',
  'networksetup',
  'sysctl',
  'scutil',
  'macmon',
  'vm_stat',
  'df',
  'mount',
  'ifconfig',
  'netstat',
  'sw_vers',
  'rdma_ctl',
  'ibv_devices',
  'ibv_devinfo',
];
