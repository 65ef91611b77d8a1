// `plimsoll why A B`: why two results of one server differ, figure by figure and cause by cause.

import { resolveHome } from '../../config/home.ts';
import { explainResults } from '../../core/explanation/explain-results.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { explanationText } from '../../render/explanation/explanation-text.ts';
import { explanationMarkdown } from '../../report/markdown/explanation-markdown.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { markdownOption } from '../report/export-report.ts';
import { writeExport } from '../report/write-export.ts';
import { namedResult } from '../why/named-result.ts';

const RESULT =
  'The id, directory or report.json of a run, or the file of another tool; FILE#2 is the second result in it.';

export const whyCommand: Command = {
  name: 'why',
  summary: 'Explain why two results of one server differ',
  description:
    'Shows two results side by side, each by the definitions of both tools, and explains each difference by its causes: definitions, percentile rules, warm-up, cached prompts, lengths, load, window. Reads runs of Plimsoll and results of vLLM, SGLang, AIPerf and GuideLLM. If the requests are stored, the effect of a cause is calculated from them; what cannot be is named, and the rest is shown as unexplained. Sends nothing. Exits with 20 if A and B are of different models or servers.',
  arguments: [
    { name: 'A', meaning: RESULT, isRequired: true },
    { name: 'B', meaning: 'The same.', isRequired: true },
  ],
  options: [markdownOption, homeOption, jsonOption],
  prints: ['why'],
  examples: [
    { line: 'plimsoll why 2026-01-31-1 result.json', meaning: "a run and a result of vLLM's benchmark" },
    {
      line: 'plimsoll why artifacts/profile_export.jsonl benchmarks.json#2',
      meaning: 'AIPerf, and the second benchmark of GuideLLM',
    },
    { line: 'plimsoll why A B --md -', meaning: 'as a comment' },
  ],
  mayBeLeft: true,
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const [a = '', b = ''] = invocation.arguments;
    const document = explainResults(
      await namedResult(a, { home, state }),
      await namedResult(b, { home, state }),
    );
    const file = invocation.option(markdownOption);
    await state.stdout.write(
      file !== undefined
        ? await writeExport({ file, text: () => Promise.resolve(explanationMarkdown(document)) }, state)
        : invocation.option(jsonOption)
          ? jsonLines(document)
          : `${explanationText(document, state.stdout).join('\n')}\n`,
    );
    return document.comparable ? EXIT_CODES.ok.code : EXIT_CODES.benchNotComparable.code;
  },
};
