// Nodes and links as combined views.

import { isNodeId } from '../../core/ids.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import { clusterTotals } from '../../core/totals.ts';
import { linkRows, nodeRow } from './cluster-views.ts';
import type { HttpServerOptions } from './http-options.ts';
import { JSON_TYPE, toJson } from './json.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, anyObject, jsonResponse, pathParameter } from './route.ts';

export const clusterRoutes = ({ clock, cluster, nodeId, forget }: HttpServerOptions): readonly ApiRoute[] => [
  {
    method: 'GET',
    path: '/api/nodes',
    access: 'read',
    summary:
      'Every node as one view: each reading with its source, age and whether it is stale, and the totals.',
    parameters: [],
    body: undefined,
    responses: { 200: jsonResponse('The nodes.', listOf('nodes', 'A node.')) },
    handle: (_request, reply) => {
      const nowMs = clock.nowMs();
      const { state } = cluster;
      const nodes = nodeIds(state).map(id => nodeRow(state, id, nowMs));
      return reply.type(JSON_TYPE).send(toJson({ self: nodeId, totals: clusterTotals(state, nowMs), nodes }));
    },
  },
  {
    method: 'GET',
    path: '/api/nodes/{nodeId}',
    access: 'read',
    summary: 'One node; "self" is the node that answers.',
    parameters: [
      {
        name: 'nodeId',
        in: 'path',
        isRequired: true,
        description: 'A node id, or "self".',
        schema: { type: 'string', pattern: '^([a-z0-9]{26}|self)$' },
      },
    ],
    body: undefined,
    responses: { 200: jsonResponse('The node.', anyObject('A node.')) },
    handle: (request, reply) => {
      const asked = pathParameter(request, 'nodeId');
      const id = asked === 'self' ? nodeId : asked;
      const { state } = cluster;
      if (isNodeId(id) && nodeIds(state).includes(id)) {
        return reply.type(JSON_TYPE).send(toJson(nodeRow(state, id, clock.nowMs())));
      }
      throw noSuchNode(asked);
    },
  },
  {
    method: 'POST',
    path: '/api/nodes/{nodeId}/forget',
    access: 'change',
    summary: 'Hides a node that is gone, on every node, until it speaks again.',
    parameters: [
      {
        name: 'nodeId',
        in: 'path',
        isRequired: true,
        description: 'A node id.',
        schema: { type: 'string', pattern: '^[a-z0-9]{26}$' },
      },
    ],
    body: undefined,
    responses: { 200: jsonResponse('The node that is hidden.', anyObject('Its id.')) },
    handle: (request, reply) => {
      const subject = pathParameter(request, 'nodeId');
      const result = isNodeId(subject) ? forget?.(subject) : undefined;
      if (result?.kind === 'forgotten') return reply.type(JSON_TYPE).send(toJson({ forgotten: subject }));
      throw refusedForget(result?.code ?? 'no-such-node', subject);
    },
  },
  {
    method: 'GET',
    path: '/api/links',
    access: 'read',
    summary: 'Every current connection between nodes that are not offline, with its newest profile.',
    parameters: [],
    body: undefined,
    responses: { 200: jsonResponse('The connections.', listOf('links', 'A connection, one way.')) },
    handle: (_request, reply) =>
      reply.type(JSON_TYPE).send(toJson({ links: linkRows(cluster.state, clock.nowMs()) })),
  },
];

const refusedForget = (code: 'no-such-node' | 'own-node' | 'node-is-live', subject: string): RequestError => {
  switch (code) {
    case 'own-node':
      return new RequestError({
        code,
        problem: 'This node cannot forget itself.',
        advice: 'Ask another one.',
      });
    case 'node-is-live':
      return new RequestError({
        code,
        problem: 'That node is heard now and would be back at once.',
        advice: 'Stop its daemon first.',
      });
    default:
      return noSuchNode(subject);
  }
};

const noSuchNode = (asked: string): RequestError =>
  new RequestError({
    code: 'no-such-node',
    problem: `No node ${asked.slice(0, 40)} is known here.`,
    advice: 'GET /api/nodes lists the nodes.',
  });

const listOf = (name: string, description: string) => ({
  type: 'object',
  required: [name],
  properties: { [name]: { type: 'array', items: { type: 'object', description } } },
});
