// `plimsoll import FILE`: a run of another tool as a run of this home, marked as foreign: to look at, and to compare.

import { resolve } from 'node:path';
import { HomeError, openHome, resolveHome } from '../../config/home.ts';
import { counted } from '../../core/figure/figure.ts';
import { foreignLabel } from '../../core/run/foreign-run.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { ForeignFileError } from '../../report/imported/foreign-file.ts';
import { NAMES, runTags } from '../bench/name-options.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import { CommandError, endedBy } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { type ImportedDocument, type KeptImport, keepImported } from '../keep-imported.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Import the result of another tool, marked as foreign',
  description:
    "Reads the result of `vllm bench serve --save-result`, of SGLang's bench_serving, AIPerf's profile_export.jsonl or GuideLLM's benchmarks.json into <home>/runs,\nto view it and to compare it with runs of Plimsoll. Whether its client kept up is not known, and values that the file\ndoes not contain are marked as unknown. Sends nothing.",
  arguments: [{ name: 'FILE', meaning: 'As its tool wrote it.', isRequired: true }],
  options: [NAMES.name, NAMES.tag, homeOption, jsonOption],
  prints: ['imported'],
  examples: [
    { line: 'plimsoll import result.json', meaning: "a result of vLLM's benchmark" },
    {
      line: 'plimsoll import artifacts/profile_export.jsonl --tag tool=aiperf',
      meaning: 'every request of AIPerf, with the profile_export_aiperf.json next to it',
    },
    {
      line: 'plimsoll compare --a runs:tag=tool=aiperf --b DIR --anyway',
      meaning: 'against a run of Plimsoll',
    },
  ],
  run: async (invocation, state) => {
    const [given = ''] = invocation.arguments;
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const kept = await reported(async () => {
      await openHome(home);
      return await keepImported(resolve(state.cwd, given), {
        signal: state.stop,
        home,
        version: state.version,
        name: invocation.option(NAMES.name),
        tags: runTags(invocation.option(NAMES.tag)),
      });
    });
    const document: ImportedDocument = { schema: 'plimsoll.imported/1', runs: kept };
    await state.stdout.write(
      invocation.option(jsonOption) ? jsonLines(document) : kept.map(run => `${lineOf(run)}\n`).join(''),
    );
    for (const notice of kept.flatMap(({ notices }) => notices))
      await state.stderr.write(`plimsoll: ${showable(notice, '?')}\n`);
    return EXIT_CODES.ok.code;
  },
};

const lineOf = ({ directory, origin, requests, isNew }: KeptImport): string =>
  showable(
    `${isNew ? 'Imported' : 'Already imported'}: ${counted(requests, 'request')} of ${foreignLabel(origin)}, ${
      origin.hasRequests ? 'each by itself' : 'all together'
    }: ${directory}`,
    '?',
  );

const reported = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ForeignFileError) throw endedBy('benchInput', error);
    if (error instanceof HomeError) throw endedBy('homeUnusable', error);
    if (error instanceof CommandError) throw error;
    throw error;
  }
};
