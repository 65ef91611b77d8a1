// Messages between coordinator and agent as bytes: MessagePack of [schema, message]. A kind that this version
// does not know is returned as unknown, to be skipped, so that a newer end may send more; another schema is
// rejected with an error.

import { decode, encode } from '@msgpack/msgpack';
import * as v from 'valibot';
import { arrivalStampsSchema } from '../core/run/arrival-stamps.ts';
import { environmentSchema } from '../core/run/report.ts';
import { count, figure, openObject, reported, text } from '../core/schema.ts';
import {
  AGENT_MESSAGE_BYTES_MAX,
  AGENT_PART_BYTES_MAX,
  AGENT_PHASES,
  AGENT_SCHEMA,
  type AgentMessage,
  type CoordinatorMessage,
  WANTED_FACTS,
} from './agent-message.ts';
import { agentRequestSchema, agentShareSchema, agentSurveySchema } from './agent-request.ts';
import { DecodeError } from './decode-error.ts';
import { isPackedTooDeep } from './shallow-json.ts';

export type DecodedAgentMessage<M> =
  | { readonly kind: 'message'; readonly message: M }
  /** From a newer version: to be skipped. */
  | { readonly kind: 'unknown'; readonly name: string };

/** @throws RangeError when it is longer than AGENT_MESSAGE_BYTES_MAX. */
export const encodeAgentMessage = (message: CoordinatorMessage | AgentMessage): Uint8Array => {
  const bytes = encode([AGENT_SCHEMA, message], { ignoreUndefined: true });
  if (bytes.length > AGENT_MESSAGE_BYTES_MAX)
    throw new RangeError(`a message of ${bytes.length} bytes between coordinator and agent`);
  return bytes;
};

/** @throws DecodeError for messages that no coordinator of this schema sends. */
export const decodeCoordinatorMessage = (bytes: Uint8Array): DecodedAgentMessage<CoordinatorMessage> =>
  decoded(bytes, COORDINATOR_KINDS, coordinatorSchema);

/** @throws DecodeError for messages that no agent of this schema sends. */
export const decodeAgentMessage = (bytes: Uint8Array): DecodedAgentMessage<AgentMessage> =>
  decoded(bytes, AGENT_KINDS, agentSchema);

const decoded = <M>(
  bytes: Uint8Array,
  kinds: ReadonlySet<string>,
  schema: v.GenericSchema<unknown, M>,
): DecodedAgentMessage<M> => {
  if (bytes.length > AGENT_MESSAGE_BYTES_MAX) throw new DecodeError(`a message of ${bytes.length} bytes`);
  const [named, message] = pairOf(bytes);
  if (named !== AGENT_SCHEMA)
    throw new DecodeError(
      `messages of schema ${typeof named === 'string' ? named.slice(0, 100) : typeof named} are not known`,
    );
  if (typeof message !== 'object' || message === null || !('kind' in message))
    throw new DecodeError('a message without a kind');
  const { kind } = message;
  if (typeof kind !== 'string') throw new DecodeError('a message without a kind');
  if (!kinds.has(kind)) return { kind: 'unknown', name: kind.slice(0, 64) };
  const result = v.safeParse(schema, message);
  if (result.success) return { kind: 'message', message: result.output };
  const [issue] = result.issues;
  throw new DecodeError(
    `a message '${kind}' is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message.slice(0, 200)}`,
  );
};

const pairOf = (bytes: Uint8Array): readonly [unknown, unknown] => {
  if (isPackedTooDeep(bytes)) throw new DecodeError('not MessagePack, or nested too deep');
  let value: unknown;
  try {
    value = decode(bytes);
  } catch (error) {
    // Any error that it throws is about the bytes, its only input.
    throw new DecodeError('not MessagePack', { cause: error });
  }
  if (!Array.isArray(value) || value.length !== 2) throw new DecodeError('not a message of an agent');
  const [schema, message]: unknown[] = value;
  return [schema, message];
};

const part = {
  index: count,
  isLast: v.boolean(),
  rawBytes: v.pipe(count, v.maxValue(AGENT_PART_BYTES_MAX)),
  bytes: v.instance(Uint8Array),
};
const sentences = v.pipe(v.array(v.pipe(v.string(), v.maxLength(16_384))), v.maxLength(1_024));
/** May be negative: clocks have no common zero. */
const clockNs = v.pipe(figure, v.safeInteger());

const coordinatorSchema: v.GenericSchema<unknown, CoordinatorMessage> = v.variant('kind', [
  openObject({ kind: v.literal('dataset'), ...part }),
  openObject({ kind: v.literal('survey'), request: agentRequestSchema }),
  openObject({
    kind: v.literal('prepare'),
    request: agentRequestSchema,
    share: agentShareSchema,
    survey: agentSurveySchema,
    promptsDigest: text,
    facts: v.exactOptional(v.picklist(WANTED_FACTS)),
  }),
  openObject({ kind: v.literal('ping'), id: count }),
  openObject({ kind: v.literal('start'), atNs: clockNs }),
  openObject({ kind: v.literal('stop'), how: v.picklist(['drain', 'cancel', 'abort']) }),
  openObject({ kind: v.literal('collect') }),
  openObject({ kind: v.literal('done') }),
]);

const agentSchema: v.GenericSchema<unknown, AgentMessage> = v.variant('kind', [
  openObject({
    kind: v.literal('hello'),
    version: text,
    name: text,
    environment: environmentSchema,
    caps: openObject({
      requestsPerSecondMax: reported(figure),
      connectionsMax: reported(count),
      durationMsMax: reported(figure),
    }),
  }),
  openObject({ kind: v.literal('surveyed'), survey: agentSurveySchema }),
  openObject({
    kind: v.literal('ready'),
    runZeroNs: clockNs,
    connectionsOpened: count,
    stamps: reported(arrivalStampsSchema),
    ephemeralPorts: reported(count),
    notices: sentences,
  }),
  openObject({
    kind: v.literal('refused'),
    problem: openObject({ code: text, problem: text, advice: text }),
  }),
  openObject({ kind: v.literal('pong'), id: count, atNs: clockNs }),
  openObject({ kind: v.literal('alive') }),
  openObject({ kind: v.literal('phase'), phase: v.picklist(AGENT_PHASES) }),
  openObject({ kind: v.literal('live'), snapshot: v.instance(Uint8Array) }),
  openObject({
    kind: v.literal('facts'),
    untilNs: clockNs,
    batches: v.pipe(v.array(v.instance(Uint8Array)), v.maxLength(4_096)),
    lines: v.instance(Uint8Array),
  }),
  openObject({ kind: v.literal('notice'), text }),
  openObject({
    kind: v.literal('ended'),
    state: v.picklist(['complete', 'interrupted', 'incomplete']),
    runProblems: sentences,
    snapshot: v.instance(Uint8Array),
    report: v.string(),
    samplesBytes: count,
  }),
  openObject({ kind: v.literal('samples'), ...part }),
]);

const COORDINATOR_KINDS: ReadonlySet<string> = new Set<CoordinatorMessage['kind']>([
  'dataset',
  'survey',
  'prepare',
  'ping',
  'start',
  'stop',
  'collect',
  'done',
]);
const AGENT_KINDS: ReadonlySet<string> = new Set<AgentMessage['kind']>([
  'hello',
  'surveyed',
  'ready',
  'refused',
  'pong',
  'alive',
  'phase',
  'live',
  'facts',
  'notice',
  'ended',
  'samples',
]);
