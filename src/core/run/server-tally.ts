// What the readings of a server's own metrics come to over the measured phase: each figure's bounds and mean, what its counters
// rose by, and how often it had more requests than this run had in flight.

import { NO_FIGURE } from './event-record.ts';
import type { ServerFigureKey, ServerReading } from './server-reading.ts';
import { SERVER_FIGURE_KEYS, SERVER_FIGURES } from './server-reading.ts';

export type ServerFigureSummary = {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly last: number;
  /** Of a counter: what it rose by; a server that began anew counts from 0. 0 of a gauge. */
  readonly rose: number;
};

export type ServerEvidence = {
  readonly readings: number;
  /** Only those that the server tells. */
  readonly figures: Readonly<Partial<Record<ServerFigureKey, ServerFigureSummary>>>;
  /** Readings that tell running requests, and of these: with more at the server than this run had in flight, and the most. */
  readonly compared: number;
  readonly excess: number;
  readonly excessMost: number;
};

export class ServerTally {
  readonly #figures = new Map<ServerFigureKey, FigureTally>();
  #readings = 0;
  #compared = 0;
  #excess = 0;
  #excessMost = 0;

  observed(reading: ServerReading): void {
    this.#readings += 1;
    for (const key of SERVER_FIGURE_KEYS) {
      const value = reading[key];
      if (value === NO_FIGURE) continue;
      const tally = this.#figures.get(key) ?? new FigureTally();
      this.#figures.set(key, tally);
      tally.add(value);
    }
    this.#compare(reading);
  }

  /** undefined: the server was not asked, or told nothing. */
  evidence(): ServerEvidence | undefined {
    if (this.#readings === 0) return undefined;
    return {
      readings: this.#readings,
      figures: Object.fromEntries(
        this.#figures.entries().map(([key, tally]) => [key, tally.summary(SERVER_FIGURES[key].kind)]),
      ),
      compared: this.#compared,
      excess: this.#excess,
      excessMost: this.#excessMost,
    };
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
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;
  #last = 0;
  #rose = 0;

  add(value: number): void {
    if (this.#count > 0) this.#rose += value >= this.#last ? value - this.#last : value;
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
