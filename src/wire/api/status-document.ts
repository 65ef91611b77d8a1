// The format of `plimsoll status --json`. Foreign programs read it: nodes, groups and totals have the same
// format as in the HTTP API, and its version changes if a field is removed or changes its meaning.

import * as v from 'valibot';
import { type Infer, nodeIdSchema, text } from '../../core/schema.ts';
import { warningSchema } from '../../core/warnings/warning.ts';
import { noticeSchema } from '../notice.ts';
import { clusterTotalsSchema, listedLinkSchema, listedNodeSchema } from './cluster-answers.ts';
import { listedGroupSchema } from './group-answers.ts';
import { stateSchema } from './state-answers.ts';

export const STATUS_SCHEMA = 'plimsoll.status/1';

export const statusDocumentSchema = v.object({
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

export type StatusDocument = Infer<typeof statusDocumentSchema>;
