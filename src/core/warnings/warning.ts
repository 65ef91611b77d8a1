// What a person should look at: what it is, why it matters in a sentence or two, and the command that helps.

import type { NodeId } from '../ids.ts';

export interface Warning {
  /** Stays the same while the thing it speaks of does, so that a hidden one stays hidden. */
  readonly id: string;
  /** A note needs nothing done. */
  readonly level: 'danger' | 'caution' | 'note';
  /** Whom it concerns. */
  readonly nodes: readonly NodeId[];
  readonly title: string;
  readonly why: string;
  /** Where to type the command, in words. */
  readonly on?: string;
  readonly command?: string;
}
