// What was lost, since when and why, as text: the same on every surface.

import { formatAge } from '../figure/duration.ts';
import { figureText } from '../figure/figure.ts';
import type { NodeId } from '../ids.ts';
import { isUnknown } from '../unknown.ts';
import type { Connection } from './connection.ts';
import type { LostPath } from './link-facts.ts';
import { typeText } from './link-text.ts';
import type { LinkView } from './link-view.ts';
import type { DeadEnd, LossCause } from './loss-cause.ts';

/** "lost 3 min ago" */
export const lostText = ({ lostAtMs }: Pick<LostPath, 'lostAtMs'>, nowMs: number): string =>
  `lost ${figureText(formatAge(Math.max(0, nowMs - lostAtMs)))} ago`;

/** "Ethernet en0–eth0 lost 3 min ago" */
export const lostPathText = (path: LostPath, nodes: LinkView['nodes'], nowMs: number): string =>
  `${typeText(path.of)} ${pathEndsText(path.of, nodes)} ${lostText(path, nowMs)}`;

/** What the interfaces show, else what the source reported. */
export const lossReason = (
  { cause, reason }: Pick<LostPath, 'cause' | 'reason'>,
  nameOf: (node: NodeId) => string,
): string => lossCauseText(cause, nameOf) || reason;

/** "Ethernet en0–eth0": a path by the interfaces of its ends, in node order. */
export const pathEndsText = (
  { source, connection }: { readonly source: NodeId; readonly connection: Connection },
  [first]: readonly [NodeId, NodeId],
): string => {
  const [own, other] = [connection.sourceInterface, connection.sinkInterface].map(name =>
    isUnknown(name) ? '?' : name,
  );
  return source === first ? `${own}–${other}` : `${other}–${own}`;
};

/**
 * "cable unplugged or port down at en0 of atlas", or what both ends show; '' if the interfaces show nothing.
 */
export const lossCauseText = ({ deadEnds }: LossCause, nameOf: (node: NodeId) => string): string => {
  const down = deadEnds.filter(({ kind }) => kind === 'down').map(end => interfaceText(end, nameOf));
  const gone = deadEnds.filter(({ kind }) => kind === 'gone').map(end => interfaceText(end, nameOf));
  return [
    ...(down.length === 0 ? [] : [`cable unplugged or port down at ${down.join(' and ')}`]),
    ...(gone.length === 0 ? [] : [`no interface ${gone.join(' and ')} any more`]),
  ].join('; ');
};

const interfaceText = ({ node, interfaceName }: DeadEnd, nameOf: (node: NodeId) => string): string =>
  `${interfaceName} of ${nameOf(node)}`;
