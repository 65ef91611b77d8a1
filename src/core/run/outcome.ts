// How a sample ends: METRICS §2. Every issued sample ends in exactly one outcome; nothing is retried silently.

export type Outcome = 'completed' | 'failed' | 'cancelled';

/** issued = completed + failed + cancelled + unresolved. */
export interface SampleCounts {
  readonly issued: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** In flight when the account ended: 0 in a complete report. */
  readonly unresolved: number;
}

export const FAILURE_KINDS = [
  'connect',
  'tls',
  'timeout',
  'http-status',
  'truncated',
  'malformed',
  'error-frame',
  'empty',
  'reset',
  'client',
  // Stored by their place: new ones are appended.
  'aborted',
] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

/** What went wrong, before what the server said of it. */
export const FAILURE_LABELS: Readonly<Record<FailureKind, string>> = {
  connect: 'no connection',
  tls: 'no TLS connection',
  timeout: 'timeout',
  'http-status': 'HTTP status',
  truncated: 'reply cut off',
  malformed: 'malformed reply',
  'error-frame': 'error in the reply',
  empty: 'empty reply',
  reset: 'connection lost',
  client: 'client',
  aborted: 'given up by the server',
};

/** Kinds that 0.1.0 does not know, and what it calls them: it refuses a report that counts a kind without a name there. */
const LATER_FAILURE_KINDS = { aborted: 'error-frame' } as const;

type LaterFailureKind = keyof typeof LATER_FAILURE_KINDS;
export type SharedFailureKind = Exclude<FailureKind, LaterFailureKind>;

export const isLaterFailureKind = (kind: FailureKind): kind is LaterFailureKind =>
  Object.hasOwn(LATER_FAILURE_KINDS, kind);

export const sharedFailureKind = (kind: FailureKind): SharedFailureKind =>
  isLaterFailureKind(kind) ? LATER_FAILURE_KINDS[kind] : kind;

const isSharedFailureKind = (kind: FailureKind): kind is SharedFailureKind => !isLaterFailureKind(kind);

export const SHARED_FAILURE_KINDS: readonly SharedFailureKind[] = FAILURE_KINDS.filter(isSharedFailureKind);

/** Failures by kind, as a report counts them for every version. */
export interface FailuresByKind {
  /** By the kinds that every version knows; later ones are among these, by what earlier versions call them. */
  readonly errors: Readonly<Partial<Record<SharedFailureKind, number>>>;
  /** Of those, by the kinds that came later; not there if there are none. */
  readonly laterErrors?: Readonly<Partial<Record<LaterFailureKind, number>>>;
}

export const failureCounts = (countOf: (kind: FailureKind) => number): FailuresByKind => {
  const errors: Partial<Record<SharedFailureKind, number>> = {};
  const laterErrors: Partial<Record<LaterFailureKind, number>> = {};
  for (const kind of FAILURE_KINDS) {
    const count = countOf(kind);
    if (count === 0) continue;
    const shared = sharedFailureKind(kind);
    errors[shared] = (errors[shared] ?? 0) + count;
    if (isLaterFailureKind(kind)) laterErrors[kind] = count;
  }
  return { errors, ...(Object.keys(laterErrors).length === 0 ? {} : { laterErrors }) };
};

/** Each kind by its own name with its count; none that is 0. */
export const failureKindRows = ({
  errors = {},
  laterErrors = {},
}: Partial<FailuresByKind>): readonly (readonly [kind: FailureKind, count: number])[] =>
  FAILURE_KINDS.flatMap(kind => {
    const count = isLaterFailureKind(kind)
      ? (laterErrors[kind] ?? 0)
      : (errors[kind] ?? 0) -
        FAILURE_KINDS.filter(isLaterFailureKind)
          .filter(later => sharedFailureKind(later) === kind)
          .reduce((sum, later) => sum + (laterErrors[later] ?? 0), 0);
    return count > 0 ? [[kind, count] as const] : [];
  });

/** Which deadline passed: said in the detail of a `timeout`. */
export type TimeoutPhase = 'connect' | 'first-byte' | 'idle' | 'total';

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter', 'other', 'missing'] as const;

export type FinishReason = (typeof FINISH_REASONS)[number];

export const isFailureKind = (text: string): text is FailureKind => FAILURE_KINDS.some(kind => kind === text);
