import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/event-kinds.ts';
import type { NodeIdentity } from '../../src/core/node/identity.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import type { NetworkInterface } from '../../src/core/node/network.ts';
import type { Reading } from '../../src/core/node/reading.ts';
import { unknown } from '../../src/core/unknown.ts';
import { Cluster } from '../../src/daemon/cluster.ts';
import { EventRecorder } from '../../src/daemon/event-recorder.ts';
import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import { Notices } from '../../src/daemon/notices.ts';
import { FAILURE_REPEAT_MS, ReadingRecorder } from '../../src/daemon/own-readings.ts';
import type { Gatherer } from '../../src/gather/gatherer.ts';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

describe('the reading recorder', () => {
  it('publishes a live reading each time and never journals it', () => {
    const { readings, facts } = setup();
    readings.reading(GATHERER, 'procfs', { kind: 'memory', value: MEMORY });
    readings.reading(GATHERER, 'procfs', { kind: 'memory', value: MEMORY });
    expect(facts.map(fact => fact.kind)).toEqual(['memory.gathered', 'memory.gathered']);
  });

  it('writes a durable reading once and renews its age while it stays the same', () => {
    const { readings, facts } = setup();
    readings.reading(GATHERER, 'dmi', { kind: 'identity', value: IDENTITY });
    readings.reading(GATHERER, 'dmi', { kind: 'identity', value: { ...IDENTITY } });
    readings.reading(GATHERER, 'dmi', { kind: 'identity', value: { ...IDENTITY, friendlyName: 'juno' } });
    expect(facts.map(fact => fact.kind)).toEqual([
      'identity.gathered',
      'reading.confirmed',
      'reading.confirmed',
      'identity.gathered',
      'reading.confirmed',
    ]);
  });

  it('takes the order of fields for no change', () => {
    const { readings, facts } = setup();
    const { friendlyName, ...rest } = IDENTITY;
    readings.reading(GATHERER, 'dmi', { kind: 'identity', value: IDENTITY });
    readings.reading(GATHERER, 'dmi', { kind: 'identity', value: { ...rest, friendlyName } });
    expect(facts.filter(fact => fact.kind === 'identity.gathered')).toHaveLength(1);
  });

  it('reports a failure at once, the same one again only after a while, another one at once', async () => {
    const { readings, facts, clock } = setup();
    const fail = (reason: string): void => readings.failure(GATHERER, MEMORY_KIND, 'macmon', reason);
    fail('exited');
    fail('exited');
    expect(facts).toHaveLength(1);
    fail('silent');
    expect(facts).toHaveLength(2);
    await clock.advance(FAILURE_REPEAT_MS);
    fail('silent');
    expect(facts).toHaveLength(3);
  });

  it('reports a failure again at once after the source has worked', () => {
    const { readings, facts } = setup();
    readings.failure(GATHERER, MEMORY_KIND, 'macmon', 'exited');
    readings.reading(GATHERER, 'macmon', { kind: 'memory', value: MEMORY });
    readings.failure(GATHERER, MEMORY_KIND, 'macmon', 'exited');
    expect(facts.map(fact => fact.kind)).toEqual(['reading.failed', 'memory.gathered', 'reading.failed']);
  });

  it('reports a reason without the bytes in it that are not text', () => {
    const { readings, facts } = setup();
    const garbage = `nvidia-smi: ${Buffer.from([0xff, 0x75, 0xfe, 0x07, 0x43, 0xc0, 0x9b]).toString('utf8')}`;
    readings.failure(GATHERER, MEMORY_KIND, 'nvidia-smi', garbage);
    readings.failure(GATHERER, MEMORY_KIND, 'nvidia-smi', 'caf\ufffd is closed');
    expect(facts).toMatchObject([
      { payload: { reason: 'nvidia-smi: (bytes that are not text)' } },
      { payload: { reason: 'caf\ufffd is closed' } },
    ]);
  });

  it('reports the code of a failure, if it has one', () => {
    const { readings, facts } = setup();
    readings.failure(GATHERER, MEMORY_KIND, 'macmon', 'macmon is not installed', 'macmon-missing');
    readings.failure(GATHERER, MEMORY_KIND, 'macmon', 'it exited');
    expect(facts[0]?.payload).toMatchObject({ code: 'macmon-missing' });
    expect(facts[1]?.payload).not.toHaveProperty('code');
  });

  it('reports that something is not on this machine as an absence, and cuts a long reason to one line', () => {
    const { readings, facts } = setup();
    readings.absence(
      GATHERER,
      { reading: 'gpus', vendor: 'nvidia' },
      'nvidia-smi',
      `no\nGPU ${'x'.repeat(1_000)}`,
    );
    const [fact] = facts;
    expect(fact?.kind).toBe('reading.absent');
    if (fact?.kind !== 'reading.absent') return;
    expect(fact.payload.reason).toMatch(/^no GPU x+…$/);
    expect(fact.payload.reason.length).toBeLessThanOrEqual(300);
  });

  it('records the last concrete type of an interface while its reading reports none', () => {
    const { readings, network } = setup();
    readings.reading(
      GATHERER,
      'ifconfig',
      networkOf({ type: 'wifi', typeEvidence: 'hardware port "Wi-Fi"' }),
    );
    readings.reading(GATHERER, 'ifconfig', networkOf({ type: unknown('networksetup did not answer') }));
    expect(network()).toMatchObject({ type: 'wifi', typeEvidence: 'hardware port "Wi-Fi"' });
    readings.reading(
      GATHERER,
      'ifconfig',
      networkOf({ type: 'ethernet', typeEvidence: 'hardware port "LAN"' }),
    );
    expect(network()).toMatchObject({ type: 'ethernet', typeEvidence: 'hardware port "LAN"' });
  });

  it('records nothing new for a reading that only lacks a type', () => {
    const { readings, facts } = setup();
    readings.reading(GATHERER, 'ifconfig', networkOf({ type: 'wifi' }));
    readings.reading(GATHERER, 'ifconfig', networkOf({ type: unknown('no answer') }));
    expect(facts.filter(({ kind }) => kind === 'network.gathered')).toHaveLength(1);
  });

  it('records a guessed type only if nothing better is known of the interface', () => {
    const { readings, network } = setup();
    const guessedTypes = ['en0'];
    readings.reading(GATHERER, 'ifconfig', { ...networkOf({ type: 'ethernet' }), guessedTypes });
    expect(network()?.type).toBe('ethernet');
    readings.reading(GATHERER, 'ifconfig', networkOf({ type: 'cellular' }));
    readings.reading(GATHERER, 'ifconfig', { ...networkOf({ type: 'ethernet' }), guessedTypes });
    expect(network()?.type).toBe('cellular');
  });

  it('remembers the type of an interface that is gone for a while, and of no other device of its name', () => {
    const { readings, network } = setup();
    readings.reading(GATHERER, 'ifconfig', networkOf({ type: 'wifi' }));
    readings.reading(GATHERER, 'ifconfig', { kind: 'network', value: { interfaces: [] } });
    readings.reading(GATHERER, 'ifconfig', networkOf({ type: unknown('no answer') }));
    expect(network()?.type).toBe('wifi');
    const other = { type: unknown('no answer'), macAddress: '02:00:00:00:00:99' };
    readings.reading(GATHERER, 'ifconfig', networkOf(other));
    expect(network()?.type).toEqual(unknown('no answer'));
  });

  it('continues after a restart with the types from the journal', () => {
    const first = setup();
    first.readings.reading(GATHERER, 'ifconfig', networkOf({ type: 'wifi' }));
    const { readings, network } = setup(first.kept);
    readings.reading(GATHERER, 'ifconfig', networkOf({ type: unknown('no answer') }));
    expect(network()?.type).toBe('wifi');
  });

  it('keeps what a bridge joins together with its type', () => {
    const { readings, network } = setup();
    readings.reading(GATHERER, 'ip', networkOf({ type: 'bridge', members: ['eno1'] }));
    const guess = { ...networkOf({ type: 'virtual' }), guessedTypes: ['en0'] };
    readings.reading(GATHERER, 'ip', guess);
    expect(network()).toMatchObject({ type: 'bridge', members: ['eno1'] });
  });

  it('reports which readings have been received', () => {
    const { readings, reported } = setup();
    readings.reading(GATHERER, 'procfs', { kind: 'memory', value: MEMORY });
    readings.absence(GATHERER, { reading: 'gpus', vendor: 'nvidia' }, 'nvidia-smi', 'no GPU');
    expect(reported).toEqual(['memory', 'gpus nvidia']);
  });
});

