// What stands in a body beside model and prompt: the limit of the answer, what keeps a server from ending it early, how it
// samples, and whatever a person adds.

import type { JsonObject } from '../../core/json.ts';
import { isUnknown, type Unknown } from '../../core/unknown.ts';

export interface RequestFields {
  /** Sent beside the limit of an answer. */
  readonly lengthFields: readonly LengthField[];
  /** Merged in last, as a JSON merge patch does (RFC 7396): null leaves a field out. */
  readonly added: JsonObject;
}

export type LengthField = 'min_tokens' | 'ignore_eos';

export const NO_REQUEST_FIELDS: RequestFields = { lengthFields: [], added: {} };

/**
 * By which an answer is as long as its limit. Sent only to servers that document them: strict ones refuse what they do not know.
 * None where `added` asks for a shape: that ends the answer, and llama.cpp fails where it may not end.
 */
export const lengthFieldsFor = (
  serverKind: string | Unknown,
  added: JsonObject = {},
): readonly LengthField[] =>
  isUnknown(serverKind) || requestsShape(added) ? [] : (LENGTH_FIELDS.get(serverKind) ?? []);

/** Of a request whose line in the data set has fields of its own: those of the run are put over them. */
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

/** A shape ends an answer, and some servers fail if it may not end. */
const requestsShape = (fields: JsonObject): boolean => SHAPE_FIELDS.some(name => Object.hasOwn(fields, name));

export const lengthFieldsJson = (
  names: readonly LengthField[],
  tokens: number,
): Partial<Record<LengthField, number | boolean>> => ({
  ...(names.includes('min_tokens') ? { min_tokens: tokens } : {}),
  ...(names.includes('ignore_eos') ? { ignore_eos: true } : {}),
});

/** `patch` over `fields`: its nulls take fields out. */
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

/** From the servers' own documentation of their OpenAI endpoints; by the names of server-kind.ts and openai-api.ts. */
const LENGTH_FIELDS: ReadonlyMap<string, readonly LengthField[]> = new Map([
  ['vLLM', ['min_tokens', 'ignore_eos']],
  ['SGLang', ['min_tokens', 'ignore_eos']],
  ['llama.cpp', ['ignore_eos']],
  ['Plimsoll mock', ['min_tokens', 'ignore_eos']],
]);
