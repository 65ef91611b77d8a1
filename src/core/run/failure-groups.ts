// Why requests failed: grouped by kind, HTTP status and the server's message, with the numbers and ids of
// each message folded, so that eight thousand failures of one cause are one group. The number of groups is
// limited for any server: failures without a group are counted.

import * as v from 'valibot';
import { count, figure, type Infer, openObject, text } from '../schema.ts';
import { OUTAGES_MAX, outageSchema } from './outage.ts';
import { FAILURE_KINDS, type FailureKind } from './outcome.ts';
import { unsuccessfulEndSchema } from './unsuccessful-end.ts';

export const FAILURE_GROUPS_MAX = 10;

const counts = {
  /** In the measured phase. */
  count,
  /** Outside it: warm-up and ramp-up. */
  warmupCount: count,
  /** When the first and the last of them ended, since the run's zero. */
  firstAtNs: figure,
  lastAtNs: figure,
};

const failureCountsSchema = openObject(counts);

export type FailureCounts = Infer<typeof failureCountsSchema>;

const failureGroupSchema = openObject({
  ...counts,
  kind: v.picklist(FAILURE_KINDS),
  /** HTTP status; 0 if there was none. */
  statusCode: count,
  /** The common form of all of them: numbers are #, ids are …. */
  message: text,
  /** The message of the first of them, unchanged. */
  example: text,
  /** Others in the group have other numbers or ids than the example. */
  isVaried: v.boolean(),
});

export type FailureGroup = Infer<typeof failureGroupSchema>;

export const runFailuresSchema = openObject({
  /** Most frequent first. */
  groups: v.pipe(v.array(failureGroupSchema), v.maxLength(FAILURE_GROUPS_MAX)),
  /** All failures that are in no group; missing if every failure is in one. */
  others: v.exactOptional(failureCountsSchema),
  /** In order of time. Empty if nothing was ever answered: then it was no outage of part of the run. */
  outages: v.pipe(v.array(outageSchema), v.maxLength(OUTAGES_MAX)),
  /**
   * Missing if requests succeeded until the end, or none did. Otherwise the rates are for the time before it.
   */
  unsuccessfulEnd: v.exactOptional(unsuccessfulEndSchema),
});

export type RunFailures = Infer<typeof runFailuresSchema>;

export interface FailedRequest {
  readonly kind: FailureKind;
  readonly statusCode: number;
  readonly detail: string;
  readonly endNs: number;
  readonly isWarmup: boolean;
}

/**
 * Tracks as many messages as its limit allows. If there are more, those that differ only in words with digits
 * are merged; if there are still more, the rarest is dropped, and its failures are in no group.
 */
export class FailureTally {
  #groups = new Map<string, MutableGroup>();
  #isCoarse = false;
  readonly #folded = new Map<string, string>();
  #others: FailureCounts | undefined;

  add({ kind, statusCode, detail, endNs, isWarmup }: FailedRequest): void {
    const one = {
      count: isWarmup ? 0 : 1,
      warmupCount: isWarmup ? 1 : 0,
      firstAtNs: endNs,
      lastAtNs: endNs,
    };
    const message = this.#foldedOnce(detail);
    this.#put({ ...one, kind, statusCode, message, example: detail, isVaried: false });
  }

  /** Adds another tally: of another machine that loads the same target. */
  addAll({ groups, others }: Pick<RunFailures, 'groups' | 'others'>): void {
    for (const group of groups) this.#put(group);
    if (others !== undefined) this.#others = addedCounts(this.#others, others);
  }