interface Kept {
  readonly key: NodeKey;
  readonly cluster: Cluster;
}

const setup = ({ key, cluster }: Kept = { key: generateNodeKey(), cluster: new Cluster() }) => {
  const clock = new VirtualClock();
  const notices = new Notices(() => undefined);
  const journal = createMemoryJournal({ ownNode: key.nodeId, clock });
  const recorder = new EventRecorder({ key, clock, journal, cluster, notices });
  const facts: Fact[] = [];
  const reported: string[] = [];
  const readings = new ReadingRecorder({
    nodeId: key.nodeId,
    clock,
    state: () => cluster.state,
    record: fact => {
      facts.push(fact);
      recorder.record(fact);
    },
    onPublished: name => reported.push(name),
  });
  const network = () => cluster.state.nodeNetworks[key.nodeId]?.value.interfaces[0];
  return { clock, facts, reported, readings, network, kept: { key, cluster } };
};

const networkOf = (part: Partial<NetworkInterface>): Reading<'network'> => ({
  kind: 'network',
  value: { interfaces: [{ ...EN0, ...part }] },
});

const EN0: NetworkInterface = {
  name: 'en0',
  type: unknown('not set'),
  typeEvidence: 'made up',
  macAddress: '02:00:00:00:00:01',
  isUp: true,
  speedBitsPerSecond: unknown('not reported'),
  mtuBytes: 1500,
  driver: unknown('not reported'),
  addresses: [],
  members: [],
};

const MEMORY_KIND = { reading: 'memory', vendor: 'none' } as const;

const GATHERER: Gatherer = {
  name: 'test',
  reports: [MEMORY_KIND],
  intervalMs: 1_000,
  gather: () => Promise.resolve(),
};

const MEMORY: NodeMemory = {
  totalBytes: 8e9,
  availableBytes: 5e9,
  swapTotalBytes: 0,
  swapUsedBytes: 0,
  pressure: { level: 'normal', stalledShare: 0 },
  container: { kind: 'none' },
};

const IDENTITY: NodeIdentity = {
  friendlyName: 'atlas',
  hostName: 'atlas',
  model: 'Mac Studio',
  chip: 'M3 Ultra',
  architecture: 'arm64',
  cpuCount: 32,
  operatingSystem: { platform: 'macos', name: 'macOS', version: '26.2', build: '25C56' },
  memoryIsUnified: true,
  virtualisation: 'none',
  plimsollVersion: '0.1.0',
  isSimulated: false,
};
