// What Prometheus scrapes: the whole cluster, or the nodes of one group or by their ids or names.

import * as v from 'valibot';
import { groupsOf, parseGroupBy } from '../../core/group/group-by.ts';
import { nodePlace } from '../../core/group/node-place.ts';
import type { NodeId } from '../../core/ids.ts';
import { LinkWatch } from '../../core/link/link-view.ts';
import { nodeView } from '../../core/node/node-view.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import type { State } from '../../core/state.ts';
import { showable } from '../../core/text/single-line.ts';
import type { StreamCounts } from '../../wire/api/daemon-answers.ts';
import type { HttpServerOptions } from './http-options.ts';
import { formatAccepted, METRIC_TYPES } from './metrics/metric-page.ts';
import { metricsOf } from './metrics/render-metrics.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, type RouteParameter, readQuery } from './route.ts';

interface MetricsRouteParts {
  readonly streams: () => StreamCounts;
  readonly startedAtWallMs: number;
}

export const metricsRoute = (
  options: HttpServerOptions,
  { streams, startedAtWallMs }: MetricsRouteParts,
): ApiRoute => {
  const { clock, cluster, nodeId, version } = options;
  // Starts with the first scrape, and derives only what has changed since the last one.
  const watch = new LinkWatch();
  return {
    method: 'GET',
    path: '/metrics',
    access: 'read',
    summary:
      'Prometheus metrics. Unknown and stale values are absent; the time of each reading shows why. Beyond 40 nodes only the main figures of a node are included.',
    parameters: [NODE, GROUP],
    body: undefined,
    answers: {
      200: {
        description: 'Text format 0.0.4, or OpenMetrics 1.0.0 for a client that accepts it.',
        content: { type: 'text/plain', schema: v.string() },
      },
    },
    handle: (request, reply) => {
      const { state } = cluster;
      const nowMs = clock.nowMs();
      const only = nodesRequested(state, nowMs, {
        node: readQuery(request, NODE),
        group: readQuery(request, GROUP),
      });
      const page = metricsOf(
        {
          state,
          nowMs,
          wallMs: clock.wallMs(),
          nodeId,
          only,
          connectionsMax: options.limits.metricsConnectionsMax,
          version,
          startedAtWallMs,
          resources: options.resources(),
          streams: streams(),
          mesh: options.mesh?.(),
          otlp: options.otlp?.(),
          webhooks: options.webhooks?.() ?? [],
        },
        watch.read(state, nowMs),
      );
      const format = formatAccepted(request.headers.accept);
      return reply.type(METRIC_TYPES[format]).send(page.text(format));
    },
  };
};

/** Undefined where nobody asked for some. @throws RequestError where there is no such node or group. */
const nodesRequested = (
  state: State,
  nowMs: number,
  { node, group }: { readonly node: string | undefined; readonly group: string | undefined },
): ReadonlySet<NodeId> | undefined => {
  if (node === undefined && group === undefined) return undefined;
  const views = nodeIds(state).map(id => nodeView(state, id, nowMs));
  const named = new Set(node?.split(','));
  const isInGroup = group === undefined ? () => true : groupMember(group);
  const found = views.filter(
    view =>
      (node === undefined || named.has(view.nodeId) || named.has(view.name)) && isInGroup(nodePlace(view)),
  );
  if (found.length > 0) return new Set(found.map(({ nodeId }) => nodeId));
  const requested = [
    ...(node === undefined ? [] : [`node=${node}`]),
    ...(group === undefined ? [] : [`group=${group}`]),
  ];
  throw new RequestError({
    code: group === undefined ? 'no-such-node' : 'no-such-group',
    problem: `No node matches ${showable(requested.join(' and ').slice(0, 120))}.`,
    advice: 'GET /api/nodes lists the nodes, GET /api/groups?by=rack the groups.',
  });
};

const groupMember = (text: string): ((place: ReturnType<typeof nodePlace>) => boolean) => {
  const at = text.indexOf('=');
  const by = parseGroupBy(text.slice(0, at === -1 ? text.length : at));
  if (at === -1 || by.kind === 'wrong')
    throw new RequestError({
      code: 'bad-query',
      problem: `group=${showable(text.slice(0, 60))} names no group.`,
      advice: 'Write group=rack=greenwich/r01, group=site=greenwich, group=kind=NAME or group=tag=NAME.',
    });
  const id = text.slice(at + 1);
  return place => groupsOf(place, by.value).some(group => group.id === id);
};

const NODE: RouteParameter<string> = {
  name: 'node',
  in: 'query',
  description: 'Ids or names of nodes, with commas between them: only these, with all figures.',
  schema: v.pipe(v.string(), v.maxLength(4_096)),
};

const GROUP: RouteParameter<string> = {
  name: 'group',
  in: 'query',
  description: '"rack=greenwich/r01", "site=…", "kind=…", "tag=…": only its nodes, with all figures.',
  schema: v.pipe(v.string(), v.maxLength(256)),
};
