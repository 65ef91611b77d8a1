// server.csv of a run directory: what the server reported during the run, one line per reading, times in
// seconds since the run's zero. Empty: not reported; a line without any figure is a reading that failed.
// Usable in spreadsheets, and read back for charts.

import { NO_FIGURE } from '../core/run/event-record.ts';
import { SERVER_FIGURE_KEYS, type ServerFigureKey, type ServerReading } from '../core/run/server-reading.ts';

export const SERVER_HEADER: string = `${['seconds', 'inFlight', ...SERVER_FIGURE_KEYS].join(',')}\n`;

export const encodeServerLine = (reading: ServerReading): string =>
  `${[
    (reading.atNs / 1e9).toFixed(3),
    reported(reading.inFlight),
    ...SERVER_FIGURE_KEYS.map(key => reported(reading[key])),
  ].join(',')}\n`;

/** For a reading that failed: only its time. */
export const encodeMissedLine = (atNs: number): string =>
  `${(atNs / 1e9).toFixed(3)}${','.repeat(SERVER_FIGURE_KEYS.length + 1)}\n`;

export interface ServerLine {
  readonly seconds: number;
  /** Only those that the server reported. */
  readonly figures: ReadonlyMap<ServerFigureKey, number>;
}

/**
 * By the column names of the first line, so that columns of another version are harmless; unreadable lines
 * are left out.
 */
export const decodeServerLines = (text: string): readonly ServerLine[] => {
  const [head = '', ...lines] = text.split('\n');
  const names = head.split(',');
  const columns = SERVER_FIGURE_KEYS.map(key => [key, names.indexOf(key)] as const);
  const secondsAt = names.indexOf('seconds');
  return lines.flatMap(line => {
    const cells = line.split(',');
    const seconds = figureOf(cells[secondsAt]);
    if (cells.length !== names.length || seconds === undefined) return [];
    const figures = columns.flatMap(([key, at]) => {
      const figure = figureOf(cells[at]);
      return figure === undefined ? [] : [[key, figure] as const];
    });
    return [{ seconds, figures: new Map(figures) }];
  });
};

const reported = (figure: number): string => (figure === NO_FIGURE ? '' : String(figure));

const figureOf = (cell: string | undefined): number | undefined => {
  const figure = cell === undefined || cell === '' ? Number.NaN : Number(cell);
  return Number.isFinite(figure) && figure >= 0 ? figure : undefined;
};
