// Messages between the program and the thread that fuzzes.

import type { Finding } from './attempt.ts';

export interface FuzzPlan {
  readonly name: string;
  readonly seed: number;
  /** Whichever ends first. */
  readonly seconds: number;
  readonly runs: number;
  /** Two words, executions and the length of the input, then the input. */
  readonly shared: SharedArrayBuffer;
}

export type FuzzMessage =
  | { readonly kind: 'found'; readonly finding: Finding; readonly input: Uint8Array }
  | {
      readonly kind: 'done';
      readonly executions: number;
      readonly seconds: number;
      /** Of the thread's processor: other load of the machine does not matter. */
      readonly processorSeconds: number;
      readonly kept: number;
      /** Of all modules that are loaded. */
      readonly branchesTaken: number;
      /** Of what the target is about. */
      readonly ownTaken: number;
      readonly ownBranches: number;
      /** "src/file.ts:line" of its branches that no input took. */
      readonly untaken: readonly string[];
    };

export const SHARED_HEAD_BYTES = 8;
