// The prompt of a request in any of the APIs that are recorded, as the parts that requests share: tools, system
// prompt, each message. A part is one text, in the order in which templates put it before a model.

import { jsonFootprint, NESTING_MAX } from '../../../core/input/json-footprint.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../../core/json.ts';
import type { ServerApi } from './server-api.ts';

export interface ReadPrompt {
  /** Each as UTF-8; at least one. */
  readonly parts: readonly string[];
  readonly hasTools: boolean;
  /** It requests a stream. */
  readonly isStreaming: boolean;
  /** The body. */
  readonly body: JsonObject;
}

/** undefined: it is not JSON, too large or nested too deep, or has no prompt. */
export const readPrompt = (text: string, { framing }: Pick<ServerApi, 'framing'>): ReadPrompt | undefined => {
  const { bytes, depth } = jsonFootprint(text);
  if (bytes > EXPANDED_BYTES_MAX || depth > NESTING_MAX) return undefined;
  const body = parseAnyJson(text);
  if (!isJsonObject(body)) return undefined;
  const { tools, functions, system, instructions, context, messages, input, prompt, stream } = body;
  const offered = [tools, functions].filter(list => Array.isArray(list) && list.length > 0);
  const parts = [
    ...offered.map(textOfPart),
    ...[system, instructions].filter(isGiven).map(textOfPart),
    // Ollama's: token ids of the conversation so far.
    ...(Array.isArray(context) ? partsOf(context) : []),
    ...[messages, input, prompt, body['text'], body['input_ids']].flatMap(partsOf),
  ].filter(part => part !== '');
  if (parts.length === 0) return undefined;
  return {
    parts,
    hasTools: offered.length > 0,
    // Only Ollama's APIs stream unless a request states otherwise.
    isStreaming: typeof stream === 'boolean' ? stream : framing === 'lines',
    body,
  };
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** A list of messages, of texts or of token ids; or one text. */
const partsOf = (value: unknown): readonly string[] => {
  if (!Array.isArray(value)) return typeof value === 'string' ? [value] : [];
  if (value.every(id => typeof id === 'number')) return [value.join(' ')];
  return value.map(textOfPart);
};

const textOfPart = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) {
    const { role = '', content, ...others } = value;
    if (typeof role === 'string' && typeof content === 'string' && Object.keys(others).length === 0)
      return `${role}\n${content}`;
  }
  // Marks of what to cache move from message to message, and are no part of the prompt.
  return (
    JSON.stringify(value, (name, field: unknown) => (name === 'cache_control' ? undefined : field)) ?? ''
  );
};

/** Of one request's body as JSON. */
const EXPANDED_BYTES_MAX = 536_870_912;
