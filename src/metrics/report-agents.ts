// The client section of a run on several machines: a merged result is as trustworthy as its worst client.

import type { ReportClient } from '../core/run/report.ts';
import { type ReportAgent, SKEW_MAX, skewedAgents, skewOf } from '../core/run/report-agent.ts';

/** The figures of all clients, with the verdict of the worst of them, by name. */
export const worstClient = (
  client: ReportClient,
  agents: readonly ReportAgent[] | undefined,
): ReportClient => {
  if (agents === undefined) return client;
  const verdict = VERDICTS.find(worst => agents.some(agent => agent.verdict === worst)) ?? 'unknown';
  const reasons = agents
    .filter(agent => agent.verdict === verdict)
    .flatMap(({ name, verdictReasons }) => verdictReasons.map(reason => `${name}: ${reason}`));
  return { ...client, verdict, reasons };
};

export const skewNotices = (agents: readonly ReportAgent[]): readonly string[] =>
  skewedAgents(agents).map(agent => {
    const { name, planned, counts } = agent;
    const percent = Math.abs((skewOf(agent) ?? 0) * 100).toFixed(1);
    return `${name} sent ${counts.issued} of its ${typeof planned === 'number' ? planned : 0} planned requests, ${percent}% off, over ${SKEW_MAX * 100}%: the load was not the one that was asked for`;
  });

/** Worst first. */
const VERDICTS = ['client-bound', 'unknown', 'trustworthy'] as const;
