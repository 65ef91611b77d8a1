// The replies of a daemon about links and probes, as a command reads them. A reply contains only ages: the time of a measurement
// is known to within the duration of the request, and a profile is "newer" only if that is certain. Several connections are
// measured one after another, so the first of them may be older now than the previous profile was then.
import * as v from 'valibot';
import type { ProbeStatus } from '../../core/probe/probe-status.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { ListedLink } from '../../wire/api/cluster-answers.ts';
import { decodeFact } from '../../wire/event-schema.ts';

export type ProbedLink = Pick<ListedLink, 'source' | 'sink' | 'connectionKey' | 'profile'>;

/** The links of one moment. */
export interface SeenLinks {
  readonly links: readonly ProbedLink[];
  /** Monotonic, when they were asked for and when the answer was here. */
  readonly requestedAtMs: number;
  readonly answeredAtMs: number;
}

/** True if its profile is newer than the one in `before`, if that has one. */
export const isNewProfile = (connectionKey: string, now: SeenLinks, before: SeenLinks): boolean => {
  const ageMs = profileAgeMs(connectionKey, now);
  if (ageMs === undefined) return false;
  const knownAgeMs = profileAgeMs(connectionKey, before);
  return knownAgeMs === undefined || now.requestedAtMs - ageMs > before.answeredAtMs - knownAgeMs;
};

/** Of one node, from /api/state/probeStatuses; what is not understood is left out. */
export const statusesOf = (answer: unknown, node: string): readonly ProbeStatus[] => {
  const nodes = v.safeParse(STATUSES, answer);
  if (!nodes.success) return [];
  return Object.entries(nodes.output[node] ?? {}).flatMap(([key, { value }]) => {
    const decoded = decodeFact('probe.reported', key, value);
    return decoded.kind === 'known' && decoded.fact.kind === 'probe.reported' ? [decoded.fact.payload] : [];
  });
};

/** The status for a person who waits for it; undefined if there is none to show. */
export const statusText = ({ subject: { kind, ...rest }, stage }: ProbeStatus): string | undefined => {
  const name = 'connectionKey' in rest ? rest.connectionKey : `${kind}`;
  if (stage.kind === 'waiting') return `${name} waits: ${stage.reason}`;
  return stage.kind === 'running' ? `${name}: measuring` : undefined;
};

/** Why there are no figures of now; undefined where there are. */
export const linkFailure = ({ profile }: ProbedLink): string | undefined => {
  if (isUnknown(profile)) return profile.reason;
  return isUnknown(profile.value.failure) ? profile.value.failure.reason : undefined;
};

const profileAgeMs = (connectionKey: string, { links }: SeenLinks): number | undefined => {
  const profile = links.find(link => link.connectionKey === connectionKey)?.profile;
  return profile === undefined || isUnknown(profile) ? undefined : profile.ageMs;
};

const STATUSES = v.record(v.string(), v.record(v.string(), v.object({ value: v.unknown() })));
