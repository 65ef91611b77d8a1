// Queues and objectives whose load line is known: from the exact simulation of the same queue with very many arrivals.

import { arrivals } from '../../src/bench/schedule/arrivals.ts';
import { capacityOf, QueueSimulator } from './queue-simulator.ts';
import type { SimulatedEndpoint } from './simulated-line.ts';

interface LineCell {
  readonly name: string;
  readonly endpoint: SimulatedEndpoint;
}

const SERVICE_NS = 25e6;

/** One, four and sixteen servers; percentiles, a mean and an attainment. Service takes 25 ms, always or log-normal. */
const QUEUES: readonly LineCell[] = [1, 4, 16].flatMap(servers =>
  [
    { name: 'p95, M/D/k', share: 0.05, variation: 0, services: 1.2, waits: 2 },
    { name: 'p99, M/D/k', share: 0.01, variation: 0, services: 1.2, waits: 4 },
    { name: 'mean, M/G/k', share: undefined, variation: 0.5, services: 1, waits: 1 },
    { name: 'attainment 90 %, M/G/k', share: 0.1, variation: 0.5, services: 2, waits: 3 },
    { name: 'p95, M/G/k', share: 0.05, variation: 0.5, services: 2, waits: 9 },
  ].map(({ name, share, variation, services, waits }) => ({
    name: `k = ${servers}, ${name}`,
    endpoint: {
      model: { servers, serviceNs: SERVICE_NS, serviceVariation: variation },
      // What waits behind k servers waits about 1 / √k as long.
      objective: { limitNs: (services + waits / Math.sqrt(servers)) * SERVICE_NS, share },
    },
  })),
);

/** What a queue that grows by little takes very long to reach: nothing comes near the limit, and a load over the capacity looks well. */
const FAR_LIMIT: LineCell = {
  name: 'k = 4, p95 of 40 services, M/D/k',
  endpoint: {
    model: { servers: 4, serviceNs: SERVICE_NS, serviceVariation: 0 },
    objective: { limitNs: 40 * SERVICE_NS, share: 0.05 },
  },
};

export const LINE_CELLS: readonly LineCell[] = [...QUEUES, FAR_LIMIT];

/** Requests a second at which the objective is just met, by bisection with the same arrivals at each rate. */
export const trueLine = ({ model, objective }: SimulatedEndpoint, arrivalCount: number): number => {
  let [low, high] = [0.02, 1];
  for (let turn = 0; turn < 12; turn += 1) {
    const middle = (low + high) / 2;
    if (isMissed({ model, objective }, middle * capacityOf(model), arrivalCount)) high = middle;
    else low = middle;
  }
  return ((low + high) / 2) * capacityOf(model);
};

const isMissed = (
  { model, objective: { limitNs, share } }: SimulatedEndpoint,
  rate: number,
  arrivalCount: number,
): boolean => {
  const queue = new QueueSimulator(model, TRUTH_SEED);
  const schedule = arrivals({ kind: 'poisson', requestsPerSecond: rate }, TRUTH_SEED + 1);
  const skipped = arrivalCount / 20;
  let [over, totalNs] = [0, 0];
  for (let index = 0; index < arrivalCount; index += 1) {
    const arrivedNs = schedule.nextNs();
    queue.arrive(arrivedNs);
    if (index < skipped) continue;
    const latencyNs = queue.endedNs - arrivedNs;
    totalNs += latencyNs;
    if (latencyNs > limitNs) over += 1;
  }
  const counted = arrivalCount - skipped;
  return share === undefined ? totalNs > limitNs * counted : over > share * counted;
};

const TRUTH_SEED = 4_711;
