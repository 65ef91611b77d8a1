// Whether a server refused a request because it was overloaded: a full queue is a limit that was reached, not
// a broken server.

import type { SampleFailure } from './ended-sample.ts';

/**
 * 529 is Anthropic's `overloaded_error`. A 503 counts if its message means that: gateways also send it for a
 * server that is away.
 */
export const isOverload = ({
  statusCode,
  detail: reported,
}: Pick<SampleFailure, 'statusCode' | 'detail'>): boolean =>
  statusCode === 529 || (statusCode === 503 && BUSY.test(reported));

/**
 * "Model is overloaded" (TGI), "The request queue is full." (SGLang), "server busy, please try again. maximum pending requests
 * exceeded" (Ollama), "Too many requests", nginx's limit_conn and vLLM's admission control. Not "Loading model" (llama.cpp).
 */
const BUSY =
  /\b(?:busy|over-?load(?:ed)?|over capacity|at capacity|too many|pending requests|queue (?:is )?full|max(?:imum)? queue|queue limit|rate limit|throttl\w*|try again|admission)\b/iu;
