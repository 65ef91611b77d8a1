// An answer as the next request of its conversation repeats it: the fields of its message, followed by a result for
// each tool call. Strict servers refuse a call without a result, and a result without a call.

import { parseAnyJson } from '../../core/json.ts';
import type { CalledTool } from '../target/api/answer-parts.ts';

/**
 * The JSON between the braces of an assistant's message, followed by further messages.
 * @param results that the data set has for the recorded answer, in the order of its calls: the last is used for
 * further calls
 */
export const answerFields = (
  text: string,
  calls: readonly CalledTool[],
  results: readonly string[],
): string => {
  if (calls.length === 0) {
    const reported = `"content":${JSON.stringify(text)}`;
    // Without a tool call, the user states what the tools would have returned.
    return results.length === 0
      ? reported
      : `${reported}},{"role":"user","content":${JSON.stringify(results.join('\n\n'))}`;
  }
  const ids = calls.map(({ id }, index) => id || `call_${index}`);
  const called = calls.map(({ name, argumentsText }, index) => ({
    id: ids[index],
    type: 'function',
    // Templates parse it: servers refuse invalid JSON although their model wrote it.
    function: { name, arguments: parseAnyJson(argumentsText) === undefined ? '{}' : argumentsText },
  }));
  const content = text === '' ? null : text;
  const answered = ids.map(
    (id, index) =>
      `},{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${JSON.stringify(results[index] ?? results.at(-1) ?? '')}`,
  );
  return `"content":${JSON.stringify(content)},"tool_calls":${JSON.stringify(called)}${answered.join('')}`;
};
