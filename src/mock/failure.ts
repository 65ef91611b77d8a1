// What a failure of the mock is, and what a correct client reports: a sample's outcome as docs/metrics.md defines it.

import type { FailureKind, TimeoutPhase } from '../core/run/outcome.ts';

export type Expected =
  | { readonly outcome: 'completed' }
  | {
      readonly outcome: 'failed';
      readonly kind: FailureKind;
      readonly statusCode?: number;
      readonly phase?: TimeoutPhase;
    };

export interface Failure {
  readonly name: string;
  /** What the server does. */
  readonly meaning: string;
  readonly streaming: Expected;
  /** For requests with `stream: false`. */
  readonly plain: Expected;
}

export const completed: Expected = { outcome: 'completed' };

export const failedAs = (kind: FailureKind): Expected => ({ outcome: 'failed', kind });

export const timeout = (phase: TimeoutPhase): Expected => ({ outcome: 'failed', kind: 'timeout', phase });

export const status = (statusCode: number): Expected => ({
  outcome: 'failed',
  kind: 'http-status',
  statusCode,
});
