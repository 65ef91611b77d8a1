// Which engine the machine has.

import { loadSockets } from '../../native/sockets.ts';
import type { Env } from '../../process/child.ts';
import { EventLoopStreams } from './event-loop-streams.ts';
import type { StreamEngine } from './stream.ts';
import { StreamThreads } from './stream-threads.ts';

/** "off" keeps probes on the event loop: for a machine on which foreign calls misbehave. */
const FFI_VARIABLE = 'PLIMSOLL_FFI';

export const openStreamEngine = async (env: Env, platform: string): Promise<StreamEngine> => {
  if (env[FFI_VARIABLE] === 'off') return new EventLoopStreams(`${FFI_VARIABLE} is off`);
  const load = await loadSockets(platform);
  return load.kind === 'loaded' ? new StreamThreads(load.sockets) : new EventLoopStreams(load.reason);
};
