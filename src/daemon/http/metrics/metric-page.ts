// One scrape: metrics are created with their first value, so a page has only known values. A new registry each time,
// because a reused gauge would keep the labels of what is gone.

import { Counter, Gauge, Registry } from 'prom-client';
import { showable } from '../../../core/text/single-line.ts';
import type { Unknown } from '../../../core/unknown.ts';

export type Labels = Readonly<Record<string, string>>;
export type ScrapedFigure = number | boolean | Unknown | undefined;

export interface ScrapedMetric {
  readonly name: string;
  readonly help: string;
}

export class MetricPage {
  readonly #registry = new Registry();
  readonly #gauges = new Map<string, Gauge>();
  readonly #counters = new Map<string, Counter>();

  /** Sets a value; nothing where it is not known. True is 1. */
  gauge({ name, help }: ScrapedMetric, labels: Labels, figure: ScrapedFigure): void {
    const value = numberOf(figure);
    if (value === undefined) return;
    const gauge =
      this.#gauges.get(name) ??
      new Gauge({ name, help, labelNames: Object.keys(labels), registers: [this.#registry] });
    this.#gauges.set(name, gauge);
    gauge.set(showableLabels(labels), value);
  }

  /** The count since the daemon started, or since what it counts was there; nothing where it is not known. */
  counter({ name, help }: ScrapedMetric, labels: Labels, figure: ScrapedFigure): void {
    const count = numberOf(figure);
    if (count === undefined) return;
    const counter =
      this.#counters.get(name) ??
      new Counter({ name, help, labelNames: Object.keys(labels), registers: [this.#registry] });
    this.#counters.set(name, counter);
    counter.inc(showableLabels(labels), count);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

/** The format of a scrape escapes line feeds, and nothing else that a terminal would obey. */
const showableLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, showable(value)]));

const numberOf = (figure: ScrapedFigure): number | undefined => {
  if (typeof figure === 'boolean') return figure ? 1 : 0;
  return typeof figure === 'number' && Number.isFinite(figure) ? figure : undefined;
};
