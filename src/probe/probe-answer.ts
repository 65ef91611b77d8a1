// The child's side of a measurement: it reads its request, writes one line, and exits. It also exits when its parent is
// gone, as soon as a foreign call returns.

import { errorMessage } from '../core/problem.ts';
import type { Env } from '../process/child.ts';
import { reportParent, watchParent } from '../process/parent-watch.ts';

interface ProbeEntry {
  readonly env: Env;
  /** process.argv */
  readonly argv: readonly string[];
  exit(code: number): never;
  /** Written to stderr. */
  complain(text: string): void;
}

/** Never returns: `measure` may leave behind what keeps a process alive. */
export const answerParent = async (
  entry: ProbeEntry,
  measure: (request: unknown) => Promise<unknown>,
): Promise<never> => {
  const parent = watchParent(entry.env);
  if (parent.kind === 'watching')
    parent.signal.addEventListener('abort', () => entry.exit(0), { once: true });
  reportParent(entry.env, { kind: 'ready' });
  try {
    const request: unknown = JSON.parse(entry.argv[2] ?? 'null');
    const answer = await measure(request);
    return reported(entry, { kind: 'answer', answer });
  } catch (error) {
    return reported(entry, { kind: 'failed', reason: errorMessage(error) });
  }
};

/** What the parent reads as the last line of a child. */
export type ProbeText =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly reason: string };

const reported = (entry: ProbeEntry, text: ProbeText): never => {
  // Started by a person, without Plimsoll as parent, the result goes to stdout.
  if (!reportParent(entry.env, text)) entry.complain(JSON.stringify(text));
  return entry.exit(0);
};
