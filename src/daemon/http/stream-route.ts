// The stream's own route: it takes the response from Fastify, because it never ends by itself.

import * as v from 'valibot';
import { RequestError } from './request-error.ts';
import type { RequestGuard } from './request-guard.ts';
import type { ApiRoute } from './route.ts';
import type { FleetHub } from './stream/fleet-hub.ts';
import type { StreamHub } from './stream/stream-hub.ts';
import { streamView } from './stream/stream-view.ts';

interface StreamSources {
  readonly hub: StreamHub;
  readonly fleets: FleetHub;
  readonly guard: RequestGuard;
  /** Nodes that are known. */
  readonly nodeCount: () => number;
}

export const streamRoute = ({ hub, fleets, guard, nodeCount }: StreamSources): ApiRoute => ({
  method: 'GET',
  path: '/api/stream',
  access: 'read',
  summary:
    'Server-sent events: "snapshot", then "batch" at most ten times a second, "heartbeat" every five seconds, and "dropped" with a reason before the end. With a view only what a page shows: "fleet" frames once a second.',
  parameters: [
    {
      name: 'view',
      in: 'query',
      description: `"fleet": groups with cells, levels and faults, and of clusters up to ${WHOLE_NODES_MAX} nodes the whole state after all; "pick": the links of what \`pick\` names; "group", "nodes": the state of these nodes; "node": of one with its links; "link": of two with the link between them; "links": the matrix of groups and a page of the list; "runs": all runs. Without it: the whole state.`,
      schema: v.string(),
    },
    {
      name: 'by',
      in: 'query',
      description: 'What nodes are grouped by: rack, site, kind, tag or tag:KEY.',
      schema: v.string(),
    },
    { name: 'pick', in: 'query', description: 'node:ID, group:NAME or pair:NAME|NAME.', schema: v.string() },
    { name: 'group', in: 'query', description: 'The id of a group.', schema: v.string() },
    {
      name: 'nodes',
      in: 'query',
      description: 'Ids of nodes, with commas between them: one for "node", two for "link".',
      schema: v.string(),
    },
    { name: 'q', in: 'query', description: '"links": in the name of an end.', schema: v.string() },
    {
      name: 'type',
      in: 'query',
      description: '"links": rdma, cable, wifi, overlay or unknown.',
      schema: v.string(),
    },
    {
      name: 'flagged',
      in: 'query',
      description: '"links": "only" those that fall short or fail.',
      schema: v.string(),
    },
    { name: 'page', in: 'query', description: '"links": of the list, from 0.', schema: v.string() },
    {
      name: 'last-event-id',
      in: 'header',
      description:
        'Resumes after the event with this id if it is still held; otherwise starts with a snapshot.',
      schema: v.string(),
    },
  ],
  body: undefined,
  isStream: true,
  answers: {
    200: { description: 'The stream.', content: { type: STREAM_TYPE, schema: STREAM } },
  },
  handle: (request, reply) => {
    const grant = guard.grant(request.raw, 'read');
    if (request.method === 'HEAD') return reply.type(STREAM_TYPE).send('');
    const isOwner = guard.isOwner(request.raw);
    hub.checkRoom(isOwner, fleets.clients);
    const requested = streamView(v.parse(VIEW_QUERY, request.query));
    const view = requested?.kind === 'fleet' && nodeCount() <= WHOLE_NODES_MAX ? undefined : requested;
    if (view !== undefined) fleets.checkRoom(view, isOwner);
    else if (nodeCount() > WHOLE_NODES_MAX) hub.checkWholeRoom(isOwner);
    const lastId = request.headers['last-event-id'];
    if (Array.isArray(lastId)) {
      throw new RequestError({
        code: 'bad-header',
        problem: 'The request has several Last-Event-ID headers.',
        advice: 'Send one.',
      });
    }
    const headers = { ...reply.getHeaders(), 'content-type': STREAM_TYPE, 'x-accel-buffering': 'no' };
    reply.hijack();
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.raw.flushHeaders();
    if (view === undefined) hub.open(reply.raw, { grant, isOwner, lastId });
    else fleets.open(reply.raw, { grant, isOwner, lastId, view });
    return reply;
  },
});

/** Of fewer nodes the whole state is smaller than the trouble: every page of theirs shows at once. */
export const WHOLE_NODES_MAX = 64;
const VIEW_QUERY = v.object({
  view: v.exactOptional(v.string()),
  by: v.exactOptional(v.string()),
  pick: v.exactOptional(v.string()),
  group: v.exactOptional(v.string()),
  nodes: v.exactOptional(v.string()),
  q: v.exactOptional(v.string()),
  type: v.exactOptional(v.string()),
  flagged: v.exactOptional(v.string()),
  page: v.exactOptional(v.string()),
});
const STREAM_TYPE = 'text/event-stream';
/** OpenAPI 3.1 has no word for the items of a stream. */
const STREAM = v.pipe(
  v.string(),
  v.description(
    'The data of each event is JSON in one line: "snapshot" is StreamSnapshot, "batch" StreamBatch, "heartbeat" StreamHeartbeat, "fleet" a FleetMessage of src/wire/fleet-message.ts, "dropped" StreamDropped.',
  ),
);
