// What Node tells of the thread that asks: how long its loop has slept, how busy it was, and when it collected garbage.

import { PerformanceObserver, performance } from 'node:perf_hooks';

export interface ThreadMeters {
  /** How long the loop has slept since it began, ns. */
  idleNs(): number;
  /** Of the time since the last call. */
  loopUtilization(): number;
  /** Each collection of garbage, until it is disposed of. */
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
