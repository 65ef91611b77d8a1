// A static peer as people write it: with a port, or without for the default one.

import type { HostPort } from '../../core/address/host-port.ts';
import { parseHostPort } from '../../core/address/host-port.ts';
import type { Parsed } from '../../core/figure/parse-figure.ts';

export const MESH_PORT = 4_181;

/** "atlas", "atlas.local:4181", "10.0.0.7", "fe80::1%en3", "[fe80::1%en3]:4181". */
export const peerAddress = (text: string): Parsed<HostPort> => {
  const trimmed = text.trim();
  const colons = trimmed.split(':').length - 1;
  if (colons >= 2 && !trimmed.startsWith('[')) return parseHostPort(`[${trimmed}]:${MESH_PORT}`);
  if (colons === 0 || trimmed.endsWith(']')) return parseHostPort(`${trimmed}:${MESH_PORT}`);
  return parseHostPort(trimmed);
};
