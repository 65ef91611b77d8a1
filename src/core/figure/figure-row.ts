// A figure that a person or a program sees of a node, a device, a port or a link is one row of a table next to its
// aggregate: Prometheus, OpenTelemetry, MCP, the terminal, the pages and the tables in docs derive from it. What
// differs between them by unit alone is in the table of units.

import type { Unknown } from '../unknown.ts';
import { formatUptime } from './duration.ts';
import {
  type Figure,
  formatBitsPerSecond,
  formatBytes,
  formatBytesPerSecond,
  formatCelsius,
  formatCount,
  formatFinePercent,
  formatFlopsPerSecond,
  formatMegahertz,
  formatOperationsPerSecond,
  formatPercent,
  formatWatts,
} from './figure.ts';

export interface FigureRow<Subject, Aging extends string = string> {
  /** On a page: "CPU temperature". Without one it is only exported. */
  readonly label?: string;
  /** Next to the name of the thing, where there is little room: "Temperature". Default: the label. */
  readonly shortLabel?: string;
  readonly unit: FigureUnit;
  /** What it means, in one sentence. */
  readonly help: string;
  /** Undefined: the subject has none of this. */
  readonly of: (subject: Subject) => FigureValue;
  /** The reading that it is from, and ages with; without one it does not age. */
  readonly aging?: Aging;
  /** Exported while its reading is late, too: what a machine is rather than what it does. */
  readonly isKept?: boolean;
  /** Not among the main figures that are exported of a cluster with too many nodes. */
  readonly isDetail?: boolean;
  /** Its column in a table of these things in the terminal; without one it has none. */
  readonly column?: { readonly title: string; readonly widthMax: number; readonly rank: number };
  /** What it is a part of: "19.9 of 24 GB". */
  readonly whole?: (subject: Subject) => number | Unknown | undefined;
  /** Left out of a card if it is unknown: many machines do not have it. */
  readonly isRare?: boolean;
  /** Name of its series of the last quarter of an hour: that of the field in the reading. */
  readonly history?: string;
  /** Top of the scale on which a card draws the series; without one no card does. */
  readonly high?: number | ((subject: Subject) => number);
  /** In Prometheus; a counter ends in `_total`. Rows of one name differ in their labels, and the first has its help. */
  readonly metric?: string;
  readonly labels?: FigureLabels<Subject>;
  readonly otlp?: Instrument<Subject>;
  /** The field in the replies of MCP. */
  readonly mcp?: string;
}

export type FigureValue = number | boolean | Unknown | undefined;
export type Labels = Readonly<Record<string, string>>;
/** Their names are those of the row, for docs; a value may be one of the subject's. */
type FigureLabels<Subject> = Readonly<Record<string, string | ((subject: Subject) => string)>>;

/** An instrument of OpenTelemetry: name and description are those of its conventions if they have one. */
export interface Instrument<Subject> {
  readonly name: string;
  readonly description: string;
  /** An up-down counter may fall, a counter can only be reset. */
  readonly kind: 'gauge' | 'counter' | 'updowncounter';
  /** If the unit of the figure is not that of the instrument: "{operation}/s". */
  readonly unit?: string;
  /** In addition to those of the subject. */
  readonly attributes?: FigureLabels<Subject>;
  /** In their place: by the conventions a sensor is a component of its own. */
  readonly sensor?: FigureLabels<Subject>;
}

type InstrumentHead = Pick<Instrument<never>, 'name' | 'description' | 'kind' | 'unit'>;

export type PlainInstrument = InstrumentHead & { readonly attributes: Labels };

export const gauge = (name: string, description: string, attributes: Labels = {}): PlainInstrument => ({
  name,
  description,
  kind: 'gauge',
  attributes,
});
export const upDown = (name: string, description: string, attributes: Labels = {}): PlainInstrument => ({
  name,
  description,
  kind: 'updowncounter',
  attributes,
});

// The instruments of the conventions that every kind of hardware shares.
export const POWER: InstrumentHead = {
  name: 'hw.power',
  description: 'Instantaneous power consumed by the component.',
  kind: 'gauge',
};
export const TEMPERATURE: InstrumentHead = {
  name: 'hw.temperature',
  description: 'Temperature in degrees Celsius.',
  kind: 'gauge',
};
export const ERRORS: InstrumentHead = {
  name: 'hw.errors',
  description: 'Number of errors encountered by the component.',
  kind: 'counter',
  unit: '{error}',
};

