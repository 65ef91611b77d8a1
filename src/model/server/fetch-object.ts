// One request to any server: limited in time and bytes, redirects are not followed, and anything but a JSON object is
// an error.

import { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { INPUT_LIMITS } from '../../core/input/input-limits.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { errorMessage, ProblemError } from '../../core/problem.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import { boundedBody } from '../../process/bounded-body.ts';

interface ServerQuery {
  readonly url: URL;
  /** A POST with this as JSON; undefined for a GET. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

/** `code` is "unreachable" if there was no reply at all. */
export const fetchObject = async (question: ServerQuery): Promise<JsonObject | Unknown> => {
  const text = await fetchBoundedText(question);
  if (typeof text !== 'string') return text;
  try {
    new ExpansionBudget('serverReply', found => new ProblemError({ code: 'expands', ...found })).addJson(
      text,
    );
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return unknown(`${question.url.pathname}: ${error.problem.problem}`);
  }
  const json = parseAnyJson(text);
  return isJsonObject(json) ? json : unknown(`${question.url.pathname} answers no JSON object`);
};

export const fetchBoundedText = async ({ url, body, signal }: ServerQuery): Promise<string | Unknown> => {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]);
  const reported = (error: unknown): Unknown => {
    signal.throwIfAborted();
    if (deadline.aborted)
      return unknown(`it does not answer within ${ANSWER_MS_MAX / 1_000} s`, 'unreachable');
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return unknown(errorMessage(cause).slice(0, REASON_LENGTH_MAX), 'unreachable');
  };
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: deadline,
      ...(body === undefined
        ? {}
        : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      return unknown(`${url.pathname} leads elsewhere (status ${response.status}): name that address`);
    }
    if (!response.ok) {
      await response.body?.cancel();
      return unknown(`${url.pathname} answers status ${response.status}`);
    }
    const { bytesMax } = INPUT_LIMITS.serverReply;
    const reply = await boundedBody(response, bytesMax);
    return reply?.toString('utf8') ?? unknown(`${url.pathname} answers more than ${bytesMax} bytes`);
  } catch (error) {
    return reported(error);
  }
};

const ANSWER_MS_MAX = 10_000;
const REASON_LENGTH_MAX = 200;
