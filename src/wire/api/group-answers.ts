// Groups of nodes in the HTTP API: first a summary of each, then the nodes of one.

import * as v from 'valibot';
import { count, figure, type Infer, nodeIdSchema, orUnknown, share, text } from '../../core/schema.ts';
import { warningSchema } from '../../core/warnings/warning.ts';
import { clusterTotalsSchema, totalSchema } from './cluster-answers.ts';

/** "rack", "site", "kind", "tag", or "tag:KEY". */
export const groupByTextSchema = v.pipe(
  v.string(),
  v.regex(/^(?:site|rack|kind|tag(?::.{1,63})?)$/, 'is not site, rack, kind, tag or tag:KEY'),
);

export const groupIdSchema = v.pipe(v.string(), v.maxLength(1_024));

export const listedGroupSchema = v.object({
  id: v.pipe(text, v.description('Empty for the nodes that are in no group.')),
  name: text,
  reason: v.exactOptional(v.pipe(text, v.description('Why its nodes are in no group.'))),
  kind: v.pipe(orUnknown(text), v.description('The kind of its machines, if all have the same one.')),
  level: v.picklist(['danger', 'caution', 'note', 'none']),
  warnings: v.object({ danger: count, caution: count, note: count }),
  nodes: v.object({ count, up: count, stale: count, stopped: count, offline: count }),
  totals: clusterTotalsSchema,
  memoryUse: v.pipe(
    orUnknown(v.pipe(v.number(), v.minValue(0))),
    v.description('Usage of the memory that models are stored in, over the nodes that are not offline.'),
  ),
  gpuUse: v.pipe(totalSchema, v.description('Use of its GPUs, each 0 to 1: divide the sum by knownCount.')),
  runners: v.pipe(count, v.description('Processes that serve or generate on its nodes now.')),
  outputTokensPerSecond: v.pipe(totalSchema, v.description('For the runs against its nodes.')),
});

export type ListedGroup = Infer<typeof listedGroupSchema>;

export const groupsAnswerSchema = v.object({
  by: groupByTextSchema,
  groups: v.array(listedGroupSchema),
});

const listedCellSchema = v.object({
  nodeId: nodeIdSchema,
  name: v.string(),
  presence: v.picklist(['up', 'stale', 'stopped', 'offline']),
  level: v.picklist(['danger', 'caution', 'note', 'none']),
  memoryUse: orUnknown(v.pipe(v.number(), v.minValue(0))),
  gpuUse: orUnknown(share),
});

export const groupMembersAnswerSchema = v.object({
  by: groupByTextSchema,
  group: listedGroupSchema,
  members: v.array(listedCellSchema),
  warnings: v.array(warningSchema),
});

const listedGroupPairSchema = v.object({
  groups: v.pipe(
    v.tuple([groupIdSchema, groupIdSchema]),
    v.description('Their ids; twice the same for the links within one.'),
  ),
  linkCount: count,
  medianBitsPerSecond: v.pipe(
    orUnknown(figure),
    v.description("For the links' slower directions; if nothing is known, the reason."),
  ),
  worstBitsPerSecond: orUnknown(figure),
  /** Its ends; none while nothing is known. */
  worstNodes: v.pipe(v.array(nodeIdSchema), v.description('The ends of the worst link.')),
  isFlagged: v.pipe(v.boolean(), v.description('The worst carries far less than it should.')),
});

/** The links between two groups, or within one; rates are those of a link's slower direction. */
export type ListedGroupPair = Infer<typeof listedGroupPairSchema>;

export const groupPairsAnswerSchema = v.object({
  by: groupByTextSchema,
  pairs: v.array(listedGroupPairSchema),
});
