// Nodes and links as combined views.

import * as v from 'valibot';
import { isNodeId } from '../../core/ids.ts';
import { LinkWatch } from '../../core/link/link-view.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import { nodeIdSchema } from '../../core/schema.ts';
import { clusterTotals } from '../../core/totals.ts';
import {
  forgetAnswerSchema,
  forgetLinkAnswerSchema,
  linksAnswerSchema,
  listedNodeSchema,
  nodesAnswerSchema,
} from '../../wire/api/cluster-answers.ts';
import { listedLinks, listedNode } from './cluster-views.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, jsonRoute, pathText, type RouteParameter } from './route.ts';

export const clusterRoutes = ({
  clock,
  cluster,
  nodeId,
  forget,
  forgetLink,
}: HttpServerOptions): readonly ApiRoute[] => {
  // Looked at again and again: what has not changed is not derived again.
  const watch = new LinkWatch();
  return [
    jsonRoute({
      method: 'GET',
      path: '/api/nodes',
      access: 'read',
      summary:
        'Every node as one view: each reading with its source, age and whether it is stale, and the totals.',
      description: 'The nodes.',
      answer: nodesAnswerSchema,
      handle: () => {
        const nowMs = clock.nowMs();
        const { state } = cluster;
        const nodes = nodeIds(state).map(id => listedNode(state, id, nowMs));
        return { self: nodeId, totals: clusterTotals(state, nowMs), nodes };
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/api/nodes/{nodeId}',
      access: 'read',
      summary: 'One node; "self" is the answering node.',
      parameters: [{ ...NODE_ID, description: 'A node id, or "self".', schema: SELF_OR_NODE }],
      description: 'The node.',
      answer: listedNodeSchema,
      handle: request => {
        const requested = pathText(request, NODE_ID);
        const id = requested === 'self' ? nodeId : requested;
        const { state } = cluster;
        if (isNodeId(id) && nodeIds(state).includes(id)) return listedNode(state, id, clock.nowMs());
        throw noSuchNode(requested);
      },
    }),
    jsonRoute({
      method: 'POST',
      path: '/api/nodes/{nodeId}/forget',
      access: 'change',
      summary: 'Hides a node that is gone, on every node, until it comes back.',
      parameters: [
        {
          ...NODE_ID,
          description: 'A node id; "self" is refused as the answering node.',
          schema: SELF_OR_NODE,
        },
      ],
      description: 'The node that is hidden.',
      answer: forgetAnswerSchema,
      handle: request => {
        const requested = pathText(request, NODE_ID);
        const subject = requested === 'self' ? nodeId : requested;
        if (!isNodeId(subject)) throw noSuchNode(subject);
        const result = forget?.(subject);
        if (result?.kind === 'forgotten') return { forgotten: subject };
        throw refusedForget(result?.code ?? 'no-such-node', subject);
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/api/links',
      access: 'read',
      summary:
        'Every open connection with the newest profile of its path, and every path that was lost, with its last one.',
      description: 'The connections, each one way.',
      answer: linksAnswerSchema,
      handle: () => {
        const nowMs = clock.nowMs();
        return { links: listedLinks(cluster.state, nowMs, watch.read(cluster.state, nowMs)) };
      },
    }),
    jsonRoute({
      method: 'POST',
      path: '/api/links/{nodeId}/{peerId}/forget',
      access: 'change',
      summary:
        'Hides the paths that are lost between two nodes, on every node, until they return or are lost again.',
      parameters: [
        { ...NODE_ID, description: 'A node id, or "self".', schema: SELF_OR_NODE },
        { ...PEER_ID, description: 'The other node.', schema: SELF_OR_NODE },
      ],
      description: 'The two nodes.',
      answer: forgetLinkAnswerSchema,
      handle: request => {
        const [one, other] = [NODE_ID, PEER_ID].map(parameter => {
          const requested = pathText(request, parameter);
          const id = requested === 'self' ? nodeId : requested;
          if (!isNodeId(id) || !nodeIds(cluster.state).includes(id)) throw noSuchNode(id);
          return id;
        });
        if (one === undefined || other === undefined) throw noSuchNode('');
        const result = forgetLink?.([one, other]);
        if (result?.kind === 'forgotten') return { forgotten: [...result.fact.nodes] };
        throw new RequestError({
          code: 'nothing-lost',
          problem: 'No path between these two nodes is lost.',
          advice: 'GET /api/links lists what is lost.',
        });
      },
    }),
  ];
};

const refusedForget = (code: 'no-such-node' | 'own-node' | 'node-is-live', subject: string): RequestError => {
  switch (code) {
    case 'own-node':
      return new RequestError({
        code,
        problem: 'This node cannot forget itself.',
        advice: 'Ask another node.',
      });
    case 'node-is-live':
      return new RequestError({
        code,
        problem: 'That node is up and would reappear at once.',
        advice: 'Stop its daemon first.',
      });
    default:
      return noSuchNode(subject);
  }
};

const noSuchNode = (requested: string): RequestError =>
  new RequestError({
    code: 'no-such-node',
    problem: `No node ${requested.slice(0, 40)} is known here.`,
    advice: 'GET /api/nodes lists the nodes.',
  });

const SELF_OR_NODE = v.union([v.literal('self'), nodeIdSchema]);

const PEER_ID: RouteParameter = {
  name: 'peerId',
  in: 'path',
  description: 'A node id.',
  schema: nodeIdSchema,
};

const NODE_ID: RouteParameter = {
  name: 'nodeId',
  in: 'path',
  description: 'A node id.',
  schema: nodeIdSchema,
};
