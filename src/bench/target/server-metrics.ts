// A server's own metrics from its Prometheus page, by the names in the table of figures. Pure; a page of any size
// costs one pass.

import { recordOf } from '../../core/record-of.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import {
  SERVER_FIGURE_KEYS,
  type ServerFigureKey,
  type ServerFigures,
  serverFigureRow,
} from '../../core/run/server-reading.ts';

/** undefined: the page has no known figure. */
export const readServerFigures = (page: string): ServerFigures | undefined => {
  const sums = new Map<string, number>();
  for (const line of pageLines(page)) addLine(sums, line);
  const figures = recordOf(SERVER_FIGURE_KEYS, key => figureOf(key, sums));
  return SERVER_FIGURE_KEYS.some(key => figures[key] !== NO_FIGURE) ? figures : undefined;
};

/** The lines of a page of metrics, each cut to its length. */
export function* pageLines(page: string): Generator<string> {
  const text = plainText(page);
  let lines = 0;
  for (let start = 0; start < text.length && lines < LINES_MAX; lines += 1) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    yield text.slice(start, Math.min(end, start + LINE_LENGTH_MAX));
    start = end + 1;
  }
}

const figureOf = (key: ServerFigureKey, sums: ReadonlyMap<string, number>): number => {
  const name = serverFigureRow(key).names.find(candidate => partsOf(candidate).every(part => sums.has(part)));
  if (name === undefined) return NO_FIGURE;
  const sum = partsOf(name).reduce((total, part) => total + (sums.get(part) ?? Number.NaN), 0);
  // Finite figures may have an infinite sum, and leaving one out would make it wrong.
  return Number.isFinite(sum) ? sum : NO_FIGURE;
};

const partsOf = (name: string | readonly string[]): readonly string[] =>
  typeof name === 'string' ? [name] : name;

/**
 * Engines of one server are summed; if each rank of one model reports the same, and for shares, the greatest counts.
 */
const addLine = (sums: Map<string, number>, line: string): void => {
  const [, name = '', labels = '', value = ''] =
    /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+(\S+)/.exec(line) ?? [];
  const wanted = WANTED.get(name);
  if (wanted === undefined) return;
  const figure = Number(value);
  if (!(figure >= 0 && Number.isFinite(figure))) return;
  const isGreatest = name.startsWith('sglang:') || SHARED.has(name);
  for (const { id, label } of wanted) {
    if (label !== undefined && !labels.includes(label)) continue;
    const before = sums.get(id);
    sums.set(id, isGreatest ? Math.max(before ?? 0, figure) : (before ?? 0) + figure);
  }
};

/** Some builds of llama.cpp (7010 and after) send the page as one JSON text: ggml-org/llama.cpp issue 17384. */
const plainText = (page: string): string => {
  if (!page.startsWith('"')) return page;
  try {
    const text: unknown = JSON.parse(page);
    return typeof text === 'string' ? text : page;
  } catch {
    return page;
  }
};

interface Wanted {
  /** Id in the table of figures. */
  readonly id: string;
  /** `reason="capacity"`; undefined: any labels. */
  readonly label: string | undefined;
}

const nameOf = (id: string): string => id.replace(/\{.*/, '');

const idsOf = (keys: readonly ServerFigureKey[]): readonly string[] => [
  ...new Set(keys.flatMap(key => serverFigureRow(key).names.flatMap(partsOf))),
];

/** By metric name. */
const WANTED: ReadonlyMap<string, readonly Wanted[]> = Map.groupBy(
  idsOf(SERVER_FIGURE_KEYS).map(id => ({ id, label: /\{(.*)\}/.exec(id)?.[1] })),
  ({ id }) => nameOf(id),
);
const SHARED: ReadonlySet<string> = new Set(
  idsOf(SERVER_FIGURE_KEYS.filter(key => serverFigureRow(key).isShared === true)).map(nameOf),
);

/** A page of a server with many histograms has some thousands. */
const LINES_MAX = 100_000;
const LINE_LENGTH_MAX = 4_096;
