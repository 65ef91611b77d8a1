// What a model should do here: the placements of a model on the measured machines, each with its bound and what is expected.

import * as v from 'valibot';
import { ageMsOf } from '../../../core/entry-maps.ts';
import { maximumOf } from '../../../core/extremes.ts';
import { clusterHeadroom } from '../../../core/model/cluster-headroom.ts';
import type { RankedPlacement } from '../../../core/model/headroom.ts';
import { headroomQuestionSchema } from '../../../core/model/headroom-devices.ts';
import type { Interval } from '../../../core/model/model-facts.ts';
import { nodeName } from '../../../core/node/node-view.ts';
import { nodeIds } from '../../../core/node/presence-view.ts';
import type { Infer } from '../../../core/schema.ts';
import { partedSentence, textsIn } from '../../../core/text/sentence.ts';
import { isUnknown, type Unknown } from '../../../core/unknown.ts';
import { sentModelSchema } from '../../../wire/api/headroom-request.ts';
import {
  quoted,
  type ReportedFigure,
  type ReportedSentence,
  reportedFigureOf,
  reportedFigureSchema,
  reportedSentence,
  reportedSentenceSchema,
  unknownFigure,
} from '../figure-fields.ts';
import { type McpContext, type McpTool, mcpTool } from '../mcp-tool.ts';
import { countFrom, NODE, nodeOf } from '../tool-arguments.ts';

const placementSchema = v.object({
  name: v.string(),
  nodes: v.array(v.string()),
  fits: v.picklist(['fits', 'tight', 'does-not-fit', 'unknown']),
  contextThatFits: reportedFigureSchema,
  bound: v.pipe(
    reportedFigureSchema,
    v.description('Decoding speed of all sequences together at the measured ceilings: no engine is faster.'),
  ),
  expected: reportedFigureSchema,
  expectedLow: reportedFigureSchema,
  expectedHigh: reportedFigureSchema,
  limitedBy: v.string(),
  promptBound: reportedFigureSchema,
  promptExpected: reportedFigureSchema,
  behind: v.pipe(v.string(), v.description('Why it is slower than the first; empty for the first.')),
});

export const headroomTool: McpTool = mcpTool({
  name: 'headroom',
  title: 'Headroom of a model',
  description:
    'Does a model fit, what should it do on the measured machines, and what limits it? The bound follows from measured ceilings, the expectation from constants of engines. The facts of the model are those that `plimsoll headroom MODEL --json` has in `model`: this tool opens no file and contacts no server for them.',
  input: v.object({
    model: sentModelSchema,
    nodes: v.pipe(
      v.optional(v.pipe(v.array(NODE), v.maxLength(64))),
      v.description('Only these. Default: all that are not offline.'),
    ),
    question: v.optional(headroomQuestionSchema, {}),
    limit: countFrom({ least: 1, most: 50, usual: 3, what: 'The maximum number of placements' }),
  }),
  output: v.object({
    needs: v.object({ least: reportedFigureSchema, most: reportedFigureSchema }),
    placements: v.array(placementSchema),
    leftOut: v.number(),
    changes: v.array(
      v.object({
        what: reportedSentenceSchema,
        before: v.pipe(v.number(), v.description('tokens/s')),
        after: v.number(),
        makesItFit: v.boolean(),
      }),
    ),
    notes: v.array(reportedSentenceSchema),
  }),
  call: ({ model, nodes, limit, question }, context) => {
    const { state, nowMs } = context;
    const answer = clusterHeadroom(state, nowMs, {
      model,
      question,
      nodes: nodes?.map(node => nodeOf(state, node)),
    });
    const { need, placements, placementsLeftOut, changes, notes } = answer;
    const shown = placements.slice(0, limit);
    const names = [
      ...textsIn(model),
      ...nodeIds(state).map(node => nodeName(state, node)),
      ...placements.flatMap(({ name, parts }) => [name, ...textsIn(parts.map(({ device }) => device))]),
    ];
    const reported = (text: string): ReportedSentence => reportedSentence(partedSentence(text, names));
    return {
      text: `${placements.length + placementsLeftOut} placements, of which ${shown.length} are listed, the fastest that fits first.`,
      structured: {
        needs: isUnknown(need)
          ? { least: unknownFigure('bytes', need.reason), most: unknownFigure('bytes', need.reason) }
          : { least: needed(need.totalBytes, 'low'), most: needed(need.totalBytes, 'high') },
        placements: shown.map(placement => reportedPlacement(placement, context)),
        leftOut: placements.length + placementsLeftOut - shown.length,
        changes: changes
          .slice(0, CHANGES_SHOWN)
          .map(({ text, beforeTokensPerSecond, afterTokensPerSecond, makesItFit }) => ({
            what: reported(text),
            before: beforeTokensPerSecond,
            after: afterTokensPerSecond,
            makesItFit,
          })),
        notes: [...model.notes, ...notes].slice(0, NOTES_SHOWN).map(reported),
      },
    };
  },
});

const needed = (interval: Interval, end: 'low' | 'high'): ReportedFigure =>
  reportedFigureOf(interval[end], { unit: 'bytes', ageMs: 0, method: 'from the facts of the model' });

const reportedPlacement = (
  { name, parts, fit, contextThatFits, decode, prefill, behind }: RankedPlacement,
  { state, nowMs }: McpContext,
): Infer<typeof placementSchema> => {
  // As old as the oldest measurement that it follows from.
  const ageMs = maximumOf([
    0,
    ...parts.flatMap(({ device: { nodeId, deviceId } }) => {
      const profile = nodeId === undefined ? undefined : state.nodeGpuProfiles[nodeId]?.[deviceId];
      return profile === undefined ? [] : [ageMsOf(profile, nowMs) + profile.value.measuredAgeMs];
    }),
  ]);
  const reported = <T>(
    of: T | Unknown,
    unit: string,
    { value, method }: { readonly value: (known: T) => number; readonly method: string },
  ): ReportedFigure =>
    isUnknown(of) ? unknownFigure(unit, of.reason) : reportedFigureOf(value(of), { unit, ageMs, method });
  const constants = isUnknown(decode) ? '' : `constants: ${decode.constants}`;
  const speed = (end: 'value' | 'low' | 'high'): ReportedFigure =>
    reported(decode, 'tokens/s', {
      value: ({ expectedTokensPerSecond: all }) => all[end],
      method: constants,
    });
  return {
    name: quoted(name),
    nodes: [...new Set(parts.map(({ device }) => quoted(device.name)))],
    fits: fit.kind,
    contextThatFits: reportedFigureOf(contextThatFits, {
      unit: 'tokens',
      ageMs: 0,
      method: 'from the facts of the model',
    }),
    bound: reported(decode, 'tokens/s', {
      value: ({ boundTokensPerSecond }) => boundTokensPerSecond,
      method: 'measured ceilings',
    }),
    expected: speed('value'),
    expectedLow: speed('low'),
    expectedHigh: speed('high'),
    limitedBy: isUnknown(decode) ? '' : decode.limit,
    promptBound: reported(prefill, 's', {
      value: ({ boundSeconds }) => boundSeconds,
      method: 'measured ceilings',
    }),
    promptExpected: reported(prefill, 's', {
      value: ({ expectedSeconds }) => expectedSeconds.value,
      method: constants,
    }),
    behind: quoted(behind),
  };
};

const CHANGES_SHOWN = 5;
const NOTES_SHOWN = 16;
