// Faults of links that no simulated cluster has: paths of two simulated servers, changed by hand.

import { describe, expect, test } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { enginePlan } from '../../../src/core/wiring/engine-plan.ts';
import { type WiredCluster, type WiredPath, wiredCluster } from '../../../src/core/wiring/wired-cluster.ts';
import type { WiringEngine, WiringFinding } from '../../../src/core/wiring/wiring-plan.ts';
import { SimulatedWorld, stateOf } from '../../simulate/simulated-world.ts';
import { WIRING_CLUSTERS } from './wiring-clusters.ts';

describe('what is wrong with the links', () => {
  test('are RDMA cables that lead from the first port to the second and back', async () => {
    const cluster = await servers();
    const [first, second, ...rest] = pathsOf(cluster).filter(({ kind }) => kind === 'rdma');
    if (first === undefined || second === undefined) throw new Error('the servers have no rails');
    const crossed = [
      { ...first, ends: [first.ends[0], second.ends[1]] as const },
      { ...second, ends: [second.ends[0], first.ends[1]] as const },
    ];
    expect(kindsOf(withPaths(cluster, [first, second, ...rest]), 'nccl')).not.toContain('crossed-ports');
    expect(findingsOf(withPaths(cluster, [...crossed, ...rest]), 'nccl')).toContainEqual(
      expect.objectContaining({
        kind: 'crossed-ports',
        title: 'gpu-1 and gpu-2: the cables of their RDMA ports are crossed',
        why: expect.stringContaining('mlx5_0 leads to mlx5_1, mlx5_1 leads to mlx5_0'),
      }),
    );
    const switched = [first, ...crossed, second, ...rest];
    expect(kindsOf(withPaths(cluster, switched), 'nccl')).not.toContain('crossed-ports');
  });

  test('is RDMA that is there and was not measured, with the command that measures it', async () => {
    const cluster = await servers();
    const unmeasured = pathsOf(cluster).map(path =>
      path.kind === 'rdma' ? { ...path, bitsPerSecond: unknown('the probe failed: no perftest') } : path,
    );
    expect(findingsOf(withPaths(cluster, unmeasured), 'nccl')).toContainEqual(
      expect.objectContaining({
        kind: 'rdma-unmeasured',
        why: 'The probe failed: no perftest.',
        steps: [{ on: 'gpu-1', command: 'plimsoll probe link gpu-2' }],
      }),
    );
    expect(kindsOf(withPaths(cluster, unmeasured), 'llama.cpp')).not.toContain('rdma-unmeasured');
  });

  test('is a path whose rate is unknown, and two nodes without any, but not for Ollama', async () => {
    const cluster = await servers();
    const unmeasured = pathsOf(cluster).map(path => ({
      ...path,
      bitsPerSecond: unknown('not measured yet'),
    }));
    expect(kindsOf(withPaths(cluster, unmeasured), 'llama.cpp')).toContain('unmeasured');
    expect(kindsOf(withPaths(cluster, []), 'llama.cpp')).toEqual(['unreachable']);
    expect(kindsOf(withPaths(cluster, []), 'ollama')).toEqual([]);
  });

  test('is a packet of 1,500 bytes on 25 Gb/s and faster, with what larger ones would carry', async () => {
    const cluster = await servers();
    const fast = pathsOf(cluster).map(path => ({ ...path, negotiatedBitsPerSecond: 100e9 }));
    const found = findingsOf(withPaths({ ...cluster, nodes: withMtu(cluster, 1_500) }, fast), 'ray');
    expect(found.map(({ kind }) => kind)).toContain('small-mtu');
    const jumbo = findingsOf(withPaths({ ...cluster, nodes: withMtu(cluster, 9_000) }, fast), 'ray');
    expect(jumbo.map(({ kind }) => kind)).not.toContain('small-mtu');
  });
});

describe('what concerns nodes that the settings do not connect', () => {
  test('comes last, as a remark, for two servers of llama.cpp and for nodes that are not neighbours in a ring', async () => {
    for (const [engine, isJoined] of [
      ['llama.cpp', (names: readonly string[]) => names.includes('atlas')],
      [
        'mlx',
        (names: readonly string[]) => names.join() !== 'hermes,theia' && names.join() !== 'atlas,selene',
      ],
    ] as const) {
      const { findings } = enginePlan(await clusterOf('mac-mesh'), engine, undefined);
      const ofPairs = findings.filter(({ nodes }) => nodes.length === 2);
      expect(ofPairs.map(({ isRemark }) => isRemark)).toContain(true);
      for (const { nodes, isRemark, level } of ofPairs) {
        expect(isRemark, nodes.join()).toBe(!isJoined(nodes));
        if (isRemark) expect(level).toBe('note');
      }
      const remarks = findings.map(({ isRemark }) => isRemark);
      expect(remarks).toEqual(remarks.toSorted((a, b) => Number(a) - Number(b)));
    }
  });

  test('does not exist for collectives, which join every two', async () => {
    const { findings } = enginePlan(await clusterOf('infiniband'), 'nccl', undefined);
    expect(findings.filter(({ isRemark }) => isRemark)).toEqual([]);
  });
});

const clusterOf = async (name: string): Promise<WiredCluster> => {
  const scenario = WIRING_CLUSTERS.find(one => one.name === name);
  if (scenario === undefined) throw new Error(`there is no cluster ${name}`);
  await using world = new SimulatedWorld(scenario);
  await world.clock.advance(240_000);
  return wiredCluster(stateOf(world), world.clock.nowMs(), undefined);
};

const servers = (): Promise<WiredCluster> => clusterOf('roce');

const pathsOf = ({ pairs: [pair] }: WiredCluster): readonly WiredPath[] => pair?.paths ?? [];

/** Between the nodes of the cluster, which are two. */
const withPaths = ({ nodes }: WiredCluster, paths: readonly WiredPath[]): WiredCluster => {
  const [one, other] = nodes;
  if (one === undefined || other === undefined) throw new Error('there are not two nodes');
  const ends = paths.map(path => ({
    ...path,
    ends: [
      { ...path.ends[0], node: one },
      { ...path.ends[1], node: other },
    ] as const,
  }));
  return { nodes, pairs: [{ nodes: [one, other], paths: ends }] };
};

/** Of every interface. */
const withMtu = ({ nodes }: WiredCluster, mtuBytes: number): WiredCluster['nodes'] =>
  nodes.map(node => {
    const { network } = node;
    if (network.kind !== 'current' && network.kind !== 'stale') throw new Error('no network is reported');
    const interfaces = network.value.interfaces.map(one => ({ ...one, mtuBytes }));
    return { ...node, network: { ...network, value: { ...network.value, interfaces } } };
  });

const findingsOf = (cluster: WiredCluster, engine: WiringEngine): readonly WiringFinding[] =>
  enginePlan(cluster, engine, undefined).findings;

const kindsOf = (cluster: WiredCluster, engine: WiringEngine): readonly string[] =>
  findingsOf(cluster, engine).map(({ kind }) => kind);
