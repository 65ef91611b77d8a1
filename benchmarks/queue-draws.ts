// Times of requests at servers whose truth can be computed to any accuracy by drawing for longer: queues of one and
// several servers, two classes of lengths, a server that pauses, and one that batches. Each draw continues one long
// run in steady state, so that a part of it is a run that began long after the start.

import { type SeededRandom, seededRandom } from '../src/core/random.ts';

export interface DrawnTimes {
  readonly ttft: Float64Array;
  readonly latency: Float64Array;
}

/** Seconds of `count` requests in the order of their arrival, at this part of the server's capacity. */
type Draw = (load: number, count: number, random: SeededRandom) => DrawnTimes;

const SERVICE_S = 0.1;
/** Of the service time: from its beginning to the first token. */
const FIRST_PART = 0.1;
/** Requests before the first that counts. */
const WARM_UP = 50_000;

/** @param serviceS draws one service time */
const queue =
  (servers: number, serviceS: (random: SeededRandom) => number, pause?: Pause): Draw =>
  (load, count, random) => {
    const working = pause === undefined ? 1 : pause.everyS / (pause.everyS + pause.lengthS);
    const rate = (load * servers * working) / SERVICE_S;
    const pauses =
      pause === undefined ? NO_PAUSES : drawPauses(pause, ((WARM_UP + count) / rate) * 2, random);
    const times = { ttft: new Float64Array(count), latency: new Float64Array(count) };
    const free = new Float64Array(servers);
    let arrivedS = 0;
    for (let index = -WARM_UP; index < count; index += 1) {
      arrivedS += exponential(random) / rate;
      const first = earliest(free);
      const beganS = Math.max(pauses.toWork(arrivedS), free[first] ?? 0);
      const service = serviceS(random);
      free[first] = beganS + service;
      if (index < 0) continue;
      times.ttft[index] = pauses.toWall(beganS + FIRST_PART * SERVICE_S) - arrivedS;
      times.latency[index] = pauses.toWall(beganS + service) - arrivedS;
    }
    return times;
  };

const earliest = (free: Float64Array): number => {
  let first = 0;
  for (let server = 1; server < free.length; server += 1)
    if ((free[server] ?? 0) < (free[first] ?? 0)) first = server;
  return first;
};

interface Pause {
  /** Mean working time between two pauses. */
  readonly everyS: number;
  readonly lengthS: number;
}

/** Between the time that passes and the time during which the server works. */
interface Pauses {
  readonly toWork: (wallS: number) => number;
  readonly toWall: (workS: number) => number;
}

const NO_PAUSES: Pauses = { toWork: wallS => wallS, toWall: workS => workS };

const drawPauses = ({ everyS, lengthS }: Pause, untilS: number, random: SeededRandom): Pauses => {
  const starts: number[] = [];
  for (let atS = 0; atS < untilS; ) {
    atS += exponential(random) * everyS;
    starts.push(atS);
  }
  let over = 0;
  return {
    // Arrivals come in order.
    toWork: wallS => {
      while ((starts[over] ?? Number.POSITIVE_INFINITY) + (over + 1) * lengthS <= wallS) over += 1;
      return Math.min(wallS - over * lengthS, starts[over] ?? Number.POSITIVE_INFINITY);
    },
    toWall: workS => workS + lengthS * countBelow(starts, workS),
  };
};

const countBelow = (sorted: readonly number[], limit: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
};

const BATCH = 32;
const TOKENS_MEAN = 20;
/** Seconds of a step: with one request, and for each further one. */
const STEP_S = 0.01;
const STEP_EACH_S = 0.001;

/** Continuous batching: requests join between steps, each step makes one token of each, and takes longer with more. */
const batching: Draw = (load, count, random) => {
  const rate = (load * BATCH) / (TOKENS_MEAN * (STEP_S + STEP_EACH_S * BATCH));
  const total = WARM_UP + count;
  const arrived = new Float64Array(total);
  for (let index = 0, atS = 0; index < total; index += 1) {
    atS += exponential(random) / rate;
    arrived[index] = atS;
  }
  const times = { ttft: new Float64Array(count), latency: new Float64Array(count) };
  const running = Array.from({ length: BATCH }, () => ({ index: 0, tokensLeft: 0, isFirst: true }));
  let active = 0;
  let next = 0;
  let nowS = 0;
  for (let ended = 0; ended < total; ) {
    if (active === 0) nowS = Math.max(nowS, arrived[next] ?? nowS);
    for (; active < BATCH && next < total && (arrived[next] ?? 0) <= nowS; active += 1, next += 1) {
      const tokensLeft = 1 + Math.floor(random.next() * (2 * TOKENS_MEAN - 1));
      running[active] = { index: next, tokensLeft, isFirst: true };
    }
    nowS += STEP_S + STEP_EACH_S * active;
    for (let slot = active - 1; slot >= 0; slot -= 1) {
      const one = running[slot];
      if (one === undefined) continue;
      const tookS = nowS - (arrived[one.index] ?? 0);
      const at = one.index - WARM_UP;
      if (one.isFirst && at >= 0) times.ttft[at] = tookS;
      one.isFirst = false;
      one.tokensLeft -= 1;
      if (one.tokensLeft > 0) continue;
      if (at >= 0) times.latency[at] = tookS;
      ended += 1;
      active -= 1;
      running[slot] = running[active] ?? one;
    }
  }
  return times;
};

const exponential = (random: SeededRandom): number => -Math.log1p(-random.next());

/** Log-normal with a coefficient of variation of 1. */
const varied = (random: SeededRandom): number => {
  const sigma = Math.sqrt(Math.LN2);
  const radius = Math.sqrt(-2 * Math.log1p(-random.next()));
  return SERVICE_S * Math.exp(sigma * radius * Math.cos(2 * Math.PI * random.next()) - sigma ** 2 / 2);
};

const constant = (): number => SERVICE_S;

export const QUEUES: Readonly<Record<string, Draw>> = {
  'M/D/1': queue(1, constant),
  'M/G/1': queue(1, varied),
  'M/D/4': queue(4, constant),
  'M/D/16': queue(16, constant),
  'M/M/8': queue(8, random => SERVICE_S * exponential(random)),
  'two classes of lengths, 4 servers': queue(4, random => SERVICE_S * (random.next() < 0.2 ? 3 : 0.5)),
  '4 servers with pauses of 200 ms': queue(4, constant, { everyS: 4, lengthS: 0.2 }),
  'continuous batching': batching,
};

/** Whole nanoseconds, as clocks report them: of equal times none is a little longer. */
export const drawTimes = (name: string, load: number, count: number, seed: number): DrawnTimes => {
  const draw = QUEUES[name];
  if (draw === undefined)
    throw new Error(`${name}: no such queue; there are ${Object.keys(QUEUES).join(', ')}`);
  const { ttft, latency } = draw(load, count, seededRandom(seed));
  return { ttft: ttft.map(wholeNs), latency: latency.map(wholeNs) };
};

const wholeNs = (seconds: number): number => Math.round(seconds * 1e9);
