// A time limit on the Clock port, as a signal: it aborts when the time is up or the outer signal aborts, and
// its timer is cleared with the scope.

import type { Clock } from './clock.ts';

interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** True if the time ran out; false while it runs, or if the outer signal came first. */
  readonly isOver: boolean;
}

export const deadline = (clock: Clock, durationMs: number, outer: AbortSignal): Deadline => {
  const ended = new AbortController();
  const timer = new AbortController();
  let isOver = false;
  const stop = (): void => {
    timer.abort();
    ended.abort(outer.reason);
  };
  if (outer.aborted) stop();
  else outer.addEventListener('abort', stop, { once: true });
  clock.sleep(durationMs, timer.signal).then(
    () => {
      isOver = !ended.signal.aborted;
      ended.abort(new DOMException('the time is up', 'TimeoutError'));
    },
    () => undefined, // ended before its time
  );
  return {
    signal: ended.signal,
    get isOver() {
      return isOver;
    },
    [Symbol.dispose]: () => {
      outer.removeEventListener('abort', stop);
      timer.abort();
    },
  };
};
