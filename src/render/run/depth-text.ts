// A depth profile as text: one table for terminals, and the cells of the form that users of llama-bench post.

import {
  type DepthProfile,
  depthTestName,
  type PrefixUse,
  type Spread,
} from '../../core/depth/depth-profile.ts';
import { formatCount } from '../../core/figure/figure.ts';
import type { EngineCalibration } from '../../core/model/engine-calibration.ts';
import type { Report } from '../../core/run/report.ts';
import { hangingLines, inColumns } from '../../core/text/columns.ts';
import { isUnknown, type Reported, type Unknown } from '../../core/unknown.ts';
import type { Section } from '../section.ts';

/** "1238.48 ± 3.12", as llama-bench writes it. */
export const plusMinusText = (spread: Spread | Unknown): string => {
  if (isUnknown(spread)) return '–';
  const { mean, stdDev } = spread;
  return isUnknown(stdDev) ? mean.toFixed(2) : `${mean.toFixed(2)} ± ${stdDev.toFixed(2)}`;
};

/** Of a run without one there is none. */
export const depthSection = ({
  depth,
  calibration,
}: Pick<Report, 'depth' | 'calibration'>): Section | undefined =>
  depth === undefined
    ? undefined
    : {
        key: 'depth',
        title: 'Speed by depth of context',
        note: `one request at a time, ± over ${depth.plan.repetitions} repetitions`,
        tables: [
          {
            name: 'Speed by depth of context',
            columns: ['test', 't/s'],
            rows: depth.rows.map(row => [depthTestName(row, depth.plan), plusMinusText(row.tokensPerSecond)]),
          },
        ],
        remarks: depthRemarks(depth, calibration).map(({ test, text }) => `${test}: ${text}`),
      };

export const depthLines = (
  profile: DepthProfile,
  calibration?: Reported<EngineCalibration>,
): readonly string[] => {
  const { plan, rows } = profile;
  return [
    ...inColumns(
      [
        ['test', 't/s', 'context', 'taken from'],
        ...rows.map(row => [
          depthTestName(row, plan),
          plusMinusText(row.tokensPerSecond),
          isUnknown(row.contextTokens) ? '–' : formatCount(Math.round(row.contextTokens)),
          PREFIX_LABELS[row.prefix],
        ]),
      ],
      { hasFigures: true },
    ),
    ...depthRemarks(profile, calibration).flatMap(({ test, text }) =>
      hangingLines('  ', `${test}: ${text}`, COLUMNS),
    ),
  ];
};

/**
 * Remarks below the table, each once.
 * @param calibration the result for the engine; undefined if not requested.
 */
export const depthRemarks = (
  { plan, rows }: DepthProfile,
  calibration?: Reported<EngineCalibration>,
): readonly DepthRemark[] => [
  ...rows.flatMap(row => {
    const reason = isUnknown(row.tokensPerSecond) ? [row.tokensPerSecond.reason] : [];
    return [...reason, ...row.remarks].map(text => ({ test: depthTestName(row, plan), text }));
  }),
  ...plan.skipped.map(({ depth, reason }) => ({ test: `d${depth}`, text: `skipped, ${reason}` })),
  ...(calibration !== undefined && isUnknown(calibration)
    ? [{ test: 'constants of the engine', text: `not measured, ${calibration.reason}` }]
    : []),
];

interface DepthRemark {
  /** "pp512 @ d4096", or a depth alone. */
  readonly test: string;
  readonly text: string;
}

const PREFIX_LABELS: Readonly<Record<PrefixUse, string>> = {
  none: '',
  cached: "the server's cache",
  read: 'read again',
  mixed: 'cache or read again',
  unclear: '–',
};
const COLUMNS = 80;
