// Several transports, combined for replication and requests into one set of links. A node that is in a site's
// mesh and in a fleet has the links of both.

import type { NodeId } from '../core/ids.ts';
import type { MeshLink, MeshTransport, Unsubscribe } from './mesh.ts';
import type { Requests } from './requests.ts';

export type LinkSource = Pick<MeshTransport, 'links' | 'onLink'>;

export const joinedLinks = (
  localId: NodeId,
  sources: readonly LinkSource[],
): LinkSource & { readonly localId: NodeId } => ({
  localId,
  get links(): ReadonlyMap<NodeId, MeshLink> {
    return new Map(sources.flatMap(({ links }) => [...links]));
  },
  onLink: (listener): Unsubscribe => {
    const ends = sources.map(source => source.onLink(listener));
    return () => {
      for (const end of ends) end();
    };
  },
});

/** Sends requests over the first transport that has a link to the node; requests are served on all. */
export const routedRequests = (ways: readonly [RequestWay, ...(readonly RequestWay[])]): Requests => ({
  request: (node, topic, body, options) => {
    const way = ways.find(({ links }) => links.has(node)) ?? ways[0];
    return way.requests.request(node, topic, body, options);
  },
  serve: (topic, handler) => {
    const ends = ways.map(({ requests }) => requests.serve(topic, handler));
    return () => {
      for (const end of ends) end();
    };
  },
});

interface RequestWay {
  readonly links: { has(node: NodeId): boolean };
  readonly requests: Requests;
}
