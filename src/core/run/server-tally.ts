// The result of reading a server's own metrics: the range and mean of its gauges during the load, the
// increase of its counters from before the first request until after the last reply, and how often it had
// more requests than this run had in flight.

import * as v from 'valibot';
import { recordOf } from '../record-of.ts';
import { count, figure, type Infer, openObject } from '../schema.ts';
import { NO_FIGURE } from './event-record.ts';
import {
  SERVER_FIGURE_KEYS,
  type ServerFigureKey,
  type ServerReading,
  serverFigureRow,
} from './server-reading.ts';

export const serverFigureSummarySchema = openObject({
  min: figure,
  max: figure,
  mean: figure,
  last: figure,
  /** Increase of a counter; after a restart of the server it counts from 0. 0 for a gauge. */
  rose: figure,
});

export type ServerFigureSummary = Infer<typeof serverFigureSummarySchema>;

export const serverEvidenceSchema = openObject({
  readings: count,
  /** Only those that the server reports. */
  figures: openObject(recordOf(SERVER_FIGURE_KEYS, () => v.exactOptional(serverFigureSummarySchema))),
  /**
   * Readings with a number of running requests; how many of these had more at the server than this run had in
   * flight, and the greatest excess.
   */
  compared: count,
  excess: count,
  excessMost: figure,
  countedOver: v.picklist(['whole', 'within']),
  /**
   * How often its counters restarted at 0: what it counted between that and the previous reading is missing.
   */
  restarts: count,
  /**
   * Readings alternate between processes with separate counters: their increase is unknown, so `figures` has
   * no counters.
   */
  severalProcesses: v.boolean(),
});

export type ServerEvidence = Infer<typeof serverEvidenceSchema>;

export class ServerTally {
  readonly #figures = new Map<ServerFigureKey, FigureTally>();
  #readings = 0;
  #compared = 0;
  #excess = 0;
  #excessMost = 0;
  #restarts = 0;
  #severalProcesses = false;
  #hasStart = false;
  #hasEnd = false;

  observed(reading: ServerReading): void {
    this.#readings += 1;
    if (reading.moment === 'start') this.#hasStart = true;
    if (reading.moment === 'end') this.#hasEnd = true;
    this.#restartCounters(reading);
    for (const key of SERVER_FIGURE_KEYS) {
      const value = reading[key];
      if (value === NO_FIGURE) continue;
      const isGauge = serverFigureRow(key).kind === 'gauge';
      // An idle server's reading only shows which process it is.
      if (isGauge && reading.moment !== 'load' && key !== 'processStart') continue;
      // A server that lists a counter only after its first count started it at 0.
      const tally = this.#figures.get(key) ?? new FigureTally(this.#hasStart && reading.moment !== 'start');
      this.#figures.set(key, tally);
      tally.add(value);
    }
    if (reading.moment === 'load') this.#compare(reading);
  }

  /** undefined: the server was not queried, or reported nothing. */
  evidence(): ServerEvidence | undefined {
    if (this.#readings === 0) return undefined;
    return {
      readings: this.#readings,
      figures: Object.fromEntries(
        this.#figures
          .entries()
          .filter(([key]) => !(this.#severalProcesses && isCounter(key)))
          .map(([key, tally]) => [key, tally.summary(serverFigureRow(key).kind)]),
      ),
      compared: this.#compared,
      excess: this.#excess,
      excessMost: this.#excessMost,
      countedOver: this.#hasStart && this.#hasEnd ? 'whole' : 'within',
      restarts: this.#restarts,
      severalProcesses: this.#severalProcesses,
    };
  }

  /**
   * A counter that falls restarted at 0. All of them did if another process has started, or if every counter
   * above 0 fell: a counter may also be reset alone. Two processes behind one URL look different: the start
   * of the process goes back, or is later while counters rose, or all counters that fell return in one step
   * to their previous values.
   */
  #restartCounters(reading: ServerReading): void {
    const started = this.#startChange(reading);
    const counters = this.#counters(reading);
    const fallen = counters.filter(({ value, tally }) => value < tally.last);
    const hasRisen = counters.some(({ value, tally }) => tally.last > 0 && value > tally.last);
    const below = counters.filter(({ tally }) => tally.isBelowBefore);
    const areBack = below.length > 0 && below.every(({ value, tally }) => tally.isReturn(value));
    if (started < 0 || (started > 0 && hasRisen) || areBack) this.#severalProcesses = true;
    if (started === 0 && fallen.length === 0) return;
    this.#restarts += 1;
    const isWhole =
      started !== 0 || counters.every(({ value, tally }) => value < tally.last || tally.last === 0);
    if (isWhole) for (const [key, tally] of this.#figures) if (isCounter(key)) tally.beganAgain();
    if (!isWhole) for (const { tally } of fallen) tally.beganAgain();
  }

  /**
   * How many seconds later this process started than that of the previous reading; 0: it is the same, or
   * neither reports it.
   */
  #startChange({ processStart }: ServerReading): number {
    const last = this.#figures.get('processStart')?.last;
    if (last === undefined || processStart === NO_FIGURE) return 0;
    const change = processStart - last;
    return Math.abs(change) < PROCESS_SECONDS_LEAST ? 0 : change;
  }

  /** Counters that a previous reading contained too. */
  #counters(reading: ServerReading): readonly { readonly value: number; readonly tally: FigureTally }[] {
    return SERVER_FIGURE_KEYS.flatMap(key => {
      const tally = this.#figures.get(key);
      const value = reading[key];
      return tally === undefined || value === NO_FIGURE || !isCounter(key) ? [] : [{ value, tally }];
    });
  }

  #compare({ running, waiting, inFlight }: ServerReading): void {
    if (running === NO_FIGURE || inFlight === NO_FIGURE) return;
    this.#compared += 1;
    const excess = running + Math.max(0, waiting) - inFlight;
    // A request whose last byte has arrived may remain in the batch for one more step.
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
  /** Value before its last restart. */
  #lastBefore = 0;

  constructor(isFromZero: boolean) {
    this.#isFromZero = isFromZero;
  }

  get last(): number {
    return this.#last;
  }

  /** The next value was counted from 0. */
  beganAgain(): void {
    this.#lastBefore = Math.max(this.#lastBefore, this.#last);
    this.#last = 0;
  }

  /** It restarted, and has not reached its previous value since. */
  get isBelowBefore(): boolean {
    return this.#last < this.#lastBefore;
  }

  /** Whether a counter that restarted is back at its previous value, most of it in one step. */
  isReturn(value: number): boolean {
    const before = this.#lastBefore;
    return value >= before && value <= before * RETURN_MOST && value - this.#last > before / 2;
  }

  add(value: number): void {
    if (this.#count > 0) this.#rose += value - this.#last;
    else if (this.#isFromZero) this.#rose += value;
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

const isCounter = (key: ServerFigureKey): boolean => serverFigureRow(key).kind === 'counter';

/** A server that grows past its previous value as fast is this close to it only by chance. */
const RETURN_MOST = 1.25;
const EXCESS_LEAST = 2;
const EXCESS_SHARE = 0.1;
/** A process reports its start with fractions of a second, always the same. */
const PROCESS_SECONDS_LEAST = 1;
