// Which cable is slow: the links by how far they fall behind what they should carry, and how one of them did in the past.

import * as v from 'valibot';
import { minimumOf } from '../../../core/extremes.ts';
import { counted } from '../../../core/figure/figure.ts';
import type { NodeId } from '../../../core/ids.ts';
import { longerQueueNs, queueText } from '../../../core/link/link-queue.ts';
import { linkShortfall } from '../../../core/link/link-shortfall.ts';
import { standingText, typeText } from '../../../core/link/link-text.ts';
import { type FigureView, figureAgeMs, type LinkView, linkViews } from '../../../core/link/link-view.ts';
import { lossReason, lostPathText } from '../../../core/link/loss-text.ts';
import { nodeName } from '../../../core/node/node-view.ts';
import { type UnusualFigure, unusualLinkFigures } from '../../../core/probe/unusual-figures.ts';
import type { Infer } from '../../../core/schema.ts';
import { partedSentence, textsIn } from '../../../core/text/sentence.ts';
import {
  quoted,
  type ReportedFigure,
  reportedFigureOf,
  reportedFigureSchema,
  reportedSentence,
  reportedSentenceSchema,
  unknownFigure,
} from '../figure-fields.ts';
import { type McpContext, type McpTool, mcpTool } from '../mcp-tool.ts';
import { limitFrom } from '../tool-arguments.ts';

const linkSchema = v.object({
  nodes: v.pipe(v.array(v.string()), v.description('Ids of both ends.')),
  names: v.array(v.string()),
  type: v.string(),
  there: v.pipe(reportedFigureSchema, v.description('From the first node to the second.')),
  back: reportedFigureSchema,
  roundTrip: reportedFigureSchema,
  queueUnderLoad: v.pipe(
    reportedFigureSchema,
    v.description('How much longer a round trip takes while a direction carries all it can; the worse one.'),
  ),
  expected: v.pipe(
    reportedFigureSchema,
    v.description(
      'What a direction falls short of: the negotiated rate, or the other direction. Without a value: no shortfall.',
    ),
  ),
  shareOfExpected: v.nullable(v.number()),
  shareOfOwnMedian: v.pipe(
    v.nullable(v.number()),
    v.description('Its worst figure against its own median of the last week, where it is unusual.'),
  ),
  standing: v.pipe(reportedSentenceSchema, v.description('Why there are no figures; empty where there are.')),
  lost: v.pipe(
    v.array(reportedSentenceSchema),
    v.description('Paths between the two that are lost: since when, and what both ends show.'),
  ),
});

type ReportedLink = Infer<typeof linkSchema>;

export const worstLinksTool: McpTool = mcpTool({
  name: 'worst_links',
  title: 'Worst links',
  description:
    'Which cable is slow or lost? Links by what they carry against what they should, in both directions: by shortfall (the negotiated rate, the other direction, its own past), bandwidth or round trip.',
  input: v.object({
    by: v.pipe(
      v.optional(v.picklist(['shortfall', 'bandwidth', 'round_trip']), 'shortfall'),
      v.description('shortfall: only those that fall short of something. The others list all, worst first.'),
    ),
    limit: limitFrom(5),
  }),
  output: v.object({ links: v.array(linkSchema), leftOut: v.number(), unmeasured: v.number() }),
  call: ({ by, limit }, context) => {
    const here = linkViews(context.state, context.nowMs).filter(({ standing }) => standing.kind !== 'gone');
    const links = here.map(view => ({ view, reported: reportedLink(view, context) }));
    const measured = links.filter(({ view }) => view.standing.kind === 'measured' || view.lost.length > 0);
    const chosen = measured
      .filter(
        ({ reported }) =>
          by !== 'shortfall' ||
          reported.lost.length > 0 ||
          reported.shareOfExpected !== null ||
          reported.shareOfOwnMedian !== null,
      )
      .toSorted((a, b) => badness(b, by) - badness(a, by))
      .map(({ reported }) => reported);
    return {
      text: `${chosen.length} of ${counted(here.length, 'link')}${by === 'shortfall' ? ' carry less than they should, or have lost a path' : ''}.`,
      structured: {
        links: chosen.slice(0, limit),
        leftOut: Math.max(0, chosen.length - limit),
        unmeasured: here.length - measured.length,
      },
    };
  },
});

