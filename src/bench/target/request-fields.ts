// The fields of a body other than model and prompt: the limit of the answer, options that prevent a server from
// ending it early, sampling, and the user's own.

import type { JsonObject } from '../../core/json.ts';
import { isUnknown, type Unknown } from '../../core/unknown.ts';

export interface RequestFields {
  /** Sent together with the limit of an answer. */
  readonly lengthFields: readonly LengthField[];
  /** Merged in last, as a JSON merge patch does (RFC 7396): null leaves a field out. */
  readonly added: JsonObject;
}

export type LengthField = 'min_tokens' | 'ignore_eos';

export const NO_REQUEST_FIELDS: RequestFields = { lengthFields: [], added: {} };

/**
 * Fields that make an answer as long as its limit. Sent only to servers that document them: strict ones refuse
 * unknown fields. None if `added` requests a format: that ends the answer, and llama.cpp fails if it may not end.
 */
export const lengthFieldsFor = (
  serverKind: string | Unknown,
  added: JsonObject = {},
): readonly LengthField[] =>
  isUnknown(serverKind) || requestsShape(added) ? [] : (LENGTH_FIELDS.get(serverKind) ?? []);

/** For a request whose line in the data set has its own fields: those of the run override them. */
export const ownFields = (
  { fields: own }: { readonly fields?: JsonObject },
  fields: RequestFields,
): RequestFields =>
  own === undefined
    ? fields
    : {
        lengthFields: requestsShape(own) ? [] : fields.lengthFields,
        added: { ...own, ...fields.added },
      };

/** A format ends an answer, and some servers fail if it may not end. */
const requestsShape = (fields: JsonObject): boolean => SHAPE_FIELDS.some(name => Object.hasOwn(fields, name));

export const lengthFieldsJson = (
  names: readonly LengthField[],
  tokens: number,
): Partial<Record<LengthField, number | boolean>> => ({
  ...(names.includes('min_tokens') ? { min_tokens: tokens } : {}),
  ...(names.includes('ignore_eos') ? { ignore_eos: true } : {}),
});

/** `patch` over `fields`: its nulls remove fields. */
export const merged = (fields: JsonObject, patch: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries({ ...fields, ...patch }).filter(([, value]) => value !== null));

/** OpenAI's, then llama.cpp's own and vLLM's. */
const SHAPE_FIELDS = [
  'response_format',
  'tools',
  'grammar',
  'json_schema',
  'guided_json',
  'structured_outputs',
] as const;

/** From the servers' own documentation of their OpenAI endpoints; by the names of query-server.ts and openai-api.ts. */
const LENGTH_FIELDS: ReadonlyMap<string, readonly LengthField[]> = new Map([
  ['vLLM', ['min_tokens', 'ignore_eos']],
  ['SGLang', ['min_tokens', 'ignore_eos']],
  ['llama.cpp', ['ignore_eos']],
  ['Plimsoll mock', ['min_tokens', 'ignore_eos']],
]);
