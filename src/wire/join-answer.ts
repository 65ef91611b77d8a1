// What a node answers to whoever has shown a code to join: the keys of its cluster, or why not. One line of JSON over TLS.

import * as v from 'valibot';
import { text } from './schema.ts';

export const JOIN_ANSWER_BYTES_MAX = 4_096;

export type JoinAnswer =
  /** `clusterKeys`: as text, the current one first; two while the cluster changes its key. */
  | { readonly kind: 'member'; readonly clusterKeys: readonly string[] }
  /** `reason`: `used`, `expired`, `tries`, or one that a newer version has. */
  | { readonly kind: 'refused'; readonly reason: string };

export const encodeJoinAnswer = (answer: JoinAnswer): string => `${JSON.stringify(answer)}\n`;

/** Undefined for what is none. */
export const decodeJoinAnswer = (line: string): JoinAnswer | undefined => {
  try {
    const read = v.safeParse(answerSchema, JSON.parse(line));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
};

const answerSchema: v.GenericSchema<unknown, JoinAnswer> = v.variant('kind', [
  v.object({
    kind: v.literal('member'),
    clusterKeys: v.pipe(v.array(text), v.minLength(1), v.maxLength(2)),
  }),
  v.object({ kind: v.literal('refused'), reason: v.pipe(text, v.maxLength(64)) }),
]);
