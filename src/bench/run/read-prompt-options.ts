// The inputs of a run's prompts: every file that determines what is sent is read here, before anything is started.

import { errorCode } from '../../core/problem.ts';
import { RANKED_DOCUMENTS_DEFAULT } from '../../core/run/load-request.ts';
import { readInputText } from '../../process/input-file.ts';
import { unreadableDataset, wrongFile } from '../dataset/dataset-chunks.ts';
import { readImageFolder } from '../dataset/image-folder.ts';
import { chosenLengths } from '../dataset/length-choice.ts';
import type { PromptOptions } from '../dataset/planned-prompts.ts';
import type { Dataset } from '../dataset/prompt.ts';
import type { BenchRequest } from './bench-request.ts';

/** @throws BenchError `input` for a file that cannot be used. */
export const readPromptOptions = async (
  request: BenchRequest,
  signal: AbortSignal,
  noncePrefix: string,
): Promise<PromptOptions> => {
  const { dataset, seed } = request;
  const { inputTokens, outputTokens, prefixes, fields } = request.requests;
  return {
    seed,
    file: await readDataset(dataset, signal, request.sessions !== undefined),
    input: inputTokens === undefined ? undefined : await chosenLengths(inputTokens),
    output: outputTokens === undefined ? undefined : await chosenLengths(outputTokens),
    prefixes,
    sessions: request.sessions,
    ...(dataset.kind === 'timed-trace' ? { trace: dataset.trace } : {}),
    ...(dataset.kind === 'agent-trace' ? { agents: dataset } : {}),
    ...(request.systemPrompt === undefined
      ? {}
      : { systemPrompt: await readSystemPrompt(request.systemPrompt) }),
    ...(request.api.ranksDocuments === true && dataset.kind === 'synthetic'
      ? { documents: request.documents ?? RANKED_DOCUMENTS_DEFAULT }
      : {}),
    isOutputInBody: LIMIT_FIELDS.some(name => name in fields),
    ...(request.images?.source.kind === 'folder'
      ? { images: await readImageFolder(request.images.source.path, request.images.source.shownPath, signal) }
      : {}),
    ...(request.depth === undefined ? {} : { depth: { plan: request.depth, noncePrefix } }),
  };
};

/** A text that is not a file's name is the prompt itself. */
const readSystemPrompt = async ({
  text,
  path,
}: NonNullable<BenchRequest['systemPrompt']>): Promise<string> => {
  try {
    return await readInputText(path, 'systemPrompt');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENAMETOOLONG' || code === 'ENOTDIR' || code === 'EINVAL') {
      if (!FILE_NAME.test(text)) return text;
      throw wrongFile(
        `there is no file ${text}`,
        'Give --system-prompt a file that exists, or the prompt itself.',
      );
    }
    if (code === 'EISDIR')
      throw wrongFile(`${text} is a folder`, 'Give --system-prompt a file, or the prompt itself.');
    if (code === undefined) throw error;
    throw unreadableDataset(text, error);
  }
};

const readDataset = async (
  dataset: BenchRequest['dataset'],
  signal: AbortSignal,
  isWhole: boolean,
): Promise<Dataset | undefined> => {
  switch (dataset.kind) {
    case 'synthetic':
    case 'timed-trace':
    case 'agent-trace':
      return undefined;
    case 'received':
      return dataset.dataset;
    case 'file':
      // Few runs have one.
      return await (await import('../dataset/dataset-file.ts')).readDatasetFile({
        ...dataset,
        signal,
        isWhole,
      });
    default:
      return dataset satisfies never;
  }
};

/** Fields of --body that limit an answer, or with null remove the limit. */
const LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens', 'n_predict'] as const;
/** One word that can only mean a file: "./system.txt", "prompts/chat", "system.md". */
const FILE_NAME = /^(?:\S*[/\\]\S*|\S+\.(?:txt|md|prompt))$/u;
