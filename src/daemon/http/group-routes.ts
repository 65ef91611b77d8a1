// Nodes by site, rack, kind or tag: summaries of all groups, and the nodes of one.

import { type GroupBy, groupByText, parseGroupBy } from '../../core/group/group-by.ts';
import { byNeedOfPairs, type GroupPair, groupPairs } from '../../core/group/group-pairs.ts';
import { type Group, groupCells, groupViews } from '../../core/group/group-view.ts';
import { type LinkView, LinkWatch } from '../../core/link/link-view.ts';
import { nodeView } from '../../core/node/node-view.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import { unknown } from '../../core/unknown.ts';
import { everyWarning } from '../../core/warnings/cluster-warnings.ts';
import { boundedWarnings } from '../../core/warnings/warning.ts';
import {
  groupByTextSchema,
  groupIdSchema,
  groupMembersAnswerSchema,
  groupPairsAnswerSchema,
  groupsAnswerSchema,
  type ListedGroupPair,
} from '../../wire/api/group-answers.ts';
import { listedGroup, NOTHING } from './cluster-views.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, jsonRoute, type RouteParameter, readQuery } from './route.ts';

export const groupRoutes = ({ clock, cluster }: HttpServerOptions): readonly ApiRoute[] => {
  // Starts with the first request, and derives only what has changed since the last one.
  const watch = new LinkWatch();
  const look = (by: GroupBy): { readonly groups: readonly Group[]; readonly links: readonly LinkView[] } => {
    const { state } = cluster;
    const nowMs = clock.nowMs();
    const views = nodeIds(state).map(id => nodeView(state, id, nowMs));
    const links = watch.read(state, nowMs);
    const warnings = everyWarning({ state, views, nowMs, links });
    return { groups: groupViews({ state, views, nowMs, warnings }, by), links };
  };
  return [
    jsonRoute({
      method: 'GET',
      path: '/api/groups',
      access: 'read',
      summary: 'Nodes by site, rack, kind or tag: what each group can carry together, and its warnings.',
      parameters: [BY],
      description: 'The groups.',
      answer: groupsAnswerSchema,
      handle: request => {
        const by = groupByOf(readQuery(request, BY));
        return { by: groupByText(by), groups: look(by).groups.map(listedGroup) };
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/api/groups/members',
      access: 'read',
      summary: 'The nodes of one group, each with its level, its loads and whether it answers.',
      parameters: [BY, GROUP],
      description: 'The group.',
      answer: groupMembersAnswerSchema,
      handle: request => {
        const by = groupByOf(readQuery(request, BY));
        const requested = readQuery(request, GROUP) ?? '';
        const group = look(by).groups.find(({ id }) => id === requested);
        if (group === undefined) throw noSuchGroup(requested);
        return {
          by: groupByText(by),
          group: listedGroup(group),
          members: groupCells(group).map(cell => ({
            ...cell,
            memoryUse: cell.memoryUse ?? NOTHING,
            gpuUse: cell.gpuUse ?? NOTHING,
          })),
          warnings: boundedWarnings(group.warningList),
        };
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/api/groups/links',
      access: 'read',
      summary:
        'The matrix by group: of each two groups, and within each, the median of their links and the worst.',
      parameters: [BY],
      description: 'Each two groups once, what needs a look first.',
      answer: groupPairsAnswerSchema,
      handle: request => {
        const by = groupByOf(readQuery(request, BY));
        const { groups, links } = look(by);
        const pairs = groupPairs(groups, links, nodeIds(cluster.state).length);
        return { by: groupByText(by), pairs: pairs.toSorted(byNeedOfPairs).map(listedPair) };
      },
    }),
  ];
};

/** `text` has passed its schema. */
const groupByOf = (text = 'rack'): GroupBy => {
  const by = parseGroupBy(text);
  return by.kind === 'ok' ? by.value : { kind: 'rack' };
};

const listedPair = ({ groups: [one, other], ...pair }: GroupPair): ListedGroupPair => {
  const nothing = unknown(pair.reason ?? 'not measured yet');
  return {
    groups: [one.id, other.id],
    linkCount: pair.linkCount,
    medianBitsPerSecond: pair.median ?? nothing,
    worstBitsPerSecond: pair.worst ?? nothing,
    worstNodes: pair.worstNodes ?? [],
    isFlagged: pair.isFlagged,
  };
};

const noSuchGroup = (requested: string): RequestError =>
  new RequestError({
    code: 'no-such-group',
    problem: `There is no group ${JSON.stringify(requested.slice(0, 60))} here.`,
    advice: 'GET /api/groups lists the groups with their ids.',
  });

const BY: RouteParameter<string> = {
  name: 'by',
  in: 'query',
  description: '"rack" (the default), "site", "kind", "tag", or "tag:KEY" for the values of tags KEY=VALUE.',
  schema: groupByTextSchema,
};

const GROUP: RouteParameter<string> = {
  name: 'group',
  in: 'query',
  description: 'The id of a group; without it the nodes that are in no group.',
  schema: groupIdSchema,
};
