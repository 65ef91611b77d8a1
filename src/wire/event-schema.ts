// From text of unknown origin to an event that the rest of the program may trust. A known kind must have its payload
// and its key; an unknown kind is let through as unknown, because mixed versions share a mesh.

import * as v from 'valibot';
import {
  EVENT_KINDS,
  type EventKind,
  type EventPayloads,
  type Fact,
  factKey,
  factOf,
  isEventKind,
} from '../core/event-kinds.ts';
import { knownPart, type Schema } from '../core/schema.ts';

type DecodedFact =
  | { readonly kind: 'known'; readonly fact: Fact }
  | { readonly kind: 'unknown'; readonly unknownKind: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Checks a kind, its payload and its key. Never throws. */
export const decodeFact = (kind: string, key: string, payload: unknown): DecodedFact => {
  if (!EVENT_KIND.test(kind)) return { kind: 'refused', reason: 'the kind is not of the form slot.verb' };
  if (key.length > KEY_LENGTH_MAX)
    return { kind: 'refused', reason: `the key is longer than ${KEY_LENGTH_MAX}` };
  if (!isEventKind(kind)) return { kind: 'unknown', unknownKind: kind };
  const decoded = checked(kind, payload);
  if (decoded.kind === 'refused') return decoded;
  if (factKey(decoded.fact) !== key)
    return { kind: 'refused', reason: `${kind} does not have the key of its payload` };
  return decoded;
};

/** The part of a payload of a known kind that is known to this version. */
export const knownPayload = (kind: EventKind, payload: unknown): unknown =>
  knownPart(EVENT_KINDS[kind].schema, payload);

/** The fact of a known kind; undefined if the payload does not match it. */
export const factFrom = (kind: EventKind, payload: unknown): Fact | undefined => {
  const decoded = checked(kind, payload);
  return decoded.kind === 'known' ? decoded.fact : undefined;
};

type Checked<K extends EventKind> =
  | { readonly kind: 'known'; readonly fact: Fact<K> }
  | { readonly kind: 'refused'; readonly reason: string };

const checked = <K extends EventKind>(kind: K, payload: unknown): Checked<K> => {
  const schema: Schema<EventPayloads[K]> = EVENT_KINDS[kind].schema;
  const result = v.safeParse(schema, payload);
  if (result.success) return { kind: 'known', fact: factOf(kind, result.output) };
  const [issue] = result.issues;
  const path = ['payload', v.getDotPath(issue)].filter(part => part !== null).join('.');
  return { kind: 'refused', reason: `${kind} ${path}: ${issue.message}` };
};

/** "slot.verb", also for kinds of later versions. */
const EVENT_KIND = /^[a-z][A-Za-z0-9]{0,39}\.[a-z][A-Za-z0-9]{0,39}$/;
export const KEY_LENGTH_MAX = 512;
