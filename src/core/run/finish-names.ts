// The finish reasons of servers, and what each name means. A name that means that the engine gave up fails
// the request; one that is not in this table is stored as the server wrote it.

import type { FinishReason } from './outcome.ts';

/** 'aborted': the engine did not finish the answer, even if text arrived before. */
type FinishMeaning = Exclude<FinishReason, 'other' | 'missing'> | 'aborted';

/** undefined: no server is known to write it. */
export const finishMeaning = (name: string): FinishMeaning | undefined => MEANINGS.get(name.toLowerCase());

/** In lower case. */
const MEANINGS: ReadonlyMap<string, FinishMeaning> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
  // llama.cpp's `stop_type`.
  ['eos', 'stop'],
  ['word', 'stop'],
  ['limit', 'length'],
  // Anthropic's `stop_reason`.
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
  // Mistral's, if the model's own limit ended it.
  ['model_length', 'length'],
  // vLLM (FINISH_REASON_STRINGS), SGLang (FINISH_ABORT), LMDeploy, Mistral, OpenRouter.
  ['abort', 'aborted'],
  ['aborted', 'aborted'],
  ['error', 'aborted'],
  // TensorRT-LLM and Dynamo.
  ['cancelled', 'aborted'],
  ['canceled', 'aborted'],
  ['timeout', 'aborted'],
  // DeepSeek: "interrupted due to insufficient resource of the inference system".
  ['insufficient_system_resource', 'aborted'],
  // GLM (Zhipu): an inference that failed, and content that its filter refused.
  ['network_error', 'aborted'],
  ['sensitive', 'content_filter'],
]);
