// What the readings of a server's own metrics come to: of its gauges the bounds and mean while the load ran, of its counters what they
// rose by from before the first request until after the last reply, and how often it had more requests than this run had in flight.

import { NO_FIGURE } from './event-record.ts';
import {
  SERVER_FIGURE_KEYS,
  type ServerFigureKey,
  type ServerReading,
  serverFigureRow,
} from './server-reading.ts';

export type ServerFigureSummary = {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly last: number;
  /** Of a counter: what it rose by; a server that began anew counts from 0. 0 of a gauge. */
  readonly rose: number;
};

/**
 * How far counters can be believed. `whole`: from before the first request until after the last reply. `within`: between the first and the
 * last reading while the load ran, which leaves out what came before and after.
 */
export type CountedOver = 'whole' | 'within';

export type ServerEvidence = {
  readonly readings: number;
  /** Only those that the server reports. */
  readonly figures: Readonly<Partial<Record<ServerFigureKey, ServerFigureSummary>>>;
  /** Readings that tell running requests, and of these: with more at the server than this run had in flight, and the most. */
  readonly compared: number;
  readonly excess: number;
  readonly excessMost: number;
  readonly countedOver: CountedOver;
  /** How often its counters began again with 0: what it counted between the reading before and that is missing. */
  readonly restarts: number;
};

export class ServerTally {
  readonly #figures = new Map<ServerFigureKey, FigureTally>();
  #readings = 0;
  #compared = 0;
  #excess = 0;
  #excessMost = 0;
  #restarts = 0;
  #hasStart = false;
  #hasEnd = false;

  observed(reading: ServerReading): void {
    this.#readings += 1;
    if (reading.moment === 'start') this.#hasStart = true;
    if (reading.moment === 'end') this.#hasEnd = true;
    if (this.#isRestarted(reading)) {
      this.#restarts += 1;
      for (const [, tally] of this.#figures) tally.beganAgain();
    }
    for (const key of SERVER_FIGURE_KEYS) {
      const value = reading[key];
      if (value === NO_FIGURE) continue;
      const isGauge = serverFigureRow(key).kind === 'gauge';
      // An idle server says nothing of the load, except which process it is.
      if (isGauge && reading.moment !== 'load' && key !== 'processStart') continue;
      // A server that lists a counter only once it has counted something began with 0.
      const tally = this.#figures.get(key) ?? new FigureTally(this.#hasStart && reading.moment !== 'start');
      this.#figures.set(key, tally);
      tally.add(value);
    }
    if (reading.moment === 'load') this.#compare(reading);
  }

  /** undefined: the server was not asked, or told nothing. */
  evidence(): ServerEvidence | undefined {
    if (this.#readings === 0) return undefined;
    return {
      readings: this.#readings,
      figures: Object.fromEntries(
        this.#figures.entries().map(([key, tally]) => [key, tally.summary(serverFigureRow(key).kind)]),
      ),
      compared: this.#compared,
      excess: this.#excess,
      excessMost: this.#excessMost,
      countedOver: this.#hasStart && this.#hasEnd ? 'whole' : 'within',
      restarts: this.#restarts,
    };
  }

  /** Any counter below its last value, or another process. */
  #isRestarted(reading: ServerReading): boolean {
    return SERVER_FIGURE_KEYS.some(key => {
      const last = this.#figures.get(key)?.last;
      const value = reading[key];
      if (last === undefined || value === NO_FIGURE) return false;
      if (key === 'processStart') return Math.abs(value - last) >= PROCESS_SECONDS_LEAST;
      return serverFigureRow(key).kind === 'counter' && value < last;
    });
  }

  #compare({ running, waiting, inFlight }: ServerReading): void {
    if (running === NO_FIGURE || inFlight === NO_FIGURE) return;
    this.#compared += 1;
    const excess = running + Math.max(0, waiting) - inFlight;
    // A request whose last byte has come may stand in the batch for a step more.
    if (excess <= Math.max(EXCESS_LEAST, EXCESS_SHARE * inFlight)) return;
    this.#excess += 1;
    this.#excessMost = Math.max(this.#excessMost, excess);
  }
}

class FigureTally {
  readonly #isFromZero: boolean;
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;
  #last = 0;
  #rose = 0;
  #hasBegunAgain = false;

  constructor(isFromZero: boolean) {
    this.#isFromZero = isFromZero;
  }

  get last(): number {
    return this.#last;
  }

  /** Whatever comes next was counted from 0. */
  beganAgain(): void {
    this.#hasBegunAgain = true;
  }

  add(value: number): void {
    if (this.#count > 0) this.#rose += this.#hasBegunAgain ? value : value - this.#last;
    else if (this.#isFromZero) this.#rose += value;
    this.#hasBegunAgain = false;
    this.#count += 1;
    this.#sum += value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    this.#last = value;
  }

  summary(kind: 'gauge' | 'counter'): ServerFigureSummary {
    return {
      min: this.#min,
      max: this.#max,
      mean: this.#sum / this.#count,
      last: this.#last,
      rose: kind === 'counter' ? this.#rose : 0,
    };
  }
}

const EXCESS_LEAST = 2;
const EXCESS_SHARE = 0.1;
/** A process reports its start with fractions of a second, always the same. */
const PROCESS_SECONDS_LEAST = 1;
