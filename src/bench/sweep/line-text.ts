// line.txt: one sentence first, then the stages in the order they ran.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { figureText, formatThreeDigits } from '../../core/figure/figure.ts';
import type { Stage } from '../../core/sweep/stage.ts';
import type { LineDocument } from '../../core/sweep/sweep-document.ts';
import { isUnknown } from '../../core/unknown.ts';

export const lineText = (document: LineDocument): readonly string[] => {
  const { sentence, stages, objectives, confidence, resolution, target, model, state } = document;
  const asked =
    objectives.length === 0 ? 'none: the line is where the queue begins to grow' : objectives.join('; ');
  return [
    sentence,
    '',
    `target      ${target}${isUnknown(model) ? '' : `, ${model}`}`,
    `objectives  ${asked}`,
    `each verdict at ${percent(confidence)} confidence; ends ${percent(resolution)} apart were asked for${state === 'stopped' ? '; stopped before the end' : ''}`,
    '',
    ...stageTable(stages),
  ];
};

const stageTable = (stages: readonly Stage[]): readonly string[] => {
  const rows = [['', 'load', 'why', 'requests', 'seconds', 'verdict'], ...stages.map(stageRow)];
  const widths = HEADS.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return rows.flatMap((row, at) => {
    const line = row
      .map((cell, column) =>
        RIGHT.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
    const reasons = at === 0 ? [] : (stages[at - 1]?.reasons ?? []);
    return [line, ...reasons.map(reason => `      ${reason}`)];
  });
};

const stageRow = ({ number, load, purpose, verdict, figures }: Stage): readonly string[] => [
  String(number),
  load.kind === 'rate' ? `${formatThreeDigits(load.requestsPerSecond)}/s` : `${load.concurrency} at a time`,
  purpose,
  isUnknown(figures) ? '–' : String(figures.issued),
  isUnknown(figures) ? '–' : formatThreeDigits(figures.elapsedNs / 1e9),
  isUnknown(verdict) ? verdict.reason : `${verdict}${curveText(figures)}`,
];

const curveText = (figures: Stage['figures']): string => {
  if (isUnknown(figures) || isUnknown(figures.curve)) return '';
  const { series, percentile, atPercentile, p50 } = figures.curve;
  const name = series.startsWith('ttft') ? 'TTFT' : 'latency';
  const time = (ns: number): string => figureText(formatMeasuredNanoseconds(ns));
  return `, ${name} p50 ${time(p50)}, p${percentile} ${time(atPercentile)}`;
};

const percent = (share: number): string => `${Number((share * 100).toPrecision(6))}%`;

const HEADS = ['number', 'load', 'why', 'requests', 'seconds', 'verdict'] as const;
const RIGHT: ReadonlySet<number> = new Set([0, 3, 4]);