  groups(): Pick<RunFailures, 'groups' | 'others'> {
    const groups = this.#groups.size > FAILURE_GROUPS_MAX ? coarseGroups(this.#groups) : this.#groups;
    const sorted = [...groups.values()].toSorted(
      (a, b) => sizeOf(b) - sizeOf(a) || a.firstAtNs - b.firstAtNs,
    );
    const rest = sorted.slice(FAILURE_GROUPS_MAX);
    const others = rest.reduce<FailureCounts | undefined>(addedCounts, this.#others);
    return {
      groups: sorted.slice(0, FAILURE_GROUPS_MAX).map(group => ({ ...group })),
      ...(others === undefined ? {} : { others }),
    };
  }

  #put(added: FailureGroup): void {
    const group = this.#isCoarse ? coarseGroup(added) : added;
    if (putInto(this.#groups, group)) return;
    if (!this.#isCoarse) {
      this.#isCoarse = true;
      this.#groups = coarseGroups(this.#groups);
      this.#put(added);
      return;
    }
    this.#dropRarest();
    putInto(this.#groups, group);
  }

  #dropRarest(): void {
    let [rarest, key]: [MutableGroup | undefined, string] = [undefined, ''];
    for (const [name, group] of this.#groups)
      if (rarest === undefined || sizeOf(group) < sizeOf(rarest)) [rarest, key] = [group, name];
    if (rarest === undefined) return;
    this.#groups.delete(key);
    this.#others = addedCounts(this.#others, rarest);
  }

  /** A server that rejects everything sends the same message thousands of times a second. */
  #foldedOnce(detail: string): string {
    const known = this.#folded.get(detail);
    if (known !== undefined) return known;
    if (this.#folded.size >= FOLLOWED_MAX) this.#folded.clear();
    const folded = foldedMessage(detail);
    this.#folded.set(detail, folded);
    return folded;
  }
}

/** Merged over several machines that load one target; undefined: none of them reported any. */
export const addedFailures = (all: readonly RunFailures[]): RunFailures | undefined => {
  if (all.length === 0) return undefined;
  const tally = new FailureTally();
  for (const failures of all) tally.addAll(failures);
  const [only, ...rest] = all;
  // Each machine sees only its own requests: whether the target was away for all of them is counted at the
  // end.
  return rest.length === 0 && only !== undefined
    ? { ...only, ...tally.groups() }
    : { ...tally.groups(), outages: [] };
};

/** The same with its times moved to another clock, which is ahead by the given offset. */
export const shiftedFailures = (
  { groups, others, outages, unsuccessfulEnd: end }: RunFailures,
  byNs: number,
): RunFailures => {
  const shifted = <T extends FailureCounts>(counts: T): T => ({
    ...counts,
    firstAtNs: counts.firstAtNs + byNs,
    lastAtNs: counts.lastAtNs + byNs,
  });
  return {
    groups: groups.map(shifted),
    ...(others === undefined ? {} : { others: shifted(others) }),
    outages: outages.map(outage => ({ ...outage, fromNs: outage.fromNs + byNs, toNs: outage.toNs + byNs })),
    ...(end === undefined ? {} : { unsuccessfulEnd: { fromNs: end.fromNs + byNs, toNs: end.toNs + byNs } }),
  };
};

type MutableGroup = { -readonly [Key in keyof FailureGroup]: FailureGroup[Key] };

/** @returns false: it would exceed the limit */
const putInto = (groups: Map<string, MutableGroup>, group: FailureGroup): boolean => {
  const key = `${group.kind} ${group.statusCode} ${group.message}`;
  const before = groups.get(key);
  if (before === undefined) {
    if (groups.size >= FOLLOWED_MAX) return false;
    groups.set(key, { ...group });
    return true;
  }
  before.isVaried ||= group.isVaried || group.example !== before.example;
  if (group.firstAtNs < before.firstAtNs) before.example = group.example;
  before.count += group.count;
  before.warmupCount += group.warmupCount;
  before.firstAtNs = Math.min(before.firstAtNs, group.firstAtNs);
  before.lastAtNs = Math.max(before.lastAtNs, group.lastAtNs);
  return true;
};

const coarseGroup = (group: FailureGroup): FailureGroup => ({
  ...group,
  message: coarselyFolded(group.message),
});

const coarseGroups = (groups: ReadonlyMap<string, FailureGroup>): Map<string, MutableGroup> => {
  const coarse = new Map<string, MutableGroup>();
  for (const group of groups.values()) putInto(coarse, coarseGroup(group));
  return coarse;
};

const sizeOf = ({ count, warmupCount }: FailureCounts): number => count + warmupCount;

const addedCounts = (before: FailureCounts | undefined, counts: FailureCounts): FailureCounts => ({
  count: (before?.count ?? 0) + counts.count,
  warmupCount: (before?.warmupCount ?? 0) + counts.warmupCount,
  firstAtNs: Math.min(before?.firstAtNs ?? counts.firstAtNs, counts.firstAtNs),
  lastAtNs: Math.max(before?.lastAtNs ?? counts.lastAtNs, counts.lastAtNs),
});

export const NO_FAILURES: RunFailures = { groups: [], outages: [] };
/** Limit of messages that are tracked at once. */
const FOLLOWED_MAX = 64;

// The common form of messages with one cause: each number is #, each id …. Two requests that fail for the
// same reason differ in the id of the request, the count of tokens, a time or an address, and in nothing
// else.
export const foldedMessage = (text: string): string =>
  text
    .replace(UUID, ID)
    .replace(KNOWN_ID, `$1${ID}`)
    .replace(NAMED_ID, `$1${ID}`)
    .replace(HEX, ID)
    .replace(MIXED, ID)
    .replace(TIMESTAMP, '#')
    .replace(DURATION, '#')
    .replace(COUNTED, '$1#')
    .replace(NUMBER, '#');

/**
 * Coarser, for a folded message: every word with a digit, or with a folded part, is …, including a name such
 * as "gpt4".
 */
const coarselyFolded = (folded: string): string => folded.replace(WORD_WITH_DIGIT, ID);

const ID = '…';
/** RFC 9562. */
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/giu;
/** "req_2abc", "sk-proj-x1", "org-x12": what follows these is an id, however short. OpenAI masks keys with asterisks. */
const KNOWN_ID =
  /\b((?:req|request|sk|pk|org|proj|project|user|acct|chatcmpl|cmpl|resp|msg|call|run|thread|trace|span|session|batch|file)[-_])(?=[a-z_*-]*\d)\w[\w*-]*/giu;
/** "chatcmpl-9f3a…", "req_011CSHoEe…", "call_…": a short word, a sign, and at least eight signs of which one is a digit. */
const NAMED_ID = /\b([a-z]{2,12}[-_])(?=[a-z]*\d)[\da-z]{8,}\b/giu;
const HEX = /\b0x[\da-f]+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{6,}\b/giu;
/** A word of at least 16 signs that changes between letters and digits: a key, a trace. */
const MIXED = /\b(?=\w*[a-z]\w*\d|\w*\d\w*[a-z])\w{16,}\b/giu;
/** RFC 3339, also with a space. */
const TIMESTAMP = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?\b/gu;
/** "2m2.2s", "6m0s", "1h 5m", "20ms", as Go and OpenAI write them: which units there are depends on the length. */
const DURATION =
  /(?<![\w….,])\d+(?:[.,]\d+)*(?:ns|us|µs|ms|s|m|h|d)(?: ?\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d))*(?!\w)/gu;
/** One of several equal workers: which one it was is not another cause. */
const COUNTED =
  /\b((?:worker|rank|gpu|cuda|device|node|host|instance|replica|shard|pod|engine|process|thread|slot|layer|seq|request|req)[-_]?)\d+\b/giu;
/** With digit separators; "v1" and "gpt4" keep their digits, as names do. */
const NUMBER = /(?<![\w…])[+-]?\d+(?:[.,]\d+)*/gu;
const WORD_WITH_DIGIT = /(?<![\w#….*+-])[\w#….*+-]*[\d#…][\w#….*+-]*(?<!\.)/gu;
