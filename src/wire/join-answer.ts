// A node's reply to a machine that has shown a join code: the keys of its cluster, or the reason for refusal.
// One line of JSON over TLS.

import * as v from 'valibot';
import { type Infer, text } from '../core/schema.ts';

export const JOIN_ANSWER_BYTES_MAX = 4_096;

export const encodeJoinAnswer = (answer: JoinAnswer): string => `${JSON.stringify(answer)}\n`;

/** Undefined if the line is not valid. */
export const decodeJoinAnswer = (line: string): JoinAnswer | undefined => {
  try {
    const read = v.safeParse(answerSchema, JSON.parse(line));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
};

const answerSchema = v.variant('kind', [
  v.object({
    kind: v.literal('member'),
    clusterKeys: v.pipe(v.array(text), v.minLength(1), v.maxLength(2)),
  }),
  v.object({ kind: v.literal('refused'), reason: v.pipe(text, v.maxLength(64)) }),
]);

export type JoinAnswer = Infer<typeof answerSchema>;
