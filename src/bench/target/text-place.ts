// The body of a request around a text that is inserted later, piece by piece: texts of traces are long, and their
// blocks are in many of them. Such a text consists of letters and spaces, so JSON needs no escapes for it.

import { BenchError } from '../bench-error.ts';
import { userPrompt } from '../dataset/prompt.ts';
import type { BodySettings, BodyText, ServerApi } from './api/server-api.ts';

/** @throws BenchError `input` if the API does not support such a prompt */
export const bodyAround = (
  api: ServerApi,
  maxTokens: number | undefined,
  settings: BodySettings,
): { readonly before: string; readonly after: string; readonly nonceAt: number } => {
  const body = api.body(userPrompt(TEXT_PLACE, maxTokens), settings);
  if (body.kind === 'wrong')
    throw new BenchError({ code: 'input', problem: body.problem, advice: body.advice });
  const text = whole(body.value);
  const at = text.indexOf(TEXT_PLACE);
  return {
    before: text.slice(0, at),
    after: text.slice(at + TEXT_PLACE.length),
    nonceAt: settings.nonce === undefined ? -1 : body.value.before.length,
  };
};

const whole = ({ before, after }: BodyText): string => before + after;

/** A text that occurs in no model name, option or header. */
const TEXT_PLACE = 'PlimsollPutsTheTextOfThisPromptHere';
