// What a server reported of itself during a run, for people: where the time of requests went, its gauges by mean and bounds, what its
// counters rose by next to what this client counted, and how far that can be believed. Every form of a report derives from this.

import { counted, figureText, formatBytes, formatCount, formatThreeDigits } from '../figure/figure.ts';
import { capitalized } from '../text/single-line.ts';
import { isUnknown } from '../unknown.ts';
import type { Report } from './report.ts';
import { SERVER_FIGURE_KEYS, type ServerFigureKey, serverFigureRow } from './server-reading.ts';
import type { ServerEvidence, ServerFigureSummary } from './server-tally.ts';
import { SERVER_TIME_COLUMNS, serverPrefixSentence, serverTimeRows } from './server-times.ts';

type ServerSources = Pick<Report, 'counts' | 'series' | 'server'>;

interface ServerAccount {
  /** Of which the tables are. */
  readonly readings: number;
  /** Without those that would be empty. */
  readonly tables: readonly ServerTable[];
  readonly remarks: readonly string[];
}

interface ServerTable {
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** undefined: the server reported nothing; `report.server` has the reason. */
export const serverAccount = (report: ServerSources): ServerAccount | undefined => {
  const { server } = report;
  if (isUnknown(server)) return undefined;
  const prefix = serverPrefixSentence(report);
  const tables: readonly ServerTable[] = [
    { name: 'Where the time went', head: SERVER_TIME_COLUMNS, rows: serverTimeRows(report) },
    { name: 'Metrics of the server', head: FIGURE_COLUMNS, rows: figureRows(server, report) },
  ];
  return {
    readings: server.readings,
    tables: tables.filter(({ rows }) => rows.length > 0),
    remarks: [...(prefix === undefined ? [] : [prefix]), ...serverRemarks(server)],
  };
};

const serverRemarks = ({
  countedOver,
  restarts,
  severalProcesses,
  figures,
}: ServerEvidence): readonly string[] => [
  ...(severalProcesses
    ? [
        'the totals of the server are unknown: its counters and the start of its process go back and forth, as if several processes with counters of their own answered at this URL',
      ]
    : []),
  ...(restarts === 0 || severalProcesses
    ? []
    : [
        `the counters of the server began again ${counted(restarts, 'time')}, as after a restart: its totals are lower bounds`,
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

/** vLLM and SGLang publish counters of bytes that count only with --enable-mfu-metrics: 0 is not what they moved. */
const isOff = (key: ServerFigureKey, { max }: ServerFigureSummary): boolean =>
  serverFigureRow(key).unit === 'bytes' && max === 0;

const FIGURE_COLUMNS: readonly string[] = ['', 'mean', 'least', 'most', 'in all', 'by the client'];

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

/** What this client counted of the same, of the requests that completed; '' where it cannot. */
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
