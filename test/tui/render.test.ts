import { describe, expect, test } from 'vitest';
import { applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import type { DiskTraffic } from '../../src/core/node/disk-traffic.ts';
import type { Reading } from '../../src/core/node/reading.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { unknown } from '../../src/core/unknown.ts';
import { renderSummary } from '../../src/tui/render.ts';
import { renderStatus } from '../../src/tui/render-status.ts';
import { pressedFact } from '../support/pressed.ts';

const atlas = nodeId('a'.repeat(26));
const juno = nodeId('j'.repeat(26));
const plain = { columns: 100, color: false, isUnicode: true };

/** The facts that nodes reported at moment 0, each durable one once. */
const stateOf = (...reported: readonly (readonly [ReturnType<typeof nodeId>, ...Fact[]])[]): State =>
  applyAll(
    EMPTY_STATE,
    reported.flatMap(([origin, ...facts]) => {
      let durable = 0;
      return facts.map((fact, index): Event => {
        const kind = eventClass(fact.kind);
        const seq = kind === 'durable' ? ++durable : index + 1;
        return { ...fact, origin, epoch: 1, class: kind, seq, key: factKey(fact), ageMs: 0, receivedAtMs: 0 };
      });
    }),
  );

const gathered = (reading: Reading, intervalMs = 1_000): Fact => {
  const payload = { source: 'test', intervalMs };
  switch (reading.kind) {
    case 'identity':
      return { kind: 'identity.gathered', payload: { ...payload, value: reading.value } };
    case 'memory':
      return { kind: 'memory.gathered', payload: { ...payload, value: reading.value } };
    case 'system':
      return { kind: 'system.gathered', payload: { ...payload, value: reading.value } };
    case 'network':
      return { kind: 'network.gathered', payload: { ...payload, value: reading.value } };
    case 'gpus':
      return { kind: 'gpus.gathered', payload: { ...payload, value: reading.value } };
    case 'gpuLoads':
      return { kind: 'gpuLoads.gathered', payload: { ...payload, value: reading.value } };
    default:
      throw new TypeError(`no ${reading.kind} here`);
  }
};

const identity = (friendlyName: string): Fact =>
  gathered({
    kind: 'identity',
    value: {
      friendlyName,
      hostName: friendlyName,
      model: 'Test Machine',
      chip: 'Test Chip 9',
      architecture: 'arm64',
      cpuCount: 20,
      operatingSystem: { platform: 'linux', name: 'Testix', version: '9', build: '6.12.1' },
      memoryIsUnified: true,
      virtualisation: 'none',
      plimsollVersion: '1.2.3',
      isSimulated: false,
    },
  });

const memory = (): Fact =>
  gathered({
    kind: 'memory',
    value: {
      totalBytes: 512e9,
      availableBytes: 194e9,
      swapTotalBytes: 0,
      swapUsedBytes: 0,
      pressure: { level: 'warning', stalledShare: 0.1 },
      container: { kind: 'limited', limitBytes: 64e9, usedBytes: 1e9 },
    },
  });

const system = (): Fact =>
  gathered({
    kind: 'system',
    value: {
      cpuUse: 0.114,
      cpuTemperatureCelsius: unknown('no sensor'),
      cpuPowerWatts: 38.4,
      systemPowerWatts: unknown('no sensor for the whole machine'),
      loadAverage1: 1.5,
      uptimeSeconds: 41 * 86_400,
      cpuClusters: [],
    },
  });

const twoGpus = (): Fact[] => {
  const devices = [0, 1].map(index => ({
    deviceId: `gpu-${index}`,
    index,
    name: 'Test GPU',
    memoryTotalBytes: 24e9,
    memoryIsUnified: false,
    driver: '1',
    runtime: unknown('not set'),
    architecture: unknown('not set'),
    coreCount: unknown('not set'),
    pcieMax: unknown('not set'),
    powerLimitWatts: 450,
    partitions: [],
  }));
  const loads = devices.map(({ deviceId, index }) => ({
    deviceId,
    use: index === 0 ? 0.71 : 0.63,
    memoryUsedBytes: 19.9e9,
    temperatureCelsius: 64,
    powerWatts: 268,
    clockMhz: 2_400,
    pcieNow: unknown('not set'),
    throttleReasons: index === 0 ? [] : ['hot'],
  }));
  return [
    gathered({ kind: 'gpus', value: { vendor: 'nvidia', devices } }),
    gathered({ kind: 'gpuLoads', value: { vendor: 'nvidia', devices: loads } }),
  ];
};

const eth0 = (): Fact =>
  gathered({
    kind: 'network',
    value: {
      interfaces: [
        {
          name: 'eth0',
          type: 'ethernet',
          typeEvidence: 'test',
          macAddress: unknown('hidden'),
          isUp: true,
          speedBitsPerSecond: 10e9,
          mtuBytes: 1_500,
          driver: 'test',
          addresses: [{ address: '192.0.2.7', family: 'ipv4', prefixLength: 24, scope: 'global' }],
          members: [],
        },
      ],
    },
  });

/** The node keeps reporting, so that it is not stale. */
const seenAt = (state: State, nowMs: number): State => ({
  ...state,
  origins: { ...state.origins, [atlas]: { epoch: 1, seq: 1_000, receivedAtMs: nowMs } },
});

const everything = (): State => stateOf([atlas, identity('atlas'), memory(), system(), ...twoGpus(), eth0()]);

describe('the summary of a machine', () => {
  test('lists a GPU that is lost below the others, with its address and the reason', () => {
    const [gpus, loads] = twoGpus();
    if (gpus?.kind !== 'gpus.gathered' || loads === undefined) throw new TypeError('no GPUs');
    const lost = {
      deviceId: 'gpu-2',
      name: 'Test GPU',
      index: 2,
      pciAddress: '0000:34:00.0',
      state: 'lost' as const,
      reason: 'Unknown Error',
    };
    const value = { ...gpus.payload.value, failed: [lost] };
    const state = stateOf([atlas, identity('atlas'), gathered({ kind: 'gpus', value }), loads]);
    expect(renderSummary(state, atlas, 400, plain)).toContain(
      '  GPU 2        Test GPU · is lost: Unknown Error · 0000:34:00.0',
    );
  });

  test('shows each reading with its figures, units and ages', () => {
    expect(renderSummary(everything(), atlas, 400, plain)).toEqual([
      'atlas · Test Machine',
      '  Chip         Test Chip 9 · 20 CPUs · arm64 · unified memory                                  0.4 s',
      '  System       Testix 9 · 6.12.1 · up 41 days                                                  0.4 s',
      '  Host memory  ██████████░░░░░░ 318 of 512 GB · 62 % · pressure warning · no swap              0.4 s',
      '               container limit 64 GB',
      '  CPU          11 % · temperature – (no sensor) · power 38 W · load 1.50                       0.4 s',
      '  GPU 0        Test GPU · memory 19.9 of 24 GB · use 71 % · temperature 64 °C · power 268 W    0.4 s',
      '  GPU 1        Test GPU · memory 19.9 of 24 GB · use 63 % · temperature 64 °C · power 268 W    0.4 s',
      '               throttled: hot',
      '  Network      eth0 · ethernet · speed 10 Gb/s · 192.0.2.7/24                                  0.4 s',
      '  RDMA         measuring',
      '  Disk         measuring',
    ]);
  });

  test('shows memory of GPUs that is not the host’s, and what is set aside for a GPU', () => {
    const { kind, payload } = memory();
    if (kind !== 'memory.gathered') throw new Error('no memory');
    const [gpus, loads] = twoGpus();
    if (gpus?.kind !== 'gpus.gathered' || loads === undefined) throw new Error('no GPUs');
    const devices = gpus.payload.value.devices
      .slice(0, 1)
      .map(device => ({ ...device, memoryIsUnified: true, memoryReservedBytes: 4e9 }));
    const lines = renderSummary(
      stateOf([
        atlas,
        { kind, payload: { ...payload, value: { ...payload.value, gpuNodeBytes: 97e9 } } },
        { ...gpus, payload: { ...gpus.payload, value: { ...gpus.payload.value, devices } } },
        loads,
      ]),
      atlas,
      400,
      plain,
    ).join('\n');
    expect(lines).toContain('GPU memory, not counted here 97 GB');
    expect(lines).toMatch(/memory 19.9 of 24 GB · set aside by firmware 4 GB/);
  });

  test('keeps a stale value and reports that it is stale, how old and why', () => {
    const lines = renderSummary(everything(), atlas, 61_000, plain);
    const memoryLine = lines.find(line => line.startsWith('  Host memory'));
    expect(memoryLine).toMatch(/stale: test has sent nothing new .* 318 of 512 GB .*1 min$/);
  });

  test('shows why a reading is missing, and distinguishes that from a machine that has none', () => {
    const failed = (reading: 'memory' | 'rdmaDevices', kind: 'reading.failed' | 'reading.absent'): Fact => ({
      kind,
      payload: { reading, vendor: 'none', source: 'tool', intervalMs: 1_000, reason: 'tool: not installed' },
    });
    const state = stateOf([
      atlas,
      failed('memory', 'reading.failed'),
      failed('rdmaDevices', 'reading.absent'),
    ]);
    const lines = renderSummary(state, atlas, 0, plain);
    expect(lines).toContain('  Memory       – (tool: not installed)');
    expect(lines).toContain('  RDMA         none: tool: not installed');
    expect(lines[0]).toBe('aaaaaaaa');
  });

  test('shows for what tasks wait, of the host, if the machine reports it', () => {
    const state = stateOf([atlas, identity('atlas'), pressedFact('group')]);
    expect(renderSummary(state, atlas, 400, plain)).toContainEqual(
      expect.stringMatching(/^ {2}Pressure +CPU 32 % · Memory 8 % · I\/O – \(permission denied\)/),
    );
    const silent = renderSummary(everything(), atlas, 400, plain);
    expect(silent.filter(line => line.includes('Pressure'))).toEqual([]);
  });

  test('reports of a disk whose traffic is not known yet, and of one that carries nothing that', () => {
    const none = { readBytesPerSecond: 0, writtenBytesPerSecond: 0, readsPerSecond: 0, writesPerSecond: 0 };
    const rowOf = (rates: DiskTraffic['rates']): string | undefined => {
      const disk = { name: 'nvme0n1', readBytes: 1, writtenBytes: 1, reads: 1, writes: 1, busyMs: 1, rates };
      const reported: Fact = {
        kind: 'diskTraffic.gathered',
        payload: { source: 'procfs', intervalMs: 1_000, value: { devices: [disk] } },
      };
      const rows = renderSummary(stateOf([atlas, identity('atlas'), reported]), atlas, 400, plain);
      return rows.find(row => row.includes('Disk traffic'));
    };
    expect(rowOf(unknown('needs two readings'))).toMatch(/nvme0n1 · – \(needs two readings\)/);
    expect(rowOf({ ...none, busyShare: 0 })).toMatch(/nothing now/);
  });

  test('of nothing at all is all measuring', () => {
    const [, ...rows] = renderSummary(EMPTY_STATE, atlas, 0, plain);
    expect(rows.every(row => row.endsWith('measuring'))).toBe(true);
  });

  test('fits the columns of the terminal, however few', () => {
    for (const columns of [50, 60, 72, 80, 132]) {
      for (const line of renderSummary(everything(), atlas, 400, { ...plain, columns })) {
        expect([line, line.length <= columns]).toEqual([line, true]);
      }
    }
  });

  test('has no colour unless it is asked for, and ASCII only where the terminal has no more', () => {
    expect(renderSummary(everything(), atlas, 0, { ...plain, color: true }).join('')).toContain('\u001b[1m');
    const ascii = renderSummary(everything(), atlas, 0, { ...plain, isUnicode: false }).join('\n');
    expect(ascii).toMatch(/^[\n\u0020-\u007e]+$/);
    expect(ascii).toContain('##########......');
  });

  test('never passes what a name has in it on to the terminal as an order', () => {
    const state = stateOf([atlas, identity('at\u001b[2Jlas\u202e\n')]);
    expect(renderSummary(state, atlas, 0, plain)[0]).toBe('at[2Jlas · Test Machine');
  });
});

describe('the table of nodes', () => {
  test('has one row a node', () => {
    const state = stateOf(
      [atlas, identity('atlas'), memory(), system(), ...twoGpus(), eth0()],
      [juno, identity('juno'), memory()],
    );
    expect(renderStatus(state, 400, [], { ...plain, columns: 120 })).toEqual([
      '  Node                 Host memory     GPU memory   CPU      GPU   Temp  Power  FP16  Mem. read  Network         Age',
      '● atlas  ██████░░░░  318 of 512 GB  39.8 of 48 GB  11 %  71 % ×2  64 °C  574 W     –          –  10 Gb/s eth0  0.4 s',
      '● juno   ██████░░░░  318 of 512 GB                    –        –      –      –     –          –  –             0.4 s',
      '',
      '2 nodes: 2 up · no connections',
      '',
      'atlas: GPU 1 is throttled. Reason under load: hot. Measurements are below what it can do.',
      '  On atlas: nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE',
    ]);
  });

  test('is in the order of names, with the answering machine marked', () => {
    const state = stateOf([atlas, identity('vesta'), memory()], [juno, identity('ceres'), memory()]);
    const rows = renderStatus(state, 400, [], { ...plain, columns: 120, self: juno });
    expect(rows.slice(1, 3).map(row => row.slice(0, 14))).toEqual(['● ceres (here)', '● vesta       ']);
    const alone = renderStatus(stateOf([juno, identity('ceres')]), 400, [], { ...plain, self: juno });
    expect(alone[1]).toMatch(/^● ceres +Test/);
  });

  test('lets columns go that do not fit, never the name, the memory and the age', () => {
    const [, row] = renderStatus(everything(), 400, [], { ...plain, columns: 40 });
    expect(row).toMatch(/^● atlas .*318 of 512 GB.*0.4 s$/);
    expect(row?.length).toBeLessThanOrEqual(40);
  });

  test('reports in words what is stale or offline, and what a person should know', () => {
    const stale = renderStatus(
      seenAt(everything(), 20_000),
      20_000,
      [{ problem: 'The config is broken.', advice: 'Fix it.' }],
      plain,
    );
    expect(stale.join('\n')).toMatch(
      /atlas: \d readings are stale\. test has sent nothing new\. Age: .*Memory 20 s/,
    );
    expect(stale).toContain('  On atlas: plimsoll doctor');
    expect(stale.slice(-2)).toEqual(['The config is broken.', 'Fix it.']);
    const [, silent] = renderStatus(everything(), 12_000, [], plain);
    expect(silent).toMatch(/^○ atlas .* stale 12 s$/);
    const [, gone, ...rest] = renderStatus(everything(), 200_000, [], plain);
    expect(gone).toMatch(/^× atlas .* offline 3 min$/);
    expect(rest.slice(1)).toEqual([
      expect.stringMatching(/^atlas stopped answering 3 min ago/),
      '  On atlas: plimsoll status',
    ]);
  });

  test('loses no word of what it reports on a screen that cuts what is past its edge', () => {
    const reported = 'No connection for 5 s: the daemon at http://127.0.0.1:4180 does not answer.';
    const lines = renderStatus(seenAt(everything(), 20_000), 20_000, [{ problem: reported, advice: '' }], {
      ...plain,
      columns: 32,
      isCutAtEdge: true,
    });
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(32);
    expect(lines.join(' ').replace(/ +/g, ' ')).toContain(reported);
    expect(lines.join(' ').replace(/ +/g, ' ')).toMatch(/atlas: \d readings are stale. test has sent/);
  });

  test('wraps its sentences on a terminal, but no command, which is copied', () => {
    const columns = 20;
    const lines = renderStatus(everything(), 200_000, [], { ...plain, columns, isTerminal: true });
    const first = lines.findIndex(line => line.startsWith('atlas stopped'));
    const sentence = lines.slice(first, lines.indexOf('  On atlas: plimsoll status'));
    expect(sentence.length).toBeGreaterThan(1);
    for (const line of sentence) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines).toContain('  On atlas: plimsoll status');
  });

  test('leaves a line whole where the terminal wraps it, or a program reads it', () => {
    const reported =
      'The journal could not be written: the disk is full, and nothing that was stored is lost.';
    expect(
      renderStatus(everything(), 400, [{ problem: reported, advice: '' }], { ...plain, columns: 40 }),
    ).toContain(reported);
  });

  test('of an empty cluster reports it', () => {
    expect(renderStatus(EMPTY_STATE, 0, [], plain)).toEqual(['No node has reported yet.']);
  });
});
