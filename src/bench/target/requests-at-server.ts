// How many requests a server is processing and queueing now, from its Prometheus page. Pure.

import { NO_FIGURE } from '../../core/run/event-record.ts';
import { readServerFigures } from './server-metrics.ts';

/** Requests running and waiting, or undefined if the page has no known figure. */
export const requestsInFlight = (page: string): number | undefined => {
  const { running = NO_FIGURE, waiting = NO_FIGURE } = readServerFigures(page) ?? {};
  return running === NO_FIGURE ? undefined : running + Math.max(0, waiting);
};

/** Requests waiting, or undefined if the page has no known figure of them. */
export const requestsWaiting = (page: string): number | undefined => {
  const { waiting = NO_FIGURE } = readServerFigures(page) ?? {};
  return waiting === NO_FIGURE ? undefined : waiting;
};
