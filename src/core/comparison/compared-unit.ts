// A report as a unit of a comparison: its figures by the names of the metrics, and whether its client can be
// trusted with them.

import { maximumOf } from '../extremes.ts';
import type { Report } from '../run/report.ts';
import { isKnown } from '../unknown.ts';
import type { ComparedUnit, UnitPair } from './comparison-document.ts';
import { COMPARISON_METRICS } from './comparison-metrics.ts';

export const comparedUnit = (report: Report, directory: string, pair?: UnitPair): ComparedUnit => ({
  runId: report.run.id,
  directory,
  startedAt: report.run.startedAt,
  ...(pair === undefined ? {} : { pair }),
  issued: report.counts.issued,
  completed: report.counts.completed,
  failed: report.counts.failed,
  windowNs: report.windowNs,
  clientVerdict: report.client.verdict,
  figures: Object.fromEntries(COMPARISON_METRICS.map(({ name, of }) => [name, of(report)])),
});

/**
 * Whether the client, and not the server, may have made a figure of this size: it lost records, got no
 * processor time, is not trustworthy, or was itself late by more than the share of the figure that matters.
 */
export const isClientInTheWay = (
  { client, droppedEvents, errors }: Pick<Report, 'client' | 'droppedEvents' | 'errors'>,
  { figureNs, marginShare }: { readonly figureNs: number; readonly marginShare: number },
): boolean => {
  if (client.verdict !== 'client-bound') return client.verdict === 'unknown';
  if (client.starved || droppedEvents > 0 || (errors.client ?? 0) > 0) return true;
  const lateNs = [client.sendLatenessNs, client.readLatenessNs, client.beatLatenessNs].map(lateness =>
    isKnown(lateness) ? lateness.p99 : 0,
  );
  return maximumOf(lateNs) > marginShare * figureNs;
};
