// The agents of a run as rows of a table, the same in text and on every page.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { figureText, formatCount, formatFinePercent } from '../../core/figure/figure.ts';
import type { ReportRun } from '../../core/run/report.ts';
import { type ReportAgent, skewOf } from '../../core/run/report-agent.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';

export const AGENT_COLUMNS: readonly string[] = [
  'agent',
  'issued',
  'share',
  'completed',
  'failed',
  'unresolved',
  'off plan',
  'sent late, p99',
  'clock within',
  'verdict',
];

/** One row each, with the cells of AGENT_COLUMNS. */
export const agentRows = (agents: readonly ReportAgent[]): readonly (readonly string[])[] => {
  const issued = agents.reduce((sum, { counts }) => sum + counts.issued, 0);
  return agents.map(agent => {
    const { name, counts, clockErrorMs, sendLatenessNsP99 = unknown('not reported') } = agent;
    return [
      name,
      formatCount(counts.issued),
      issued === 0 ? '–' : figureText(formatFinePercent(counts.issued / issued)),
      ...[counts.completed, counts.failed, counts.unresolved].map(formatCount),
      skewText(agent),
      isUnknown(sendLatenessNsP99) ? '–' : figureText(formatMeasuredNanoseconds(sendLatenessNsP99)),
      isUnknown(clockErrorMs) ? '–' : `${Number(clockErrorMs.toPrecision(2))} ms`,
      verdictOf(agent),
    ];
  });
};

/** "atlas, boreas"; undefined if one machine made the run. */
export const fromText = ({ from }: Pick<ReportRun, 'from'>): string | undefined =>
  from === undefined || from.length === 0 ? undefined : from.join(', ');

/** Why an agent's figures are not trustworthy, or incomplete. */
export const agentRemarks = (agents: readonly ReportAgent[]): readonly string[] =>
  agents.flatMap(({ name, reason, verdict, verdictReasons }) => [
    ...(reason === '' ? [] : [reason]),
    ...(verdict === 'trustworthy' ? [] : verdictReasons.map(one => `${name}: ${one}`)),
  ]);

const skewText = (agent: ReportAgent): string => {
  const skew = skewOf(agent);
  if (skew === undefined) return '–';
  return `${skew > 0 ? '+' : ''}${(skew * 100).toFixed(1)}%`;
};

const verdictOf = ({ state, verdict }: ReportAgent): string => (state === 'lost' ? 'lost' : verdict);
