// Speculative decoding in every form of a report: what requests and the server report of it, what was accepted by position, and the
// time per output token next to it.

import { counted, figureText, formatCount, formatThreeDigits } from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import { seriesRow } from '../../core/run/run-series.ts';
import type { Speculation } from '../../core/run/speculation.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import { type Section, withRows } from '../section.ts';
import { formatRunFigure } from './format-run-figure.ts';
import { spreadTail, spreadTime } from './spread-text.ts';

type SpeculationSources = Pick<Report, 'speculation' | 'series'>;

export const speculationSection = (report: SpeculationSources): Section | undefined => {
  const { speculation } = report;
  if (speculation === undefined) return undefined;
  const { byPosition, byTercile } = speculation;
  return {
    key: 'speculation',
    title: 'Speculative decoding',
    note: 'by request from replies; by position from the counters of the server, for all its clients',
    lead: [...byReplies(report), ...byServer(speculation)],
    tables: withRows(
      {
        name: 'Accepted by position in a draft',
        columns: ['Position', 'Of all drafts', 'Of those that reached it'],
        rows: byPosition.map(({ position, ofDrafts, ofReached }) => [
          String(position),
          shareText(ofDrafts),
          shareText(ofReached),
        ]),
      },
      {
        name: 'Time per output token by acceptance',
        columns: ['Tokens per step', 'Requests', 'TPOT p50', 'TPOT p90'],
        rows: isUnknown(byTercile)
          ? []
          : byTercile.map(({ from, to, count, tpotNs }) => [
              from === to ? ratioText(from) : `${ratioText(from)} to ${ratioText(to)}`,
              formatCount(count),
              spreadTime(tpotNs, 'p50'),
              spreadTail(tpotNs, count),
            ]),
      },
    ),
    remarks: [
      ...(isUnknown(byTercile) ? [`Time per output token by acceptance: unknown, ${byTercile.reason}`] : []),
      ...correlationRemarks(speculation),
    ],
  };
};

/** "2.41 tokens per step, 64.2 % of draft tokens accepted, TPOT 12.1 ms, means of 100 requests" */
const byReplies = ({ series }: SpeculationSources): readonly string[] => {
  const { tokensPerStep, acceptedShare, tpotNs } = series;
  if (tokensPerStep === undefined || tokensPerStep.mean === null) return [];
  const accepted = acceptedShare?.mean ?? undefined;
  const tpot = tpotNs?.mean ?? undefined;
  return [
    [
      `${ratioText(tokensPerStep.mean)} ${seriesRow('tokensPerStep').label}`,
      ...(accepted === undefined ? [] : [`${shareText(accepted)} of draft tokens accepted`]),
      ...(tpot === undefined ? [] : [`${seriesRow('tpotNs').shortLabel} ${timeText(tpot)}`]),
      `means of ${counted(tokensPerStep.count, 'request')}`,
    ].join(', '),
  ];
};

const byServer = ({ acceptedShare, acceptanceLength }: Speculation): readonly string[] => {
  const parts = [
    ...(isUnknown(acceptanceLength)
      ? []
      : [`acceptance length ${ratioText(acceptanceLength)} (tokens for each step with a draft)`]),
    ...(isUnknown(acceptedShare)
      ? []
      : [`${shareText(acceptedShare)} of the draft tokens of all its clients accepted`]),
  ];
  return parts.length === 0 ? [] : [`By the server: ${parts.join(', ')}`];
};

const correlationRemarks = ({ tpotCorrelation }: Speculation): readonly string[] => {
  if (isUnknown(tpotCorrelation)) return [];
  const rank = `rank correlation ${tpotCorrelation.toFixed(2)}`;
  return [
    Math.abs(tpotCorrelation) < CORRELATION_LEAST
      ? `The time per output token does not correlate with tokens per step (${rank})`
      : `The time per output token correlates with tokens per step (${rank}); that shows no cause, because text that is easy to guess differs in other ways too`,
  ];
};

const shareText = (share: Reported<number>): string =>
  isUnknown(share) ? '–' : figureText({ figure: formatThreeDigits(share * 100), unit: '%' });

const ratioText = (ratio: number): string => formatRunFigure('ratio', ratio).figure;

const timeText = (ns: number): string => figureText(formatRunFigure('ns', ns));

const CORRELATION_LEAST = 0.2;
