// Finds the node that a person means by a name, an id or the beginning of an id, among the nodes of a daemon.

import * as v from 'valibot';
import type { NodeId } from '../core/ids.ts';
import { nodeIdSchema } from '../core/schema.ts';
import { CommandError } from './command-error.ts';
import type { DaemonClient } from './daemon-client.ts';

interface KnownNode {
  readonly nodeId: NodeId;
  readonly name: string;
}

export const knownNodes = async (client: DaemonClient, signal: AbortSignal): Promise<readonly KnownNode[]> =>
  (await client.answer(NODES, '/api/nodes', signal)).nodes;

/** @throws CommandError `usage` where none is meant, or several. */
export const nodeCalled = (requested: string, nodes: readonly KnownNode[]): KnownNode => {
  const meant =
    requested === ''
      ? []
      : nodes.filter(({ nodeId, name }) => name === requested || nodeId.startsWith(requested));
  const [node] = meant;
  if (node !== undefined && meant.length === 1) return node;
  const there = meant.length > 1 ? meant.map(({ nodeId }) => nodeId) : nodes.map(({ name }) => name);
  throw new CommandError(
    'usage',
    `${meant.length > 1 ? `${meant.length} nodes are` : 'no node is'} called ${JSON.stringify(requested)}`,
    there.length === 0 ? 'There is no other node.' : `There are: ${there.join(', ')}.`,
  );
};

/** @throws CommandError `usage` if no node or several match, and if the name means `self`. */
export const otherNodeCalled = (requested: string, nodes: readonly KnownNode[], self: NodeId): KnownNode => {
  const others = nodes.filter(({ nodeId }) => nodeId !== self);
  const own = nodes.find(({ nodeId }) => nodeId === self);
  const isOwn =
    own !== undefined && requested !== '' && (own.name === requested || self.startsWith(requested));
  if (isOwn && !others.some(({ nodeId, name }) => name === requested || nodeId.startsWith(requested)))
    throw new CommandError(
      'usage',
      `${requested} is this machine`,
      others.length === 0
        ? 'There is no other node.'
        : `The others are: ${others.map(({ name }) => name).join(', ')}.`,
    );
  return nodeCalled(requested, others);
};

/** Only the part of the answer that commands need: a daemon of another version may report less or more about each node. */
const NODES: v.GenericSchema<unknown, { readonly nodes: readonly KnownNode[] }> = v.object({
  nodes: v.array(v.object({ nodeId: nodeIdSchema, name: v.string() })),
});
