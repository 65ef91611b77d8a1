// The load of a run: what its command line, its threads and the agents on other machines have in common. One schema for all of them, so
// that what is added to it is sent too. An option that is used as given is a row here, and its row is the field.

import * as v from 'valibot';
import { excludes, optionsIn, sentEntries } from '../option/option.ts';
import { wholeNumberFrom } from '../option/option-values.ts';
import { count, figure, given, type Infer, openObject, type Schema, text } from '../schema.ts';
import { lengthDistributionSchema } from '../statistics/length-distribution.ts';
import { cancelPolicySchema } from './cancel-policy.ts';
import { modelMixSchema } from './model-mix.ts';
import { runPatternSchema } from './run-pattern.ts';
import { runShapeSchema } from './run-shape.ts';
import { stopRulesSchema } from './run-stop.ts';
import { thinkTimeSchema } from './think-time.ts';

export const RANKED_DOCUMENTS_DEFAULT = 10;

export const LOAD_OPTIONS = {
  hasNonce: optionsIn('Requests').unlessGiven(
    'no-nonce',
    'Send prompts as they are, so that a prefix cache may answer.',
    { sent: v.boolean() },
  ),
  seed: optionsIn('Load').valueOr({
    name: 'seed',
    fallback: '42',
    aliases: ['random-seed'],
    valueName: 'N',
    meaning: 'Seed of arrival times and generated prompts.',
    parse: wholeNumberFrom(0, Number.MAX_SAFE_INTEGER),
    sent: count,
  }),
  documents: optionsIn('Requests').value({
    name: 'documents',
    rules: [excludes(['dataset'], { advice: 'A data set has its own documents.' })],
    valueName: 'N',
    meaning: `Documents of each generated ranking, each as long as a prompt. Default: ${RANKED_DOCUMENTS_DEFAULT}.`,
    parse: wholeNumberFrom(1, 1_000),
    sent: given(count),
  }),
};

const ms: Schema<number> = v.pipe(figure, v.minValue(0), v.maxValue(7 * 86_400_000));

const loadTimeoutsSchema = openObject({ connectMs: ms, firstByteMs: ms, idleMs: ms, totalMs: ms });

export type LoadTimeouts = Infer<typeof loadTimeoutsSchema>;

const sessionOptionsSchema = openObject({
  /** Turns of generated sessions; undefined: the conversations of the data set determine them. */
  turns: given(lengthDistributionSchema),
  /** Time before each turn but the first; undefined: none. */
  thinkTime: given(thinkTimeSchema),
  /** The assistant's part of the history of later turns: the server's answers, or those of the data set. */
  answers: v.picklist(['live', 'recorded']),
});

/** How sessions are made of prompts. */
export type SessionDatasetOptions = Infer<typeof sessionOptionsSchema>;

export const loadRequestSchema = openObject({
  ...sentEntries(LOAD_OPTIONS),
  /** undefined: the server's own. */
  model: given(text),
  /** Several, each for a share of the requests; `model` is the first of them. */
  models: given(modelMixSchema),
  pattern: runPatternSchema,
  shape: runShapeSchema,
  /** Of the measured window: ramp and warm-up come before. At least one of the two is given. */
  samplesMax: given(count),
  durationMs: given(ms),
  isStreaming: v.boolean(),
  /** Requests that the client itself cancels. */
  cancel: given(cancelPolicySchema),
  timeouts: loadTimeoutsSchema,
  /** Chats of several turns; `samplesMax` then counts sessions. */
  sessions: given(sessionOptionsSchema),
  /** Failures after which it stops; default: after a warm-up that is refused, and after 30 s without a success. */
  stopRules: given(stopRulesSchema),
});

export type LoadRequest = Infer<typeof loadRequestSchema>;
