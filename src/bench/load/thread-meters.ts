// Node's figures about the calling thread: how long its loop has slept, how busy it was, and when it collected
// garbage.

import { PerformanceObserver, performance } from 'node:perf_hooks';

export interface ThreadMeters {
  /** How long the loop has slept since it began, ns. */
  idleNs(): number;
  /** Utilization since the last call. */
  loopUtilization(): number;
  /** Reports each garbage collection, until it is disposed of. */
  watchCollections(reported: (durationNs: number) => void): Disposable;
}

export const ownThreadMeters = (): ThreadMeters => {
  let last = performance.eventLoopUtilization();
  return {
    idleNs: () => performance.nodeTiming.idleTime * 1e6,
    loopUtilization: () => {
      const loop = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(loop, last);
      last = loop;
      return utilization;
    },
    watchCollections: reported => {
      const collector = new PerformanceObserver(list => {
        for (const { duration } of list.getEntries()) reported(Math.round(duration * 1e6));
      });
      collector.observe({ entryTypes: ['gc'] });
      return { [Symbol.dispose]: () => collector.disconnect() };
    },
  };
};
