// How a cable did before: what was measured on the connections of a link, as sums and as a short course.

import * as v from 'valibot';
import { maximumOf } from '../../../core/extremes.ts';
import { counted } from '../../../core/figure/figure.ts';
import type { NodeId } from '../../../core/ids.ts';
import type { ConnectionFacts } from '../../../core/link/link-facts.ts';
import { typeText } from '../../../core/link/link-text.ts';
import { linkViews } from '../../../core/link/link-view.ts';
import { nodeName } from '../../../core/node/node-view.ts';
import { DOWNLOAD, LINK_FIGURES, ROUND_TRIP, UPLOAD } from '../../../core/probe/unusual-figures.ts';
import type { Infer } from '../../../core/schema.ts';
import { lowerPercentile } from '../../../core/statistics/percentile.ts';
import { type FigurePoint, figurePoints } from '../../../wire/api/figure-points.ts';
import {
  quoted,
  type ReportedFigure,
  reportedFigureOf,
  reportedFigureSchema,
  sixDigits,
  unknownFigure,
} from '../figure-fields.ts';
import { type McpContext, type McpTool, McpToolError, mcpTool } from '../mcp-tool.ts';
import { countFrom, NODE, nodeOf } from '../tool-arguments.ts';

const pastSchema = v.object({
  measurements: v.number(),
  lowest: reportedFigureSchema,
  median: reportedFigureSchema,
  highest: reportedFigureSchema,
  newest: reportedFigureSchema,
});

const stepSchema = v.object({
  secondsAgo: v.pipe(v.number(), v.description('The middle of this part of the requested time.')),
  there: v.pipe(v.nullable(v.number()), v.description('Median, bits/s; null where nothing was measured.')),
  back: v.nullable(v.number()),
  roundTrip: v.pipe(v.nullable(v.number()), v.description('Median, ns.')),
});

const connectionSchema = v.object({
  connection: v.string(),
  measuredBy: v.string(),
  type: v.string(),
  there: v.pipe(pastSchema, v.description('From the node `from` to the node `to`.')),
  back: pastSchema,
  roundTrip: pastSchema,
  course: v.pipe(v.array(stepSchema), v.description('Oldest first, parts of equal length.')),
});

export const linkHistoryTool: McpTool = mcpTool({
  name: 'link_history',
  title: 'History of a link',
  description:
    'What was measured on the link of two nodes in the last days, by the answering machine: lowest, median, highest and newest of each direction and of the round trip, over time. Measurements older than three days are medians of an hour; after ninety days they are gone.',
  input: v.object({
    from: NODE,
    to: NODE,
    days: countFrom({ least: 1, most: 90, usual: 7, what: 'Number of days back' }),
    connections: countFrom({
      least: 1,
      most: 4,
      usual: 1,
      what: 'The maximum number of connections of the link, the fastest first',
    }),
    steps: countFrom({ least: 1, most: 96, usual: 14, what: 'Number of parts' }),
  }),
  output: v.object({
    from: v.string(),
    to: v.string(),
    connections: v.array(connectionSchema),
    leftOut: v.number(),
  }),
  call: async ({ from, to, days, connections, steps }, context) => {
    const { state, nowMs } = context;
    const ends = { from: nodeOf(state, from), to: nodeOf(state, to) };
    const link = linkViews(state, nowMs).find(
      ({ nodes }) => ends.from !== ends.to && nodes.includes(ends.from) && nodes.includes(ends.to),
    );
    if (link === undefined)
      throw new McpToolError('no link of these two nodes is known: worst_links lists links');
    const chosen = link.connections
      .toSorted((a, b) => Number(b === link.best) - Number(a === link.best) || carried(b) - carried(a))
      .slice(0, connections);
    const reported = [];
    for (const facts of chosen)
      reported.push(await reportedConnection(facts, { ...ends, backMs: days * DAY_MS, steps }, context));
    const most = maximumOf(reported.map(({ roundTrip }) => roundTrip.measurements));
    return {
      text: `At most ${most} measurements of a connection in ${counted(days, 'day')}.`,
      structured: {
        from: ends.from,
        to: ends.to,
        connections: reported,
        leftOut: link.connections.length - chosen.length,
      },
    };
  },
});

