// An answer as the next request of its conversation repeats it: the fields of its message, and behind it a result for each tool that
// it calls. A strict server refuses a call without a result, and a result without a call.

import { parseAnyJson } from '../../core/json.ts';
import type { CalledTool } from '../target/api/answer-parts.ts';

/**
 * What stands between the braces of an assistant's message, with further messages behind it.
 * @param results that the data set has for the recorded answer, in the order of its calls: the last stands for further calls
 */
export const answerFields = (
  text: string,
  calls: readonly CalledTool[],
  results: readonly string[],
): string => {
  if (calls.length === 0) {
    const reported = `"content":${JSON.stringify(text)}`;
    // Nothing was called: what the tools would have returned is told by the user.
    return results.length === 0
      ? reported
      : `${reported}},{"role":"user","content":${JSON.stringify(results.join('\n\n'))}`;
  }
  const ids = calls.map(({ id }, index) => id || `call_${index}`);
  const called = calls.map(({ name, argumentsText }, index) => ({
    id: ids[index],
    type: 'function',
    // Templates parse it: what is no JSON is refused by servers although their model wrote it.
    function: { name, arguments: parseAnyJson(argumentsText) === undefined ? '{}' : argumentsText },
  }));
  const content = text === '' ? null : text;
  const answered = ids.map(
    (id, index) =>
      `},{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${JSON.stringify(results[index] ?? results.at(-1) ?? '')}`,
  );
  return `"content":${JSON.stringify(content)},"tool_calls":${JSON.stringify(called)}${answered.join('')}`;
};
