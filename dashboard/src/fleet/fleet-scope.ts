// What a page asks the stream for: the picture of the fleet for all of them, and of a large one the part that the page shows.
// The daemon of a small cluster answers the first with the whole state, and then nothing else is asked for.

import { type FleetPick, pickText } from '../../../src/core/fleet/fleet-selection.ts';
import { nodesNamed, readHeadroomAddress } from '../headroom/headroom-address.ts';
import type { PageRoute } from '../shell/route.ts';
import { readFleetAddress } from './fleet-address.ts';

export const streamScope = (route: PageRoute, query: URLSearchParams): string => {
  const { by } =
    route.kind === 'cluster' || route.kind === 'links' ? readFleetAddress(query) : { by: undefined };
  return new URLSearchParams({ view: 'fleet', ...(by === undefined ? {} : { by }) }).toString();
};

export const pickScope = (by: string, pick: FleetPick): string =>
  new URLSearchParams({ view: 'pick', by, pick: pickText(pick) }).toString();

export const groupScope = (by: string, group: string): string =>
  new URLSearchParams({ view: 'group', by, group }).toString();

/** For one node its links too, for two the link between them, for a list each by itself. */
export const nodesScope = (view: 'node' | 'nodes' | 'link', nodes: readonly string[]): string =>
  new URLSearchParams({ view, nodes: nodes.join() }).toString();

/** Devices to place a model on: the first nodes of a fleet that are asked for, as many as one stream of a part of the state gives. */
export const headroomScope = (
  nodes: readonly { readonly nodeId: string; readonly name: string }[],
  query: URLSearchParams,
): string | undefined => {
  const named = nodesNamed(nodes, readHeadroomAddress(query).nodes).slice(0, HEADROOM_NODES_MAX);
  return named.length === 0
    ? undefined
    : nodesScope(
        'nodes',
        named.map(({ nodeId }) => nodeId),
      );
};

/** The matrix of groups, and of all links the page that the address means. */
export const linksScope = (by: string, query: URLSearchParams): string => {
  const scope = new URLSearchParams({ view: 'links', by });
  for (const name of ['q', 'type', 'flagged', 'page']) {
    const value = query.get(name);
    if (value !== null) scope.set(name, value);
  }
  return scope.toString();
};

export const RUNS_SCOPE: string = new URLSearchParams({ view: 'runs' }).toString();
const HEADROOM_NODES_MAX = 64;