interface HistoryRange {
  readonly from: NodeId;
  readonly backMs: number;
  readonly steps: number;
}

const reportedConnection = async (
  { source, sink, connectionKey, ...facts }: ConnectionFacts,
  { from, backMs, steps }: HistoryRange,
  { state, profileRows, wallMs }: McpContext,
): Promise<Infer<typeof connectionSchema>> => {
  const rows = await profileRows({
    origin: source,
    slot: 'link',
    key: `${sink} ${connectionKey}`,
    sinceWallMs: wallMs - backMs,
    limit: ROWS_MAX,
  });
  const points = figurePoints(rows, LINK_FIGURES);
  const [there, back] = source === from ? [UPLOAD, DOWNLOAD] : [DOWNLOAD, UPLOAD];
  return {
    connection: quoted(connectionKey),
    measuredBy: quoted(nodeName(state, source)),
    type: typeText(facts),
    there: past(points, there, 'bits/s', wallMs),
    back: past(points, back, 'bits/s', wallMs),
    roundTrip: past(points, ROUND_TRIP, 'ns', wallMs),
    course: Array.from({ length: steps }, (_, at) => {
      const sinceMs = wallMs - backMs + (at * backMs) / steps;
      const part = points.filter(({ atMs }) => atMs >= sinceMs && atMs < sinceMs + backMs / steps);
      return {
        secondsAgo: Math.round((backMs / 1_000) * (1 - (at + 0.5) / steps)),
        there: medianOf(part, there),
        back: medianOf(part, back),
        roundTrip: medianOf(part, ROUND_TRIP),
      };
    }),
  };
};

const past = (
  points: readonly FigurePoint[],
  name: string,
  unit: string,
  wallMs: number,
): Infer<typeof pastSchema> => {
  const known = points.flatMap(({ atMs, figures }) => {
    const value = figures[name];
    return value === undefined ? [] : [{ ageMs: Math.max(0, wallMs - atMs), value }];
  });
  const sorted = known.toSorted((a, b) => a.value - b.value);
  const [oldest] = known;
  const reported = (point: (typeof known)[number] | undefined, method: string): ReportedFigure =>
    point === undefined
      ? unknownFigure(unit, 'nothing was measured in this time, or this machine has not stored it')
      : reportedFigureOf(point.value, { unit, ageMs: point.ageMs, method });
  const middle =
    sorted.length === 0
      ? undefined
      : lowerPercentile(
          sorted.map(({ value }) => value),
          50,
        );
  return {
    measurements: known.length,
    lowest: reported(sorted[0], 'lowest of them'),
    median: reported(
      middle === undefined || oldest === undefined ? undefined : { ageMs: oldest.ageMs, value: middle },
      'median of them; the age is that of the oldest',
    ),
    highest: reported(sorted.at(-1), 'highest of them'),
    newest: reported(known.at(-1), 'newest of them'),
  };
};

const medianOf = (points: readonly FigurePoint[], name: string): number | null => {
  const values = points.flatMap(({ figures }) => figures[name] ?? []).sort((a, b) => a - b);
  return values.length === 0 ? null : sixDigits(lowerPercentile(values, 50));
};

const carried = ({ profile }: ConnectionFacts): number => {
  const known = [profile?.[UPLOAD], profile?.[DOWNLOAD]];
  return maximumOf([0, ...known.filter(value => typeof value === 'number')]);
};

const DAY_MS = 24 * 3_600_000;
/** Every 5 minutes for 3 days, an hour for 87: 2,952. */
const ROWS_MAX = 3_000;
