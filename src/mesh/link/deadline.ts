// A limit of time on the Clock port, as a signal: it aborts when the time is up or the outer signal does, and its timer
// ends with the scope.

import type { Clock } from '../../clock/clock.ts';

export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** True when the time was over, false while it runs and when the outer signal came first. */
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
