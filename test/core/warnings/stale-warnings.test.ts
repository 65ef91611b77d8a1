import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { clusterWarnings } from '../../../src/core/warnings/cluster-warnings.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';

describe('sources that have stopped', () => {
  test('are one card a cause, however many readings and nodes it is of', () => {
    const names = ['atlas', 'bosun', 'juno', 'vega'];
    const warnings = warningsOf(
      clusterOf(names.map(name => ({ name, memoryAgeMs: 40_000, systemAgeMs: 38_000 }))),
    );
    expect(warnings).toMatchObject([
      {
        title: 'Readings of 4 nodes are stale',
        nodes: names.map(idOf),
        why: expect.stringContaining('atlas: Memory 40\u00a0s, System 38\u00a0s; bosun: Memory'),
      },
    ]);
  });

  test('are separate if the sources give reasons of their own', () => {
    const state = clusterOf([
      { name: 'atlas', memoryAgeMs: 40_000 },
      { name: 'juno', systemAgeMs: 40_000, failure: 'macmon: permission denied' },
    ]);
    expect(warningsOf(state)).toMatchObject([
      { title: 'atlas: Memory is stale', command: 'plimsoll doctor' },
      { title: 'juno: System is stale', why: expect.stringContaining('macmon: permission denied') },
    ]);
  });

  test('are no warning while they are silent for a moment, as sources of a busy host are', () => {
    expect(warningsOf(clusterOf([{ name: 'atlas', memoryAgeMs: 6_000, systemAgeMs: 9_000 }]))).toEqual([]);
  });

  test('are not called unreadable where config.toml is only late', () => {
    const titles = (reason?: string): readonly string[] =>
      warningsOf(clusterOf([{ name: 'atlas', configAgeMs: 40_000, configFailure: reason }])).map(
        ({ title }) => title,
      );
    expect(titles()).toEqual(['atlas: Config is stale']);
    expect(titles('line 3: no such key')).toEqual(['atlas: config.toml cannot be read']);
  });

  test('come after every fault, so that they do not bury a broken cable', () => {
    const macs = [
      { name: 'atlas', memoryAgeMs: 40_000, macBuild: '25C56' },
      { name: 'juno', macBuild: '25C99' },
    ];
    const ids = warningsOf(clusterOf(macs)).map(({ id }) => id);
    expect(ids).toEqual([expect.stringMatching('^builds'), expect.stringMatching('^stale')]);
  });

  test('keep their name while more readings of the same cause turn stale, so that a hidden card stays hidden', () => {
    const [one] = warningsOf(clusterOf([{ name: 'atlas', memoryAgeMs: 40_000, systemAgeMs: 30_000 }]));
    const [more] = warningsOf(
      clusterOf([
        { name: 'atlas', memoryAgeMs: 55_000, systemAgeMs: 45_000 },
        { name: 'juno', memoryAgeMs: 40_000, systemAgeMs: 40_000 },
      ]),
    );
    expect(one?.id).toBe(more?.id);
  });
});

interface ReportedState {
  readonly name: string;
  readonly memoryAgeMs?: number;
  readonly systemAgeMs?: number;
  /** Of its system reading. */
  readonly failure?: string;
  readonly configAgeMs?: number;
  readonly configFailure?: string | undefined;
  readonly macBuild?: string;
}

const NOW = 200_000;
const REST = unknown('not reported');
const idOf = (name: string): NodeId => nodeId(name.padEnd(26, '0'));

const warningsOf = (state: State): readonly Warning[] =>
  clusterWarnings({ state, views: nodeIds(state).map(id => nodeView(state, id, NOW)), nowMs: NOW });

const entry = <T>(value: T, ageMs = 0, source = 'procfs') => ({
  value,
  epoch: 1,
  seq: 1,
  ageMs: 0,
  receivedAtMs: NOW - ageMs,
  source,
  intervalMs: 1_000,
});

const failedStatus = (reading: 'system' | 'config', source: string, reason: string) =>
  entry({ kind: 'failed' as const, reading, vendor: 'none' as const, source, intervalMs: 1_000, reason });

const clusterOf = (nodes: readonly ReportedState[]): State => {
  const of = <T>(part: (reported: ReportedState) => T) =>
    Object.fromEntries(nodes.map(reported => [idOf(reported.name), part(reported)]));
  return {
    ...EMPTY_STATE,
    origins: of(() => ({ epoch: 1, seq: 1, receivedAtMs: NOW })),
    nodeIdentities: of(({ name, macBuild }) =>
      entry({
        friendlyName: name,
        hostName: name,
        model: REST,
        chip: REST,
        architecture: 'arm64' as const,
        cpuCount: 8,
        operatingSystem:
          macBuild === undefined
            ? { platform: 'linux' as const, name: 'Linux', version: '6', build: REST }
            : { platform: 'macos' as const, name: 'macOS', version: '26.2', build: macBuild },
        memoryIsUnified: false,
        virtualisation: 'none' as const,
        plimsollVersion: '0.0.0',
        isSimulated: false,
      }),
    ),
    nodeMemories: of(({ memoryAgeMs }) =>
      entry(
        {
          totalBytes: 64e9,
          availableBytes: 32e9,
          swapTotalBytes: 16e9,
          swapUsedBytes: 0,
          pressure: { level: 'normal' as const, stalledShare: 0 },
          container: { kind: 'none' as const },
        },
        memoryAgeMs,
      ),
    ),
    nodeSystems: of(({ systemAgeMs }) =>
      entry(
        {
          cpuUse: 0.1,
          cpuTemperatureCelsius: REST,
          cpuPowerWatts: REST,
          systemPowerWatts: REST,
          loadAverage1: 1,
          uptimeSeconds: 1,
          cpuClusters: [],
        },
        systemAgeMs,
        'macmon',
      ),
    ),
    nodeConfigs: of(({ configAgeMs }) =>
      entry(
        {
          tags: [],
          site: REST,
          rack: REST,
          machineKind: REST,
          ignoredInterfaces: [],
          staticPeerCount: 0,
          probes: { isEnabled: true, gpuTtlSeconds: 1, socketTtlSeconds: 1, rdmaTtlSeconds: 1 },
          makesLoad: false,
          webhooks: [],
          servedEndpoints: [],
        },
        configAgeMs,
        'config.toml',
      ),
    ),
    readingStatuses: of(({ failure, configFailure }) => ({
      ...(failure === undefined ? {} : { system: failedStatus('system', 'macmon', failure) }),
      ...(configFailure === undefined
        ? {}
        : { config: failedStatus('config', 'config.toml', configFailure) }),
    })),
  };
};
