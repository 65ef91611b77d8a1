// What both ends of an RDMA probe need from their machine: the tool, its access to the fabric, and what ends a tool with its process.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Env } from '../../process/child.ts';
import { gidIndexOf } from './gid-index.ts';
import { jaccl } from './jaccl.ts';
import { perftest } from './perftest.ts';
import type { RdmaEndpoint, RdmaEngineName, RdmaTool } from './rdma-tool.ts';
import { ucx } from './ucx.ts';

export const RDMA_TOOLS: { readonly [K in RdmaEngineName]: RdmaTool } = {
  perftest,
  ucx,
  'mlx-jaccl': jaccl,
};

interface RdmaEnd {
  readonly device: string;
  readonly devicePort: number;
  readonly transport: 'rdma' | 'tcp';
}

export const endpointOf = ({ device, devicePort, transport }: RdmaEnd, root = '/'): RdmaEndpoint => ({
  device,
  port: devicePort,
  transport,
  gidIndex: transport === 'rdma' ? gidIndexOf({ device, port: devicePort }, root) : undefined,
});

/** Engines whose programs are all on PATH, in the given order. */
export const installedEngines = async (
  engines: readonly RdmaEngineName[],
  env: Env,
): Promise<readonly RdmaEngineName[]> => {
  const found: RdmaEngineName[] = [];
  for (const engine of engines) {
    const isThere = await Promise.all(RDMA_TOOLS[engine].programs.map(program => isOnPath(program, env)));
    if (!isThere.includes(false)) found.push(engine);
  }
  return found;
};

/** Preferred one first. */
export const enginesOf = (platform: string): readonly RdmaEngineName[] =>
  platform === 'darwin' ? ['mlx-jaccl'] : ['perftest', 'ucx'];

/** For a tool: without the user's shell settings for it and our ticket. */
export const toolEnv = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(UCX|MLX|JACCL|PLIMSOLL)_/.test(name)));

/**
 * What makes a tool die with the process that started it, however that dies: Linux' parent-death signal, by util-linux.
 * Elsewhere a tool whose probe was killed with kill -9 lives until its peer is gone.
 */
export const parentDeathPrefix = async (platform: string, env: Env): Promise<readonly string[]> =>
  platform === 'linux' && (await isOnPath('setpriv', env)) ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [];

export const isOnPath = async (program: string, env: Env): Promise<boolean> => {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    try {
      await access(join(folder, program), constants.X_OK);
      return true;
    } catch {
      // The next folder.
    }
  }
  return false;
};
