// What one node requests of another before it coordinates a load there, and the reply: a mesh request, over
// any transport. It contains nothing of the load, which is sent point to point, under the ticket.

import * as v from 'valibot';
import { count, openObject, text } from './schema.ts';

export const AGENT_QUERY_TOPIC = 'bench.agent';

export type AgentAnswer =
  | {
      readonly kind: 'granted';
      /** Where its agent listens now, on every address of the node. */
      readonly port: number;
      /** Opens it, once, for the requesting node. */
      readonly ticket: string;
    }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly problem: string;
      readonly advice: string;
    };

const port = v.pipe(count, v.minValue(1), v.maxValue(65_535));
const ticket = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));

export const agentAnswerSchema: v.GenericSchema<unknown, AgentAnswer> = v.variant('kind', [
  openObject({ kind: v.literal('granted'), port, ticket }),
  openObject({ kind: v.literal('refused'), code: text, problem: text, advice: text }),
]);

export const refusedAgent = (code: string, problem: string, advice: string): AgentAnswer => ({
  kind: 'refused',
  code,
  problem,
  advice,
});
