// A load thread against a server on a virtual clock: how fast replies come is exact, and a minute costs nothing.

import { EventEmitter } from 'node:events';
import type { LoadPlan } from '../../../src/bench/load/load-plan.ts';
import { LoopOwner, VirtualLoop } from '../../simulator/run/virtual-loop.ts';
import { loadPlan } from './load-plan.ts';
import { type RunHere, type RunHereOptions, runHere } from './run-here.ts';

interface VirtualServer {
  /** To the request of this number, from 0; undefined: the connection is refused in its place. */
  readonly reply: (request: number, nowNs: number) => Buffer | undefined;
  readonly replyMs: number;
}

/** @throws Error for a load that has not ended in two virtual minutes */
export const runVirtually = async (
  plan: Partial<LoadPlan>,
  { reply, replyMs }: VirtualServer,
  options: Pick<RunHereOptions, 'whileRunning'> = {},
): Promise<RunHere> => {
  const virtual = new VirtualLoop();
  const owner = new LoopOwner();
  let requests = 0;
  const running = runHere(loadPlan({ host: '127.0.0.1', port: 1, ...plan }), {
    ...options,
    loop: {
      nowNs: virtual.nowNs,
      timers: virtual.timersOf(owner),
      dialer: {
        isTls: false,
        roundTripNs: 0,
        shookHands: () => undefined,
        dial: received => {
          const events = new EventEmitter();
          virtual.in(1_000, owner, () => events.emit('connect'));
          return Object.assign(events, {
            write: () => {
              const bytes = reply(requests, virtual.nowNs());
              requests += 1;
              virtual.in(replyMs * 1e6, owner, () =>
                bytes === undefined ? events.emit('end') : received(Buffer.from(bytes), 0, bytes.length),
              );
            },
            writableLength: 0,
            setNoDelay: () => undefined,
            destroy: () => undefined,
          });
        },
      },
    },
  });
  if (!(await virtual.run(running, 120e9))) throw new Error('the load has not ended in two virtual minutes');
  return await running;
};
