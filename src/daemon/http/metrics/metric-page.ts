// One scrape: a family of metrics is created with its first value, so a page has only known values. Written in Prometheus' text
// format (0.0.4) or, for who asks for it, as OpenMetrics 1.0, which has units and exemplars.

import { baseValue, type FigureRow, type Labels, labelsOf } from '../../../core/figure/figure-row.ts';
import { showable } from '../../../core/text/single-line.ts';
import type { Unknown } from '../../../core/unknown.ts';

type ScrapedFigure = number | boolean | Unknown | undefined;
export type MetricFormat = 'prometheus' | 'openmetrics';

export interface ScrapedMetric {
  readonly name: string;
  readonly help: string;
}

interface ScrapedQuantile {
  /** 0 to 100. */
  readonly percentile: number;
  readonly figure: ScrapedFigure;
}

/** Of what the figures are, and which of them are exported. */
interface FigureScope<Aging extends string> {
  readonly labels: Labels;
  /** Only the main ones. */
  readonly isShort?: boolean;
  /** Whether a reading is on time: figures of a late one are left out, unless they are kept. */
  readonly isCurrent?: (reading: Aging) => boolean;
}

interface Family {
  readonly type: 'gauge' | 'counter' | 'summary';
  readonly help: string;
  /** By its labels as they are written: of two equal ones the last counts. */
  readonly samples: Map<string, { readonly value: number; readonly exemplar: Labels | undefined }>;
}

export class MetricPage {
  readonly #families = new Map<string, Family>();
  readonly #wallMs: number;
  /** Those of the last sample, and how they are written. */
  #labels: Labels = {};
  #labelText = '';

  constructor(wallMs: number) {
    this.#wallMs = wallMs;
  }

  /** The figures of one subject that have a name here, in base units. */
  figures<Subject, Aging extends string>(
    rows: readonly FigureRow<Subject, Aging>[],
    subject: Subject,
    { labels, isShort = false, isCurrent = () => true }: FigureScope<Aging>,
  ): void {
    let reading: Aging | undefined;
    let isOnTime = true;
    for (const row of rows) {
      const { metric: name, help, aging, unit } = row;
      if (name === undefined || (isShort && row.isDetail === true)) continue;
      if (aging !== reading) isOnTime = aging === undefined || isCurrent(aging);
      reading = aging;
      if (!isOnTime && row.isKept !== true) continue;
      const value = unit === 'age' ? row.of(subject) : baseValue(row, subject);
      if (value === undefined) continue;
      const all = row.labels === undefined ? labels : { ...labels, ...labelsOf(row.labels, subject) };
      if (unit === 'age') this.since({ name, help }, all, value);
      else if (name.endsWith('_total')) this.counter({ name, help }, all, value);
      else this.gauge({ name, help }, all, value);
    }
  }

  /** The moment that is so many milliseconds ago. */
  since(metric: ScrapedMetric, labels: Labels, ageMs: ScrapedFigure): void {
    if (typeof ageMs === 'number') this.gauge(metric, labels, (this.#wallMs - ageMs) / 1_000);
  }

  /** Sets a value; nothing where it is not known. True is 1. */
  gauge(metric: ScrapedMetric, labels: Labels, figure: ScrapedFigure): void {
    this.#put('gauge', metric, { labels, figure });
  }

  /** A percentile of what a summary is about: without sum and count, which the formats allow. */
  quantile(metric: ScrapedMetric, labels: Labels, { percentile, figure }: ScrapedQuantile): void {
    this.#put('summary', metric, { labels: { ...labels, quantile: String(percentile / 100) }, figure });
  }

  /**
   * The count since the daemon started, or since the counted thing exists; nothing if it is not known.
   * @param exemplar the origin of the count: the id of a run.
   */
  counter(metric: ScrapedMetric, labels: Labels, figure: ScrapedFigure, exemplar?: Labels): void {
    this.#put('counter', metric, { labels, figure, exemplar });
  }

  text(format: MetricFormat): string {
    const lines: string[] = [];
    for (const [name, family] of this.#families) {
      const isOpen = format === 'openmetrics';
      // OpenMetrics names a counter without the ending of its samples, and an info without that of its own.
      const isInfo = isOpen && name.endsWith(INFO);
      const isCounter = isOpen && family.type === 'counter';
      const named = isInfo ? name.slice(0, -INFO.length) : isCounter ? name.replace(/_total$/, '') : name;
      const unit = isOpen && !isInfo ? UNITS.find(one => named.endsWith(`_${one}`)) : undefined;
      lines.push(`# HELP ${named} ${escaped(family.help, isOpen)}`);
      lines.push(`# TYPE ${named} ${isInfo ? 'info' : family.type}`);
      if (unit !== undefined) lines.push(`# UNIT ${named} ${unit}`);
      for (const [labels, { value, exemplar }] of family.samples) {
        const behind = isCounter && exemplar !== undefined ? ` # ${labelText(exemplar)} 1` : '';
        lines.push(`${name}${labels} ${value}${behind}`);
      }
    }
    if (format === 'openmetrics') lines.push('# EOF');
    return `${lines.join('\n')}\n`;
  }

  #put(
    type: Family['type'],
    { name, help }: ScrapedMetric,
    {
      labels,
      figure,
      exemplar,
    }: {
      readonly labels: Labels;
      readonly figure: ScrapedFigure;
      readonly exemplar?: Labels | undefined;
    },
  ): void {
    const value = numberOf(figure);
    if (value === undefined) return;
    let family = this.#families.get(name);
    if (family === undefined) {
      family = { type, help, samples: new Map() };
      this.#families.set(name, family);
    }
    // Most figures of a subject have its labels as they are.
    if (labels !== this.#labels) {
      this.#labels = labels;
      this.#labelText = labelText(labels);
    }
    family.samples.set(this.#labelText, { value, exemplar });
  }
}

/** Chosen from the Accept header of a scraper: Prometheus lists OpenMetrics first if it supports it. */
export const formatAccepted = (accept: string | undefined): MetricFormat =>
  /(?:^|,)\s*application\/openmetrics-text\b/.test(accept ?? '') ? 'openmetrics' : 'prometheus';

export const METRIC_TYPES: Readonly<Record<MetricFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** The format escapes line feeds, and nothing else that a terminal would obey. */
const labelText = (labels: Labels): string => {
  let text = '';
  for (const name in labels) {
    const value = labels[name] ?? '';
    text += `${text === '' ? '{' : ','}${name}="${PLAIN.test(value) ? value : escaped(showable(value), true)}"`;
  }
  return text === '' ? '' : `${text}}`;
};

const escaped = (text: string, withQuotes: boolean): string => {
  const lines = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return withQuotes ? lines.replaceAll('"', '\\"') : lines;
};

const numberOf = (figure: ScrapedFigure): number | undefined => {
  if (typeof figure === 'boolean') return figure ? 1 : 0;
  return typeof figure === 'number' && Number.isFinite(figure) ? figure : undefined;
};

/** Most labels: nothing in them to look at more closely. */
const PLAIN = /^[\w .:/#@+-]*$/;
const INFO = '_info';
const UNITS = ['seconds', 'bytes', 'ratio', 'celsius', 'watts', 'hertz'];
