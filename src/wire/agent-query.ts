// What one node requests of another before it coordinates a load there, and the reply: a mesh request, over
// any transport. It contains nothing of the load, which is sent point to point, under the ticket.

import * as v from 'valibot';
import { count, type Infer, openObject, text } from '../core/schema.ts';

export const AGENT_QUERY_TOPIC = 'bench.agent';

const port = v.pipe(count, v.minValue(1), v.maxValue(65_535));
const ticket = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));

export const agentAnswerSchema = v.variant('kind', [
  openObject({
    kind: v.literal('granted') /** Where its agent listens now, on every address of the node. */,
    port /** Opens it, once, for the requesting node. */,
    ticket,
  }),
  openObject({ kind: v.literal('refused'), code: text, problem: text, advice: text }),
]);

export type AgentAnswer = Infer<typeof agentAnswerSchema>;

export const refusedAgent = (code: string, problem: string, advice: string): AgentAnswer => ({
  kind: 'refused',
  code,
  problem,
  advice,
});
