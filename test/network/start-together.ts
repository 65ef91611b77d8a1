// Daemons on hosts of their own, all started in one moment, as after a power cut: how long it takes until each is linked with
// every other. For a test, which waits for that, and a benchmark, which prints it.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { createClusterKeyFile } from '../../src/mesh/key/key-file.ts';
import type { SeenLinks } from './linked-process.ts';
import { Namespaces } from './namespaces.ts';
import { segment } from './shapes.ts';

interface StartedTogether {
  /** From the start of the processes until the last daemon was up. */
  readonly upMs: number;
  /** From then until every node had a link to every other. */
  readonly meshedMs: number;
  readonly malformedFrames: number;
}

/** @throws Error when one of them ends before. */
export const startTogether = async (count: number): Promise<StartedTogether> => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-together-'));
  await using net = new Namespaces();
  try {
    const hosts = Array.from({ length: count }, (_, index) => `n${index}`);
    segment(net, hosts);
    const keyFile = join(folder, 'cluster-key');
    await createClusterKeyFile(keyFile, makeClusterKey());
    const startMs = performance.now();
    const seen = await Promise.all(
      hosts.map(name => {
        const home = join(folder, name);
        mkdirSync(home, { mode: 0o700 });
        return meshed(net, { name, home, keyFile }, count - 1);
      }),
    );
    const upAtMs = Math.max(...seen.map(one => one.upAtMs));
    return {
      upMs: upAtMs - startMs,
      meshedMs: Math.max(...seen.map(one => one.meshedAtMs)) - upAtMs,
      malformedFrames: seen.reduce((sum, one) => sum + one.malformedFrames, 0),
    };
  } finally {
    await net[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
};

interface MeshedHost {
  readonly upAtMs: number;
  readonly meshedAtMs: number;
  readonly malformedFrames: number;
}

const meshed = async (
  net: Namespaces,
  settings: { readonly name: string; readonly home: string; readonly keyFile: string },
  links: number,
): Promise<MeshedHost> => {
  const child = net.spawn(settings.name, process.execPath, [DAEMON, JSON.stringify(settings)]);
  let upAtMs: number | undefined;
  for await (const line of createInterface(child.stdout)) {
    const seen: SeenLinks = JSON.parse(line);
    upAtMs ??= performance.now();
    if (seen.links !== links) continue;
    child.stdout.resume();
    return { upAtMs, meshedAtMs: performance.now(), malformedFrames: seen.malformedFrames };
  }
  throw new Error(`${settings.name} ended before it was linked with all others`);
};

const DAEMON = fileURLToPath(new URL('./linked-process.ts', import.meta.url));
