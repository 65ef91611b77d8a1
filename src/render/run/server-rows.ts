// What a server reported of itself during a run, for people: how the time of requests was spent, its gauges
// by mean and range, the increase of its counters next to this client's counts, and how far that is
// trustworthy. Every form of a report derives from this.

import {
  counted,
  figureText,
  formatBytes,
  formatCount,
  formatThreeDigits,
} from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import { SERVER_FIGURE_KEYS, type ServerFigureKey, serverFigureRow } from '../../core/run/server-reading.ts';
import type { ServerEvidence, ServerFigureSummary } from '../../core/run/server-tally.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown } from '../../core/unknown.ts';
import { type Section, withRows } from '../section.ts';
import { SERVER_TIME_COLUMNS, serverPrefixSentence, serverTimeRows } from './server-times.ts';

type ServerSources = Pick<Report, 'counts' | 'series' | 'server'>;

/** The last sentences are how far the totals are trustworthy. */
export const serverSection = (report: ServerSources): Section => {
  const { server } = report;
  if (isUnknown(server)) return { ...HEAD, unknown: server.reason };
  const prefix = serverPrefixSentence(report);
  return {
    ...HEAD,
    count: counted(server.readings, 'reading'),
    note: 'of all its clients',
    tables: withRows(
      { name: 'Where the time went', columns: SERVER_TIME_COLUMNS, rows: serverTimeRows(report) },
      { name: 'Metrics of the server', columns: FIGURE_COLUMNS, rows: figureRows(server, report) },
    ),
    remarks: [...(prefix === undefined ? [] : [prefix]), ...serverRemarks(server)].map(capitalized),
  };
};

const HEAD = { key: 'server', title: "Server's own metrics" };

const serverRemarks = ({
  countedOver,
  restarts,
  severalProcesses,
  figures,
}: ServerEvidence): readonly string[] => [
  ...(severalProcesses
    ? [
        'the totals of the server are unknown: its counters and the start of its process change back and forth, as if several processes with separate counters answered at this URL',
      ]
    : []),
  ...(restarts === 0 || severalProcesses
    ? []
    : [
        `the counters of the server were reset ${counted(restarts, 'time')}, as after a restart: its totals are lower bounds`,
      ]),
  ...(countedOver === 'whole' || !SERVER_FIGURE_KEYS.some(key => key in figures && isCounter(key))
    ? []
    : [
        'totals are from the first reading to the last one while the load ran: what the server did before and after is missing',
      ]),
];

const isCounter = (key: ServerFigureKey): boolean => serverFigureRow(key).kind === 'counter';

/** Gauges first: they have the columns on the left. */
const SHOWN_KEYS: readonly ServerFigureKey[] = SERVER_FIGURE_KEYS.filter(
  key => serverFigureRow(key).isHidden !== true,
).toSorted((one, other) => Number(isCounter(one)) - Number(isCounter(other)));

/**
 * vLLM and SGLang publish byte counters that only count with --enable-mfu-metrics: 0 does not mean that no
 * bytes were moved.
 */
const isOff = (key: ServerFigureKey, { max }: ServerFigureSummary): boolean =>
  serverFigureRow(key).unit === 'bytes' && max === 0;

const FIGURE_COLUMNS: readonly string[] = ['metric', 'mean', 'least', 'most', 'in total', 'by the client'];

const figureRows = ({ figures }: ServerEvidence, report: ServerSources): readonly (readonly string[])[] =>
  SHOWN_KEYS.flatMap(key => {
    const of = figures[key];
    const { label, kind, unit } = serverFigureRow(key);
    if (of === undefined || isOff(key, of)) return [];
    const shown = (value: number): string =>
      unit === 'share' ? `${formatThreeDigits(value * 100)} %` : formatThreeDigits(value);
    const name = capitalized(label);
    return kind === 'counter'
      ? [
          [
            ...[name, '', '', ''],
            unit === 'bytes' ? figureText(formatBytes(of.rose)) : formatCount(of.rose),
            clientCount(key, report),
          ],
        ]
      : [[name, shown(of.mean), shown(of.min), shown(of.max), '', '']];
  });

/** This client's count of the same, over the requests that completed; '' if it has none. */
const clientCount = (key: ServerFigureKey, { counts, series }: ServerSources): string => {
  switch (key) {
    case 'promptTokens':
      return totalText(series.inputTokens);
    case 'generatedTokens':
      return totalText(series.outputTokens);
    case 'finished':
      return formatCount(counts.completed);
    default:
      return '';
  }
};

const totalText = (series: Report['series'][keyof Report['series']]): string =>
  series === undefined || series.count === 0 ? '' : formatCount(Number(series.total));
