import type { VirtualClock } from './virtual-clock.ts';

/** Time passes with the turns of the event loop: the requests of a command need some. */
export const whileTimePasses = async <T>(clock: VirtualClock, work: Promise<T>): Promise<T> => {
  let isOver = false;
  void work.finally(() => (isOver = true)).catch(() => undefined);
  while (!isOver) {
    await clock.advance(100);
    await new Promise(setImmediate);
  }
  return await work;
};
