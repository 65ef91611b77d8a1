// The client of a run: how late it was itself, how busy, and how far that limits the figures.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { figureText, formatCount } from '../../core/figure/figure.ts';
import { stampsText } from '../../core/run/arrival-stamps.ts';
import {
  figureVerdicts,
  figureVerdictText,
  unboundedReason,
  unboundedText,
} from '../../core/run/figure-verdict.ts';
import type { LatenessFigures, Report } from '../../core/run/report.ts';
import { verdictText } from '../../core/run/run.ts';
import { stateOf } from '../../core/run/run-digest.ts';
import { isUnknown, type Unknown } from '../../core/unknown.ts';
import type { Section } from '../section.ts';
import { TOO_FEW } from './percentile-text.ts';
import { isSendTailReported } from './report-summary.ts';

export const clientSection = (report: Report): Section => {
  const { client, droppedEvents } = report;
  const { opened, reused, closed, stale } = client.connections;
  return {
    key: 'client',
    title: 'Client',
    count: verdictText(client.verdict, stateOf(report)),
    isDetail: true,
    tables: [
      {
        name: 'Client',
        columns: [],
        rows: [
          ['timestamps of replies', stamps(report)],
          ['send lateness', lateness(client.sendLatenessNs, isSendTailReported(report))],
          ['read lateness', lateness(client.readLatenessNs)],
          ['event loop delay', lateness(client.eventLoopDelayNs)],
          ['heartbeat lateness', lateness(client.beatLatenessNs)],
          [
            'throttled, stolen, pressure',
            [client.throttledShare, client.stolenShare, client.pressureShare].map(share).join(', '),
          ],
          ['busy, on a core', [client.eventLoopUtilization, client.cpuShare].map(share).join(', ')],
          [
            'garbage collection',
            isUnknown(client.gcPauseNs)
              ? time(client.gcPauseNs)
              : `${time(client.gcPauseNs.total)}, longest ${time(client.gcPauseNs.max)}`,
          ],
          ['connections', `${opened} opened, ${reused} reused, ${closed} closed, ${stale} stale`],
          ['records lost', formatCount(droppedEvents)],
        ],
        texts: [0, 1],
      },
    ],
    remarks: bounds(report),
  };
};

/** Each agent's, in a run from several machines. */
const stamps = ({ run, agents }: Report): string =>
  agents === undefined
    ? stampsText(run.stamps)
    : agents.map(agent => `${agent.name} ${stampsText(agent.stamps)}`).join('; ');

/** How far each figure may be off by the client. */
const bounds = ({ series, rateBounds }: Report): readonly string[] => {
  const reason = unboundedReason(series, rateBounds);
  return [
    ...figureVerdicts(series).map(figureVerdictText),
    ...(reason === undefined ? [] : [unboundedText(reason)]),
  ];
};

const lateness = (value: LatenessFigures | Unknown, isTailReported = true): string =>
  isUnknown(value)
    ? `unknown: ${value.reason}`
    : `p50 ${time(value.p50)}, p99 ${isTailReported ? time(value.p99) : TOO_FEW}, max ${time(value.max)}`;

const share = (value: number | Unknown): string =>
  isUnknown(value) ? `unknown: ${value.reason}` : `${(value * 100).toFixed(0)}%`;

const time = (ns: number | Unknown): string =>
  isUnknown(ns) ? `unknown: ${ns.reason}` : figureText(formatMeasuredNanoseconds(ns));
