// The form of `plimsoll status --json`. Read by programs of others: what is known of nodes, groups and totals has the forms that
// the HTTP API has, and a number that changes when a field goes or means something else.

import * as v from 'valibot';
import type { NodeId } from '../../core/ids.ts';
import type { State } from '../../core/state.ts';
import type { ClusterTotals } from '../../core/totals.ts';
import type { Warning } from '../../core/warnings/warning.ts';
import { noticeSchema, type ToldNotice } from '../notice.ts';
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
  readonly problems: readonly ToldNotice[];
  readonly totals: ClusterTotals;
  readonly groups?: readonly ListedGroup[];
  readonly nodes: readonly ListedNode[];
  readonly links: readonly ListedLink[];
  readonly warnings: readonly Warning[];
  readonly state: State;
}

export const statusDocumentSchema: v.GenericSchema<unknown, StatusDocument> = v.object({
  schema: v.literal(STATUS_SCHEMA),
  nodeId: v.pipe(nodeIdSchema, v.description('The node whose daemon was asked.')),
  plimsollVersion: v.pipe(text, v.description('Of that daemon.')),
  problems: v.pipe(v.array(noticeSchema), v.description('Its current notices.')),
  totals: v.pipe(clusterTotalsSchema, v.description('Of the nodes that are shown.')),
  groups: v.exactOptional(v.pipe(v.array(listedGroupSchema), v.description('With --group.'))),
  nodes: v.array(listedNodeSchema),
  links: v.pipe(
    v.array(listedLinkSchema),
    v.description('As /api/links: those with an end among the nodes that are shown.'),
  ),
  warnings: v.pipe(v.array(warningSchema), v.description('Of the nodes that are shown.')),
  state: v.pipe(stateSchema, v.description('Of the whole cluster; ages are counted up to now.')),
});