interface Weighed {
  readonly view: LinkView;
  readonly reported: ReportedLink;
}

const badness = ({ view, reported }: Weighed, by: 'shortfall' | 'bandwidth' | 'round_trip'): number => {
  if (reported.lost.length > 0) return Number.MAX_VALUE;
  switch (by) {
    case 'shortfall':
      return -Math.min(reported.shareOfExpected ?? 1, reported.shareOfOwnMedian ?? 1);
    case 'bandwidth':
      return -Math.min(view.there?.value ?? Infinity, view.back?.value ?? Infinity);
    case 'round_trip':
      return view.roundTrip?.value ?? 0;
    default:
      return by satisfies never;
  }
};

const reportedLink = (view: LinkView, { state, nowMs }: McpContext): ReportedLink => {
  const shortfall = linkShortfall(view);
  const unusual = view.connections
    .filter(({ isMeasuredHere }) => isMeasuredHere)
    .flatMap(({ source, sink, connectionKey }) =>
      unusualLinkFigures(state, source, { kind: 'link', sink, connectionKey }),
    );
  return {
    nodes: [...view.nodes],
    names: view.nodes.map(id => quoted(nodeName(state, id))),
    type: typeText(view.best),
    there: linkFigure(view.last.there, 'bits/s', nowMs),
    back: linkFigure(view.last.back, 'bits/s', nowMs),
    roundTrip: linkFigure(view.last.roundTrip, 'ns', nowMs),
    queueUnderLoad: queueFigure(view, nowMs),
    expected:
      shortfall === undefined
        ? unknownFigure('bits/s', 'no shortfall is known')
        : reportedFigureOf(shortfall.expected.bitsPerSecond, {
            unit: 'bits/s',
            ageMs: nowMs - shortfall.of.measuredAtMs,
            method: shortfall.expected.kind === 'negotiated' ? 'negotiated rate' : 'the other direction',
          }),
    shareOfExpected:
      shortfall === undefined ? null : rounded(shortfall.bitsPerSecond / shortfall.expected.bitsPerSecond),
    shareOfOwnMedian: unusual.length === 0 ? null : rounded(minimumOf(unusual.map(worseShare))),
    standing: reportedSentence(partedSentence(standingText(view), textsIn(view.standing))),
    lost: view.lost.map(path => {
      const nameOf = (id: NodeId): string => nodeName(state, id);
      return reportedSentence(
        partedSentence(`${lostPathText(path, view.nodes, nowMs)}: ${lossReason(path, nameOf)}`, [
          ...view.nodes.map(nameOf),
          ...textsIn([path.of.connection, path.cause, path.reason]),
        ]),
      );
    }),
  };
};

/** The lower, the worse: of a round trip, which is worse when it is longer, the median's share of it. */
const worseShare = ({ value, median, side }: UnusualFigure<string>): number =>
  side === 'below' ? value / median : median / value;

/** Queueing delay of the connection whose round trip is reported. */
const queueFigure = ({ roundTrip }: LinkView, nowMs: number): ReportedFigure => {
  const profile = roundTrip?.of.profile;
  if (roundTrip === undefined || profile === undefined) return unknownFigure('ns', 'not measured yet');
  const queueNs = longerQueueNs(profile);
  if (queueNs === undefined) return unknownFigure('ns', queueText(profile));
  return { ...linkFigure(roundTrip, 'ns', nowMs), value: queueNs };
};

const linkFigure = (figure: FigureView | undefined, unit: string, nowMs: number): ReportedFigure => {
  if (figure === undefined) return unknownFigure(unit, 'not measured yet');
  const { profile, failure } = figure.of;
  return {
    ...reportedFigureOf(figure.value, {
      unit,
      ageMs: figureAgeMs(figure, nowMs),
      method: profile?.method ?? '',
      isStale: figure.isStale,
    }),
    reason: quoted(failure ?? ''),
  };
};

const rounded = (share: number): number => Math.round(share * 1_000) / 1_000;
