// What a daemon answers about links and probes, as far as a command needs it.

import * as v from 'valibot';
import type { LinkProfile } from '../../core/link/link-profile.ts';
import type { ProbeStatus } from '../../core/probe/probe-status.ts';
import { isUnknown } from '../../core/unknown.ts';
import { decodeFact } from '../../wire/event-schema.ts';
import { figure, text, unknownSchema } from '../../wire/schema.ts';

export interface ProbedLink {
  readonly source: string;
  readonly sink: string;
  readonly connectionKey: string;
  readonly profile:
    | { readonly kind: 'unknown'; readonly reason: string }
    | { readonly value: LinkProfile; readonly ageMs: number };
}

const linkProfile = v.pipe(
  v.unknown(),
  v.rawTransform(({ dataset, addIssue, NEVER }): LinkProfile => {
    const decoded = decodeFact('link.profiled', keyOf(dataset.value), dataset.value);
    if (decoded.kind === 'known' && decoded.fact.kind === 'link.profiled') return decoded.fact.payload;
    addIssue({ message: 'not a link profile' });
    return NEVER;
  }),
);

export const linksSchema: v.GenericSchema<unknown, { readonly links: readonly ProbedLink[] }> = v.object({
  links: v.array(
    v.object({
      source: text,
      sink: text,
      connectionKey: text,
      profile: v.union([unknownSchema, v.object({ value: linkProfile, ageMs: figure })]),
    }),
  ),
});

export const nodesSchema: v.GenericSchema<
  unknown,
  { readonly nodes: readonly { readonly nodeId: string; readonly name: string }[] }
> = v.object({ nodes: v.array(v.object({ nodeId: text, name: text })) });

const subject = v.variant('kind', [
  v.object({ kind: v.literal('gpu'), deviceId: text }),
  v.object({ kind: v.literal('link'), sink: text, connectionKey: text }),
]);

export const askedSchema: v.GenericSchema<
  unknown,
  { readonly probes: readonly AskedRow[]; readonly unreached: readonly UnreachedRow[] }
> = v.object({
  probes: v.array(
    v.object({ node: text, subject, result: v.picklist(['started', 'queued', 'refused']), reason: text }),
  ),
  unreached: v.array(v.object({ node: text, reason: text })),
});

export interface AskedRow {
  readonly node: string;
  readonly subject:
    | { readonly kind: 'gpu'; readonly deviceId: string }
    | { readonly kind: 'link'; readonly sink: string; readonly connectionKey: string };
  readonly result: 'started' | 'queued' | 'refused';
  readonly reason: string;
}

interface UnreachedRow {
  readonly node: string;
  readonly reason: string;
}

/** Of one node, from /api/state/probeStatuses; what is not understood is left out. */
export const statusesOf = (answer: unknown, node: string): readonly ProbeStatus[] => {
  const nodes = v.safeParse(
    v.record(v.string(), v.record(v.string(), v.object({ value: v.unknown() }))),
    answer,
  );
  if (!nodes.success) return [];
  return Object.entries(nodes.output[node] ?? {}).flatMap(([key, { value }]) => {
    const decoded = decodeFact('probe.reported', key, value);
    return decoded.kind === 'known' && decoded.fact.kind === 'probe.reported' ? [decoded.fact.payload] : [];
  });
};

/** What a person who waits for it should read; undefined where there is nothing to say. */
export const statusText = ({ subject: { kind, ...rest }, stage }: ProbeStatus): string | undefined => {
  const name = 'connectionKey' in rest ? rest.connectionKey : `${kind}`;
  if (stage.kind === 'waiting') return `${name} waits: ${stage.reason}`;
  return stage.kind === 'running' ? `${name}: measuring` : undefined;
};

/** Why there are no figures of now; undefined where there are. */
export const failureOf = ({ profile }: ProbedLink): string | undefined => {
  if (!('value' in profile)) return profile.reason;
  return isUnknown(profile.value.failure) ? profile.value.failure.reason : undefined;
};

const keyOf = (value: unknown): string => {
  const named = v.safeParse(v.object({ sink: text, connectionKey: text }), value);
  return named.success ? `${named.output.sink} ${named.output.connectionKey}` : '';
};
