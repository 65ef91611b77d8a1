import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { hostPortText } from '../../../src/core/address/host-port.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { CONFLICT_LASTS_MS } from '../../../src/core/node/conflict-view.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { problemText } from '../../../src/core/problem.ts';
import { startDaemon } from '../../../src/daemon/daemon.ts';
import type { Daemon } from '../../../src/daemon/daemon-options.ts';
import { ConflictNotices } from '../../../src/daemon/mesh/conflict-notices.ts';
import { makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { clusterKeyPath, createClusterKeyFile } from '../../../src/mesh/key/key-file.ts';
import type { IdentityConflict } from '../../../src/mesh/mesh.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const KEY = makeClusterKey();
const ATLAS = nodeId('a'.repeat(26));

describe('a copied home', () => {
  it('is shown by every node, and by the copy itself', async () => {
    using folder = temporaryDirectory();
    await using atlas = await started(join(folder.path, 'atlas'), 'atlas', []);
    await using juno = await started(join(folder.path, 'juno'), 'juno', [addressOf(atlas)]);
    await until(() => juno.state.nodeIdentities[atlas.nodeId] !== undefined);
    const copy = join(folder.path, 'copy');
    await mkdir(copy, { mode: 0o700 });
    await copyFile(join(folder.path, 'atlas', 'node-key.pem'), join(copy, 'node-key.pem'));
    await using twin = await started(copy, 'twin', [addressOf(juno)]);
    expect(twin.nodeId).toBe(atlas.nodeId);
    for (const daemon of [atlas, juno])
      await until(() => nodeView(daemon.state, atlas.nodeId, daemon.nowMs()).conflict !== undefined);
    await until(() => twin.notices.some(({ code }) => code === 'identity-copied'));
    expect(nodeView(juno.state, juno.nodeId, juno.nowMs()).conflict).toBeUndefined();
    expect(juno.state.nodeIdentities[atlas.nodeId]?.value.friendlyName, 'who was first is kept').toBe(
      'atlas',
    );
  });
});

describe('what a daemon reports of a copied home', () => {
  const made = () => {
    const clock = new VirtualClock();
    const facts: Fact[] = [];
    const shown = new Map<string, string>();
    let report: (conflict: IdentityConflict) => void = () => undefined;
    const notices = new ConflictNotices({
      clock,
      record: fact => facts.push(fact),
      notices: {
        raise: notice => void shown.set(notice.id, problemText(notice)),
        clear: id => void shown.delete(id),
      },
      transport: {
        onConflict: listener => {
          report = listener;
          return () => undefined;
        },
      },
    });
    const conflict = (isOwn: boolean, port: number): IdentityConflict => ({
      nodeId: ATLAS,
      isOwn,
      firstAddress: { host: '10.0.0.1', port: 4_181 },
      secondAddress: { host: '10.0.0.9', port },
    });
    return { clock, facts, shown, notices, conflict, report: (one: IdentityConflict) => report(one) };
  };

  it('is a fact about any node, and a notice only where it is this one', () => {
    const { facts, shown, conflict, report } = made();
    report(conflict(false, 50_001));
    expect(facts).toEqual([
      { kind: 'conflict.seen', payload: { subject: ATLAS, addresses: ['10.0.0.1:4181', '10.0.0.9:50001'] } },
    ]);
    expect(shown.size).toBe(0);
    report(conflict(true, 50_002));
    expect([...shown.values()].join()).toContain('its home folder is a copy');
  });

  it('is not repeated for every dial, though each comes from another port', async () => {
    const { clock, facts, conflict, report } = made();
    for (let port = 50_000; port < 50_100; port += 1) report(conflict(false, port));
    expect(facts.length).toBe(1);
    await clock.advance(6_000);
    report(conflict(false, 50_200));
    expect(facts.length).toBe(2);
  });

  it('is taken back when the copy is gone', async () => {
    const { clock, shown, notices, conflict, report } = made();
    const stop = new AbortController();
    const running = notices.run(stop.signal);
    report(conflict(true, 50_001));
    await clock.advance(CONFLICT_LASTS_MS / 2);
    report(conflict(true, 50_002));
    await clock.advance(CONFLICT_LASTS_MS * 0.9);
    expect(shown.size).toBe(1);
    await clock.advance(CONFLICT_LASTS_MS / 2);
    expect(shown.size).toBe(0);
    stop.abort();
    await running;
  });
});

const started = async (home: string, name: string, peers: readonly string[]): Promise<Daemon> => {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await createClusterKeyFile(clusterKeyPath(home), KEY);
  return await startDaemon(
    {
      home,
      env: process.env,
      http: { host: '127.0.0.1', port: 0 },
      name,
      mesh: { keyFile: undefined, listen: { host: '127.0.0.1', port: 0 }, peers },
      clock: systemClock,
      platform: process.platform,
      root: '/',
      version: '0.0.0',
      dashboardDir: undefined,
      pid: process.pid,
      resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
      onNotice: () => undefined,
    },
    new AbortController().signal,
  );
};

const addressOf = ({ meshAddress }: Daemon): string => {
  if (meshAddress === undefined) throw new Error('the daemon has no mesh');
  return hostPortText(meshAddress);
};

/** State has no event for "this holds now": looked at again and again, within the test's own limit. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await systemClock.sleep(10, new AbortController().signal);
};
