// The daemon that responds, and access to it, in the HTTP API.

import * as v from 'valibot';
import { WEBHOOK_FORMATS } from '../../core/notify/notifications.ts';
import { recordOf } from '../../core/record-of.ts';
import { count, figure, type Infer, nodeIdSchema, text } from '../../core/schema.ts';
import { noticeSchema } from '../notice.ts';

/** Why a stream was closed. */
export const dropReasonSchema = v.picklist(['slow', 'stalled', 'access-ended', 'stopping', 'failed']);

const otlpAnswerSchema = v.pipe(
  v.object({
    endpoint: text,
    sent: v.pipe(count, v.description('Messages that were accepted.')),
    dropped: v.pipe(count, v.description('Messages that were given up.')),
    pointsLost: v.pipe(
      count,
      v.description('Points that did not fit into a message, or that the receiver did not store.'),
    ),
    problem: v.pipe(text, v.description('Why the last message was not fully accepted; empty if it was.')),
  }),
  v.description('Figures sent to a receiver of OpenTelemetry. Missing if none is set.'),
);

/** What was sent to a receiver of OpenTelemetry since the daemon started. */
export type OtlpAnswer = Infer<typeof otlpAnswerSchema>;

const webhookAnswerSchema = v.pipe(
  v.object({
    name: text,
    format: v.picklist(WEBHOOK_FORMATS),
    isSender: v.pipe(v.boolean(), v.description('This node sends; of several with this webhook, one does.')),
    open: v.pipe(count, v.description('Warnings that were sent as raised, and not as cleared.')),
    sent: v.pipe(count, v.description('Warnings raised and cleared that this node has sent.')),
    dropped: v.pipe(count, v.description('Of these, such that the receiver refused for good.')),
    problem: v.pipe(text, v.description('Why the last message was not taken; empty if it was.')),
  }),
  v.description(
    'A webhook of config.toml, without its URL. Counts since the daemon or its settings changed.',
  ),
);

export type WebhookAnswer = Infer<typeof webhookAnswerSchema>;

const recordingSchema = v.object({
  /** Version of the daemon that was recorded. */
  plimsollVersion: text,
  areNamesKept: v.boolean(),
  /** 2: twice as fast as recorded. */
  speed: figure,
});

export type ServedRecording = Infer<typeof recordingSchema>;

const streamsSchema = v.object({
  clients: count,
  queuedBytes: count,
  refused: count,
  leftOut: v.pipe(count, v.description('Events and entries that could not be written to a stream.')),
  dropped: v.object(recordOf(dropReasonSchema.options, () => count)),
});

export type StreamCounts = Infer<typeof streamsSchema>;

export const daemonAnswerSchema = v.object({
  nodeId: nodeIdSchema,
  version: text,
  startedAtWallMs: figure,
  uptimeMs: figure,
  isLoopback: v.pipe(v.boolean(), v.description('Only this machine can connect; reading needs no token.')),
  url: v.exactOptional(text),
  home: v.exactOptional(v.pipe(text, v.description('Announced on loopback only.'))),
  /** How the command is typed where the daemon was started: `./plimsoll` in a checkout. */
  program: v.exactOptional(
    v.pipe(text, v.description('How the command is typed on this machine. Announced on loopback only.')),
  ),
  /** Current notices. */
  problems: v.pipe(v.array(noticeSchema), v.description('Current notices.')),
  recording: v.exactOptional(
    v.pipe(recordingSchema, v.description('The served data is a recording. Missing if it is live.')),
  ),
  streams: streamsSchema,
  otlp: v.exactOptional(otlpAnswerSchema),
  webhooks: v.exactOptional(v.array(webhookAnswerSchema)),
});

export const healthSchema = v.object({
  status: v.literal('ok'),
});

export const readySchema = v.object({
  status: v.literal('ready'),
});

export const meshHashSchema = v.object({
  nodeId: nodeIdSchema,
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});

/** Length of a one-time code in a request. */
const CODE_LENGTH_MAX = 64;

export const codeBodySchema = v.object({
  code: v.pipe(v.string(), v.minLength(1), v.maxLength(CODE_LENGTH_MAX)),
});

export const oneTimeCodeSchema = v.object({
  code: v.pipe(v.string(), v.regex(/^[\w-]{1,128}$/)),
  expiresInMs: count,
});

/** Length of a join code in a request, with its addresses. */
const JOIN_CODE_LENGTH_MAX = 1_000;

export const joinBodySchema = v.object({
  code: v.pipe(v.string(), v.minLength(1), v.maxLength(JOIN_CODE_LENGTH_MAX)),
});

export const joinCodeStandingSchema = v.object({
  state: v.pipe(
    v.picklist(['valid', 'used', 'expired', 'tries']),
    v.description(
      '"used": a machine has joined with it. "tries": there were too many attempts with a wrong code.',
    ),
  ),
  expiresInMs: v.pipe(v.number(), v.minValue(0)),
  triesLeft: v.pipe(count, v.description('Attempts with a wrong code.')),
});

export type JoinCodeStandingAnswer = Infer<typeof joinCodeStandingSchema>;

export const joinCodeAnswerSchema = v.object({
  code: v.pipe(text, v.description('For `plimsoll join` on one other machine.')),
  expiresInMs: count,
  isLoopback: v.pipe(v.boolean(), v.description('The mesh listens on loopback: only this machine can join.')),
  /** For GET /api/mesh/join-code. */
  id: v.pipe(text, v.description('For GET /api/mesh/join-code. Not a secret.')),
});

export type JoinCodeAnswer = Infer<typeof joinCodeAnswerSchema>;

export const joinedAnswerSchema = v.object({
  keyId: v.pipe(text, v.description('Fingerprint of the cluster key; the key cannot be derived from it.')),
  address: v.pipe(text, v.description('HOST:PORT of the node that gave it.')),
});

export type JoinedAnswer = Infer<typeof joinedAnswerSchema>;

export const leftAnswerSchema = v.object({
  keyId: v.pipe(
    text,
    v.description(
      'Fingerprint of the cluster key that this home had; empty if its file was damaged or missing.',
    ),
  ),
});
