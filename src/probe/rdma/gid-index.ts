// RoCE addresses are GIDs, and a port has several: by version and by address family. RoCE v2 over IPv4 passes routers
// and is the usual choice. InfiniBand ports need no index.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const gidIndexOf = (
  { device, port }: { readonly device: string; readonly port: number },
  root: string,
): number | undefined => {
  const folder = join(root, 'sys/class/infiniband', device, 'ports', String(port));
  if (textOf(join(folder, 'link_layer')) !== 'Ethernet') return undefined;
  const candidates = namesOf(join(folder, 'gid_attrs/types'))
    .filter(name => /^\d{1,3}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
    .slice(0, INDICES_MAX)
    .map(index => ({
      index,
      type: textOf(join(folder, 'gid_attrs/types', String(index))),
      gid: textOf(join(folder, 'gids', String(index))),
    }))
    .filter(({ type, gid }) => /v2/i.test(type) && /^[0-9a-f:]+$/i.test(gid) && !/^[0:]+$/.test(gid));
  const overIpv4 = candidates.find(({ gid }) => /^(?:0000:){5}ffff:/i.test(gid));
  const global = candidates.find(({ gid }) => !/^fe80:/i.test(gid));
  return (overIpv4 ?? global ?? candidates[0])?.index;
};

/** '' if there is nothing to read: indices without a GID give an error. */
const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
};

const namesOf = (path: string): readonly string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

const INDICES_MAX = 256;
