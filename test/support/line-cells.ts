// Queues and objectives whose load line is known: from the exact simulation of the same queue with very many arrivals.

import { arrivals } from '../../src/bench/schedule/arrivals.ts';
import type { QueueModel } from './queue-simulator.ts';
import { capacityOf, QueueSimulator } from './queue-simulator.ts';
import type { SimulatedEndpoint } from './simulated-line.ts';

export interface LineCell {
  readonly name: string;
  readonly endpoint: SimulatedEndpoint;
}

const SERVICE_NS = 25e6;

/** One, four and sixteen servers; a tight, a usual and a loose objective. Service takes 25 ms, always or log-normal. */
export const LINE_CELLS: readonly LineCell[] = [1, 4, 16].flatMap(servers =>
  [
    { name: 'p95, M/D/k, tight', share: 0.05, variation: 0, waits: 2 },
    { name: 'p90, M/G/k, usual', share: 0.1, variation: 0.5, waits: 3 },
    { name: 'p95, M/G/k, loose', share: 0.05, variation: 0.5, waits: 9 },
  ].map(({ name, share, variation, waits }) => ({
    name: `k = ${servers}, ${name}`,
    endpoint: {
      model: { servers, serviceNs: SERVICE_NS, serviceVariation: variation },
      // What waits behind k servers waits about 1 / √k as long.
      objective: { limitNs: (1.2 + 1.6 * variation + waits / Math.sqrt(servers)) * SERVICE_NS, share },
    },
  })),
);

/** Requests a second at which just the share is over the limit, by bisection with the same arrivals at each rate. */
export const trueLine = ({ model, objective }: SimulatedEndpoint, arrivalCount: number): number => {
  let [low, high] = [0.02, 1];
  for (let turn = 0; turn < 12; turn += 1) {
    const middle = (low + high) / 2;
    if (shareOver(model, middle * capacityOf(model), objective.limitNs, arrivalCount) > objective.share)
      high = middle;
    else low = middle;
  }
  return ((low + high) / 2) * capacityOf(model);
};

const shareOver = (model: QueueModel, rate: number, limitNs: number, arrivalCount: number): number => {
  const queue = new QueueSimulator(model, TRUTH_SEED);
  const schedule = arrivals({ kind: 'poisson', requestsPerSecond: rate }, TRUTH_SEED + 1);
  const skipped = arrivalCount / 20;
  let over = 0;
  for (let index = 0; index < arrivalCount; index += 1) {
    const arrivedNs = schedule.nextNs();
    queue.arrive(arrivedNs);
    if (index >= skipped && queue.endedNs - arrivedNs > limitNs) over += 1;
  }
  return over / (arrivalCount - skipped);
};

const TRUTH_SEED = 4_711;
