// The format of `plimsoll status --json`. Foreign programs read it: nodes, groups and totals have the same
// format as in the HTTP API, and its version changes if a field is removed or changes its meaning.

import * as v from 'valibot';
import type { NodeId } from '../../core/ids.ts';
import type { State } from '../../core/state.ts';
import type { ClusterTotals } from '../../core/totals.ts';
import type { Warning } from '../../core/warnings/warning.ts';
import { noticeSchema, type ReportedNotice } from '../notice.ts';
import { nodeIdSchema, text } from '../schema.ts';
import {
  clusterTotalsSchema,
  type ListedLink,
  type ListedNode,
  listedLinkSchema,
  listedNodeSchema,
} from './cluster-answers.ts';
import { type ListedGroup, listedGroupSchema, warningSchema } from './group-answers.ts';
import { stateSchema } from './state-answers.ts';

export const STATUS_SCHEMA = 'plimsoll.status/1';

export interface StatusDocument {
  readonly schema: typeof STATUS_SCHEMA;
  readonly nodeId: NodeId;
  readonly plimsollVersion: string;
  readonly problems: readonly ReportedNotice[];
  readonly totals: ClusterTotals;
  readonly groups?: readonly ListedGroup[];
  readonly nodes: readonly ListedNode[];
  readonly links: readonly ListedLink[];
  readonly warnings: readonly Warning[];
  readonly state: State;
}

export const statusDocumentSchema: v.GenericSchema<unknown, StatusDocument> = v.object({
  schema: v.literal(STATUS_SCHEMA),
  nodeId: v.pipe(nodeIdSchema, v.description('The node whose daemon responded.')),
  plimsollVersion: v.pipe(text, v.description('Version of that daemon.')),
  problems: v.pipe(v.array(noticeSchema), v.description('Its current notices.')),
  totals: v.pipe(clusterTotalsSchema, v.description('For the nodes that are shown.')),
  groups: v.exactOptional(v.pipe(v.array(listedGroupSchema), v.description('With --group.'))),
  nodes: v.array(listedNodeSchema),
  links: v.pipe(
    v.array(listedLinkSchema),
    v.description('As /api/links: those with an end among the nodes that are shown.'),
  ),
  warnings: v.pipe(v.array(warningSchema), v.description('For the nodes that are shown.')),
  state: v.pipe(stateSchema, v.description('For the whole cluster; ages are counted up to now.')),
});
