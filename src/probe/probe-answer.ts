// The child's side of a measurement: it reads what it is asked, says one line, and ends. It also ends when its parent is
// gone, as soon as a foreign call lets it.

import type { Env } from '../process/child.ts';
import { tellParent, watchParent } from '../process/parent-watch.ts';

export interface ProbeEntry {
  readonly env: Env;
  /** process.argv */
  readonly argv: readonly string[];
  exit(code: number): never;
  /** Written to stderr; the last line becomes the reason of the failure. */
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
    // By hand, without Plimsoll as parent, the answer goes where one can read it.
    if (!tellParent(entry.env, answer)) entry.complain(JSON.stringify(answer));
    return entry.exit(0);
  } catch (error) {
    entry.complain(error instanceof Error ? error.message : String(error));
    return entry.exit(1);
  }
};
