// `--nodes A,B`: those nodes of the cluster that a plan is for, by name or id.

import type { NodeId } from '../core/ids.ts';
import { nodeName } from '../core/node/node-view.ts';
import { nodeIds } from '../core/node/presence-view.ts';
import { nonEmpty, type Option, value } from '../core/option/option.ts';
import type { State } from '../core/state.ts';
import type { Invocation } from './command.ts';
import { CommandError } from './command-error.ts';

export const nodesOption: Option<string | undefined> = value({
  name: 'nodes',
  valueName: 'A,B',
  meaning: 'Only these nodes of the cluster. Default: all.',
  parse: nonEmpty,
});

/** In the order of the option; undefined: all. @throws CommandError `usage` for a name that no node has */
export const requestedNodes = (invocation: Invocation, state: State): readonly NodeId[] | undefined => {
  const requested = invocation
    .option(nodesOption)
    ?.split(',')
    .map(name => name.trim());
  if (requested === undefined) return undefined;
  const known = nodeIds(state).map(nodeId => ({ nodeId, name: nodeName(state, nodeId) }));
  const meant = (name: string): readonly NodeId[] =>
    known.filter(node => node.name === name || node.nodeId === name).map(({ nodeId }) => nodeId);
  const strange = requested.find(name => name !== 'all' && meant(name).length === 0);
  if (strange !== undefined) {
    throw new CommandError(
      'usage',
      `--nodes: no node is called ${JSON.stringify(strange)}`,
      `The cluster has: ${known.map(({ name }) => name).join(', ')}`,
    );
  }
  return requested.includes('all') ? undefined : [...new Set(requested.flatMap(meant))];
};
