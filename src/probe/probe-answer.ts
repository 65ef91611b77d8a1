// The child's side of a measurement: it reads its request, writes one line, and exits. It also exits when its parent is
// gone, as soon as a foreign call returns.

import { errorMessage } from '../core/problem.ts';
import type { Env } from '../process/child.ts';
import { tellParent, watchParent } from '../process/parent-watch.ts';

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
  tellParent(entry.env, { kind: 'ready' });
  try {
    const request: unknown = JSON.parse(entry.argv[2] ?? 'null');
    const answer = await measure(request);
    return said(entry, { kind: 'answer', answer });
  } catch (error) {
    return said(entry, { kind: 'failed', reason: errorMessage(error) });
  }
};

/** What the parent reads as the last line of a child. */
export type ProbeWords =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly reason: string };

const said = (entry: ProbeEntry, words: ProbeWords): never => {
  // Started by a person, without Plimsoll as parent, the result goes to stdout.
  if (!tellParent(entry.env, words)) entry.complain(JSON.stringify(words));
  return entry.exit(0);
};
