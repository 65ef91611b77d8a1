// The agents of a run: what each sent, and whether it can be trusted.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { figureText, formatCount, formatFinePercent, formatThreeDigits } from '../../core/figure/figure.ts';
import type { LiveAgent } from '../../core/run/live-agent.ts';
import type { Report, ReportRun } from '../../core/run/report.ts';
import { type ReportAgent, skewOf } from '../../core/run/report-agent.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import type { Section } from '../section.ts';

export const agentSection = ({ agents = [] }: Pick<Report, 'agents'>): Section | undefined =>
  agents.length === 0
    ? undefined
    : {
        key: 'agents',
        title: 'Agents',
        note: 'each its share of one schedule; the verdict of the run is that of the worst',
        tables: [{ name: 'Agents', columns: AGENT_COLUMNS, rows: agentRows(agents), codes: [0] }],
        remarks: agentRemarks(agents),
      };

/** While the run is in progress. */
export const liveAgentSection = (agents: readonly LiveAgent[]): Section => ({
  key: 'agents',
  title: 'Agents',
  note: 'each its share of one schedule; figures so far',
  tables: [{ name: 'Agents', columns: LIVE_AGENT_COLUMNS, rows: liveAgentRows(agents) }],
  remarks: liveAgentRemarks(agents),
});

export const LIVE_AGENT_COLUMNS: readonly string[] = [
  'agent',
  'issued',
  'completed',
  'failed',
  'in flight',
  'requests/s',
  'so far',
];

/** One row each, with the cells of LIVE_AGENT_COLUMNS. */
export const liveAgentRows = (agents: readonly LiveAgent[]): readonly (readonly string[])[] =>
  agents.map(({ agent, state, counts, requestsPerSecond, verdict }) => [
    agent,
    ...[counts.issued, counts.completed, counts.failed, Math.max(0, counts.unresolved)].map(formatCount),
    isUnknown(requestsPerSecond) ? '–' : formatThreeDigits(requestsPerSecond),
    state === 'lost' ? 'lost' : verdict,
  ]);

/** For agents with a problem. */
export const liveAgentRemarks = (agents: readonly LiveAgent[]): readonly string[] =>
  agents.flatMap(({ agent, reason }) => (reason === '' ? [] : [`${agent}: ${reason}`]));

const AGENT_COLUMNS: readonly string[] = [
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
const agentRows = (agents: readonly ReportAgent[]): readonly (readonly string[])[] => {
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
const agentRemarks = (agents: readonly ReportAgent[]): readonly string[] =>
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
