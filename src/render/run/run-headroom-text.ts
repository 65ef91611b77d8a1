// Where a run is relative to the bound, as text: one line per figure, and the causes that were checked.

import { figureText, formatBytesPerSecond, formatThreeDigits } from '../../core/figure/figure.ts';
import type { CauseFinding, RunHeadroom, RunStanding } from '../../core/model/run-standing.ts';
import type { Report } from '../../core/run/report.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import { type Section, withRows } from '../section.ts';

export const headroomSection = ({ headroom }: Pick<Report, 'headroom'>): Section | undefined => {
  if (headroom === undefined) return undefined;
  if (isUnknown(headroom)) return { ...HEAD, unknown: headroom.reason };
  return {
    ...HEAD,
    note: 'what measured ceilings allow, and what is expected of the engine',
    tables: withRows({ name: HEAD.title, columns: RUN_HEADROOM_HEAD, rows: runHeadroomRows(headroom) }),
    remarks: runHeadroomRemarks(headroom),
  };
};

const HEAD = { key: 'headroom', title: 'Under the bound' };

export const RUN_HEADROOM_HEAD: readonly string[] = [
  'phase',
  'reached',
  'of bound',
  'of expected',
  'limited by',
];

export const runHeadroomRows = ({ standings }: RunHeadroom): readonly (readonly string[])[] =>
  standings.map(standing => [
    standingName(standing),
    `${formatThreeDigits(standing.achieved)} tok/s`,
    `${percent(standing.ofBound)} of ${formatThreeDigits(standing.bound)}`,
    `${percent(standing.ofExpected)} of ${formatThreeDigits(standing.expected.value)}`,
    LIMIT_LABELS[standing.limit],
  ]);

/** Remarks below the table. */
export const runHeadroomRemarks = (headroom: RunHeadroom): readonly string[] => {
  const { placement, deviceName, constants, errorShare, unjudged, readBytes, causes, notes } = headroom;
  return [
    `${placement} (${deviceName}, ${figureText(formatBytesPerSecond(headroom.ceilingBytesPerSecond))} measured), constants of ${constants}${isUnknown(errorShare) ? '' : `, off by ${percent(errorShare)}`}`,
    ...(headroom.standings.some(({ ofBound }) => ofBound > 1)
      ? ['above the bound: the facts, the probe or the run are not what they seem']
      : []),
    ...knownOr(notes, []),
    ...unjudged.map(({ phase, reason }) => `${phase} is not judged: ${reason}`),
    ...(isUnknown(readBytes)
      ? []
      : [
          `the server moved ${figureText(formatBytesPerSecond(readBytes.bytesPerSecond))} per device by its own count, ${percent(readBytes.ofCeiling)} of the measured bandwidth`,
        ]),
    ...causes.map(({ finding, text }) => `${FINDING_LABELS[finding]}: ${text}`),
  ];
};

const standingName = ({ phase, test, batch }: RunStanding): string => {
  if (test !== '') return test;
  return phase === 'decode' && batch > 1.05 ? `decode, ${formatThreeDigits(batch)} at once` : phase;
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const LIMIT_LABELS: Readonly<Record<RunStanding['limit'], string>> = {
  weights: 'weights',
  experts: 'experts',
  cache: 'cache',
  compute: 'compute',
  overhead: 'overhead',
  linkLatency: 'waiting for each other',
  linkBandwidth: 'exchanges',
};
const FINDING_LABELS: Readonly<Record<CauseFinding, string>> = {
  found: 'likely',
  'not-found': 'ruled out',
  unknown: 'possible',
};
