// The number that the system has for a socket of Node. There is no documented way to it; where the undocumented one ends
// (Windows, a future Node), probes go through the event loop and say so.

import type { Socket } from 'node:net';

/** undefined where there is none. */
export const descriptorOf = (socket: Socket): number | undefined => {
  const handle: unknown = '_handle' in socket ? socket._handle : undefined;
  if (typeof handle !== 'object' || handle === null || !('fd' in handle)) return undefined;
  const { fd } = handle;
  return typeof fd === 'number' && fd >= 0 ? fd : undefined;
};