export type FigureUnit =
  | ''
  | 'flag'
  | 'load'
  | 'bytes'
  | 'bytes/s'
  | 'bits/s'
  | 'share'
  | 'small share'
  | '°C'
  | 'W'
  | 'MHz'
  | 'FLOP/s'
  | 'OP/s'
  | 'errors'
  | 'packets'
  | 's'
  | 'ms'
  | 'µs'
  | 'ns'
  | 'age';

interface UnitRow {
  readonly otlp: string;
  /** In MCP, which has figures in their own unit. */
  readonly mcp: string;
  readonly format: (value: number) => Figure;
  /** To the base unit of Prometheus and OpenTelemetry, if that is another one. */
  readonly toBase?: (value: number) => number;
}

const plain = (text: string): Figure => ({ figure: text, unit: '' });
const count = (value: number): Figure => plain(formatCount(Math.round(value)));
const thousandth = (value: number): number => value / 1_000;

export const FIGURE_UNITS: Readonly<Record<FigureUnit, UnitRow>> = {
  '': { otlp: '1', mcp: '', format: count },
  /** 1 if it is so, else 0. */
  flag: { otlp: '1', mcp: '', format: value => plain(value === 1 ? 'yes' : 'no') },
  load: { otlp: '1', mcp: '', format: value => plain(value.toFixed(2)) },
  bytes: { otlp: 'By', mcp: 'bytes', format: formatBytes },
  'bytes/s': { otlp: 'By/s', mcp: 'bytes/s', format: formatBytesPerSecond },
  'bits/s': { otlp: 'By/s', mcp: 'bits/s', format: formatBitsPerSecond, toBase: value => value / 8 },
  share: { otlp: '1', mcp: 'share of 1', format: formatPercent },
  /** Of what matters while it is small. */
  'small share': { otlp: '1', mcp: 'share of 1', format: formatFinePercent },
  '°C': { otlp: 'Cel', mcp: '°C', format: formatCelsius },
  W: { otlp: 'W', mcp: 'W', format: formatWatts },
  MHz: { otlp: 'Hz', mcp: 'MHz', format: formatMegahertz, toBase: value => value * 1e6 },
  'FLOP/s': { otlp: '{operation}/s', mcp: 'FLOP/s', format: formatFlopsPerSecond },
  'OP/s': { otlp: '{operation}/s', mcp: 'OP/s', format: formatOperationsPerSecond },
  errors: { otlp: '{error}', mcp: 'errors', format: count },
  packets: { otlp: '{packet}', mcp: 'packets', format: count },
  s: { otlp: 's', mcp: 's', format: value => plain(formatUptime(value)) },
  ms: { otlp: 's', mcp: 'ms', format: count, toBase: thousandth },
  µs: { otlp: 's', mcp: 'µs', format: count, toBase: value => value / 1e6 },
  ns: { otlp: 's', mcp: 'ns', format: count, toBase: value => value / 1e9 },
  /** Ms since a moment: in Prometheus that moment. */
  age: { otlp: 's', mcp: 'ms', format: count, toBase: thousandth },
};

/** In the base unit of Prometheus and OpenTelemetry; undefined: not known. */
export const baseValue = <Subject>(
  { unit, of }: Pick<FigureRow<Subject>, 'unit' | 'of'>,
  subject: Subject,
): number | undefined => {
  const value = of(subject);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  const { toBase } = FIGURE_UNITS[unit];
  return toBase === undefined ? value : toBase(value);
};

/** With the values of the subject. */
export const labelsOf = <Subject>(labels: FigureLabels<Subject> | undefined, subject: Subject): Labels => {
  if (labels === undefined) return NO_LABELS;
  const made: Record<string, string> = {};
  for (const name in labels) {
    const value = labels[name] ?? '';
    made[name] = typeof value === 'string' ? value : value(subject);
  }
  return made;
};

const NO_LABELS: Labels = {};
