// The cluster in small: nodes on a ring in their order, links between them, and which of both a placement uses.

import type { NodeId } from '../../../src/core/ids.ts';
import { isCarrying, type LinkView } from '../../../src/core/link/link-view.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import type { ModelPlacement } from './placement.ts';

interface PlacementMap {
  readonly nodes: readonly MapMember[];
  readonly links: readonly MapLine[];
  /** Nodes that there is no room for. */
  readonly hidden: number;
}

interface MapMember {
  readonly nodeId: NodeId;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** The height of its name: outwards. */
  readonly nameY: number;
  readonly isUsed: boolean;
  readonly isOffline: boolean;
}

interface MapLine {
  readonly key: string;
  readonly path: string;
  readonly isUsed: boolean;
}

/** @param used the nodes of the placement; `hops` between which of them a token crosses a link. */
export const placementMap = (
  views: readonly NodeView[],
  links: readonly LinkView[],
  {
    used,
    hops,
    width,
    height,
  }: {
    readonly used: readonly NodeId[];
    readonly hops: ModelPlacement['hops'];
    readonly width: number;
    readonly height: number;
  },
): PlacementMap => {
  // What is used is always shown.
  const chosen = [...views]
    .sort((a, b) => Number(used.includes(b.nodeId)) - Number(used.includes(a.nodeId)))
    .slice(0, NODES_MAX);
  const shown = views.filter(view => chosen.includes(view));
  const [middleX, middleY] = [width / 2, height / 2];
  const [radiusX, radiusY] = [Math.max(0, width / 2 - MARGIN_X), Math.max(0, height / 2 - MARGIN_Y)];
  const nodes = shown.map(({ nodeId, name, presence }, index): MapMember => {
    const turn =
      shown.length === 2 ? (index === 0 ? -Math.PI : 0) : -Math.PI / 2 + (2 * Math.PI * index) / shown.length;
    const [x, y] =
      shown.length === 1
        ? [middleX, middleY]
        : [middleX + radiusX * Math.cos(turn), middleY + radiusY * Math.sin(turn)];
    return {
      nodeId,
      name,
      x: rounded(x),
      y: rounded(y),
      nameY: rounded(y < middleY - 1 ? y - NODE_RADIUS - 6 : y + NODE_RADIUS + 14),
      isUsed: used.includes(nodeId),
      isOffline: presence === 'offline',
    };
  });
  const membersOf = new Map(nodes.map(node => [node.nodeId, node]));
  return {
    nodes,
    hidden: views.length - shown.length,
    // Lines that are used lie above the others.
    links: links
      .flatMap(({ key, nodes: [a, b], standing }): MapLine[] => {
        const [from, to] = [membersOf.get(a), membersOf.get(b)];
        if (from === undefined || to === undefined || !isCarrying(standing)) return [];
        return [
          {
            key,
            path: `M${from.x} ${from.y}L${to.x} ${to.y}`,
            isUsed: hops.some(hop => hop.includes(a) && hop.includes(b)),
          },
        ];
      })
      .sort((a, b) => Number(a.isUsed) - Number(b.isUsed)),
  };
};

const rounded = (value: number): number => Math.round(value * 10) / 10;

export const NODE_RADIUS = 9;
const NODES_MAX = 12;
const MARGIN_X = 54;
const MARGIN_Y = 34;
