// What a person should look at, and why something is not known.

import * as v from 'valibot';
import { counted, ofCount } from '../../../core/figure/figure.ts';
import { nodeView } from '../../../core/node/node-view.ts';
import { nodeIds } from '../../../core/node/presence-view.ts';
import { NODE_READING_KINDS } from '../../../core/node/reading.ts';
import { whyNot } from '../../../core/node/reading-view.ts';
import { foundWarnings } from '../../../core/warnings/cluster-warnings.ts';
import { quoted, reportedSentence, reportedSentenceSchema, wholeCommand } from '../figure-fields.ts';
import { type McpTool, mcpTool } from '../mcp-tool.ts';
import { limitFrom, NODE, nodeOf } from '../tool-arguments.ts';

export const warningsTool: McpTool = mcpTool({
  name: 'warnings',
  title: 'Warnings',
  description:
    'Everything in the cluster that a person should look at, serious things first, with the command that helps.',
  input: v.object({ limit: limitFrom(12) }),
  output: v.object({
    warnings: v.array(
      v.object({
        level: v.picklist(['danger', 'caution', 'note']),
        title: reportedSentenceSchema,
        why: reportedSentenceSchema,
        command: v.pipe(v.string(), v.description('A command for a person to type; empty if none helps.')),
        on: v.pipe(v.string(), v.description('The machine to type it on.')),
        nodes: v.array(v.string()),
      }),
    ),
    leftOut: v.number(),
  }),
  call: ({ limit }, { state, nowMs }) => {
    const views = nodeIds(state).map(id => nodeView(state, id, nowMs));
    const all = foundWarnings({ state, views, nowMs });
    const warnings = all.slice(0, limit).map(({ level, title, why, command, on, nodes }) => ({
      level,
      title: reportedSentence(title),
      why: reportedSentence(why),
      command: wholeCommand(command),
      on: quoted(on ?? ''),
      nodes: [...nodes],
    }));
    return {
      text: `${counted(all.length, 'warning')}.`,
      structured: { warnings, leftOut: all.length - warnings.length },
    };
  },
});

export const explainMissingTool: McpTool = mcpTool({
  name: 'explain_missing',
  title: 'Explain what is missing',
  description:
    'What a node does not report, and why: a tool that is missing, hardware that is not there, a source that fails.',
  input: v.object({ node: NODE }),
  output: v.object({
    missing: v.array(
      v.object({
        what: v.string(),
        kind: v.pipe(
          v.picklist(['waiting', 'absent', 'unavailable', 'stale']),
          v.description('absent: the machine has none of it. stale: the last value is old.'),
        ),
        reason: v.string(),
      }),
    ),
  }),
  call: ({ node }, { state, nowMs }) => {
    const view = nodeView(state, nodeOf(state, node), nowMs);
    const missing = NODE_READING_KINDS.flatMap(what => {
      const reading = view[what];
      return reading.kind === 'current'
        ? []
        : [{ what, kind: reading.kind, reason: quoted(whyNot(reading)) }];
    });
    return {
      text: `${counted(missing.length, 'kind')} of readings ${ofCount(missing.length, 'is', 'are')} not current.`,
      structured: { missing },
    };
  },
});
