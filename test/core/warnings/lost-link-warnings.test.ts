// What a lost link is warned of: the cause that its interfaces show, and no guess before they can show one.

import { describe, expect, test } from 'vitest';
import { factOf } from '../../../src/core/event-kinds.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { clusterWarnings } from '../../../src/core/warnings/cluster-warnings.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';
import { A, B, Cluster, lost, NOW_MS, network, port, profile, socket } from '../../support/linked-nodes.ts';

const WAY = socket(B, '10.0.0.2', ['en0', 'eth0']);
const BACK = socket(A, '10.0.0.1', ['eth0', 'en0']);

const joined = (): Cluster =>
  new Cluster()
    .record(A, 0, network(port('en0')), factOf('connection.opened', WAY), profile(A, WAY, [4e8, 3e8]))
    .record(B, 0, network(port('eth0')), factOf('connection.opened', BACK));

/** Of the link alone: these nodes report little else. */
const warned = ({ state }: Cluster): readonly Warning[] =>
  clusterWarnings({
    state,
    views: nodeIds(state).map(id => nodeView(state, id, NOW_MS)),
    nowMs: NOW_MS,
  }).filter(({ id }) => /^(link lost|one way) /.test(id));

describe('the warning of a lost link', () => {
  test('names the port without a carrier, on the node where to look', () => {
    const down = port('eth0', { isUp: false });
    const found = warned(
      joined()
        .record(A, NOW_MS - 5_000, lost(WAY))
        .record(B, NOW_MS - 5_000, lost(BACK), network(down))
        .present(),
    );
    expect(found).toMatchObject([
      {
        why: expect.stringContaining('cable unplugged or port down at eth0 of'),
        command: 'ip -s link show dev eth0',
      },
    ]);
    expect(found[0]?.why).toContain('Last measured: 400');
  });

  const silent = (lostAgoMs: number): Cluster =>
    joined()
      .record(A, NOW_MS - lostAgoMs, lost(WAY))
      .record(B, NOW_MS - lostAgoMs, lost(BACK));

  test('suspects a firewall where both ports have had a carrier since', () => {
    expect(warned(silent(60_000).present())[0]?.why).toContain('a firewall');
  });

  test('waits for as long as a killed node may still look present', () => {
    expect(warned(silent(29_000).present())).toEqual([]);
    expect(warned(silent(30_000).present())).toHaveLength(1);
  });

  test('suspects nothing while a cable has just been plugged in again', () => {
    const back = silent(60_000)
      .record(B, NOW_MS - 50_000, network(port('eth0', { isUp: false })))
      .record(B, NOW_MS - 2_000, network(port('eth0')));
    expect(warned(back.present())[0]?.why).not.toContain('firewall');
  });

  test('does not claim a carrier of a port that reports none', () => {
    const mute = silent(60_000).record(
      B,
      NOW_MS - 40_000,
      network(port('eth0', { isUp: unknown('not reported') })),
    );
    expect(warned(mute.present())[0]?.why).not.toContain('carrier');
  });
});

describe('nodes that reach each other one way', () => {
  test('are no warning while one of them has just come back and the other is about to reach it', () => {
    const ways = (code: 'node-stopped' | 'node-offline') =>
      joined()
        .record(B, NOW_MS - 300_000, lost(BACK, { code }))
        .present();
    for (const code of ['node-stopped', 'node-offline'] as const) expect(warned(ways(code))).toEqual([]);
  });

  test('are a warning once the other way has been lost for a minute with both nodes there', () => {
    const since = (ms: number) =>
      warned(
        joined()
          .record(B, NOW_MS - ms, lost(BACK))
          .present(),
      );
    expect(since(59_000)).toEqual([]);
    expect(since(60_000)).toMatchObject([{ title: expect.stringContaining('but not the other way') }]);
  });
});
