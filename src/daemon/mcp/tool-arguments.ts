// Arguments that several tools take.

import * as v from 'valibot';
import type { NodeId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import type { State } from '../../core/state.ts';
import { McpToolError } from './mcp-tool.ts';

export const NODE: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(128),
  v.description('The id or the name of a node.'),
);

export const countFrom = ({
  least,
  most,
  usual,
  what,
}: {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
  readonly what: string;
}): v.GenericSchema<number | undefined, number> =>
  v.pipe(
    v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(least), v.maxValue(most)), usual),
    v.description(`${what}, ${least} to ${most}.`),
  );

/** @param usual so many that an answer has some 4 kB at most: what reads it pays for each word. */
export const limitFrom = (usual: number): v.GenericSchema<number | undefined, number> =>
  countFrom({ least: 1, most: 100, usual, what: 'The maximum number' });

/** @throws McpToolError where there is none, or several of that name. */
export const nodeOf = (state: State, requested: string): NodeId => {
  const ids = nodeIds(state);
  const byId = ids.find(id => id === requested);
  if (byId !== undefined) return byId;
  const named = ids.filter(id => nodeName(state, id) === requested);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  throw new McpToolError(
    only === undefined
      ? 'there is no such node: list_nodes lists them'
      : `${named.length} nodes have this name: give the id`,
  );
};
