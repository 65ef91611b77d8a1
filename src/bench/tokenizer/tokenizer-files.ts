// A tokenizer in the layout of a Hugging Face folder: tokenizer.json, and tokenizer_config.json if it exists. The
// counting thread reads it; any problem is reported before the load begins.

import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';
import type { TokenizerFacts } from '../../core/run/tokenizer-account.ts';
import { fileLines } from '../../metrics/file-lines.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { readInputFile } from '../../process/input-file.ts';

interface ReadTokenizer {
  readonly facts: TokenizerFacts;
  /** Excludes a template's special tokens. */
  tokensOf(text: string): number;
}

/** An error for people. */
export class TokenizerError extends Error {
  override readonly name = 'TokenizerError';
}

/** @throws TokenizerError */
export const readTokenizer = async (folder: string): Promise<ReadTokenizer> => {
  const digest = createHash('sha256');
  const budget = new ExpansionBudget(
    'tokenizer',
    ({ problem, advice }) => new TokenizerError(`in ${basename(folder)}: ${problem}. ${advice}`),
  );
  const file = await jsonFile(folder, 'tokenizer.json', { digest, budget });
  if (file === undefined) throw new TokenizerError(`${folder} has no tokenizer.json`);
  const config = (await jsonFile(folder, 'tokenizer_config.json', { digest, budget })) ?? {};
  const model = checkedModel(file);
  const tokenizer = made(file, config);
  const tokensOf = (text: string): number => tokenizer.encode(text, { add_special_tokens: false }).ids.length;
  tryOut(tokenizer);
  const name = nameOf(folder).slice(0, NAME_CHARACTERS);
  return { facts: { name, sha256: digest.digest('hex'), ...model }, tokensOf };
};

/** In a hub's cache a folder is named for its commit: the model's id is above it. */
const nameOf = (folder: string): string => {
  const [, id, commit] = /models--([^/]+)\/snapshots\/([0-9a-f]{40})$/.exec(folder) ?? [];
  return id === undefined || commit === undefined ? basename(folder) : `${id.replace('--', '/')}@${commit}`;
};

/** undefined: there is none. */
const jsonFile = async (
  folder: string,
  name: string,
  { digest, budget }: { readonly digest: ReturnType<typeof createHash>; readonly budget: ExpansionBudget },
): Promise<JsonObject | undefined> => {
  try {
    const bytes = await readInputFile(join(folder, name), 'tokenizer');
    digest.update(bytes);
    const text = bytes.toString('utf8');
    budget.addJson(text);
    const json = parseAnyJson(text);
    if (!isJsonObject(json))
      throw new TokenizerError(`${name} is not a JSON object: it is cut off or damaged`);
    return json;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    if (code === undefined) throw error;
    throw new TokenizerError(`${name} cannot be read: ${fileReason(error)}`);
  }
};

/** The library trusts the type that a file states, and would count something else. */
const checkedModel = ({ model }: JsonObject): Pick<TokenizerFacts, 'model' | 'vocabulary'> => {
  if (!isJsonObject(model)) throw new TokenizerError('tokenizer.json has no "model"');
  const { type, vocab, merges } = model;
  const kind = typeof type === 'string' ? type : kindOf(model);
  switch (kind) {
    case 'BPE':
      if (!Array.isArray(merges) || !merges.every(isMerge))
        throw new TokenizerError('tokenizer.json says BPE, and its "merges" are no list of pairs');
      return { model: kind, vocabulary: numbered(kind, vocab) };
    case 'WordPiece':
      return { model: kind, vocabulary: numbered(kind, vocab) };
    case 'Unigram':
      if (!Array.isArray(vocab) || !vocab.every(isScored))
        throw new TokenizerError(
          'tokenizer.json says Unigram, and its "vocab" is no list of pieces with scores',
        );
      return { model: kind, vocabulary: vocab.length };
    default:
      throw new TokenizerError(
        `tokenizer.json has a model of the type ${JSON.stringify(kind.slice(0, 40))}; BPE, WordPiece and Unigram are known`,
      );
  }
};

/** Older files name none. */
const kindOf = ({ vocab, merges }: JsonObject): string => {
  if (Array.isArray(vocab)) return 'Unigram';
  return Array.isArray(merges) ? 'BPE' : 'WordPiece';
};

const isMerge = (merge: unknown): boolean =>
  (typeof merge === 'string' && merge.includes(' ')) ||
  (Array.isArray(merge) && merge.length === 2 && merge.every(part => typeof part === 'string'));

const isScored = (piece: unknown): boolean =>
  Array.isArray(piece) && typeof piece[0] === 'string' && typeof piece[1] === 'number';

const numbered = (kind: string, vocab: unknown): number => {
  const ids = isJsonObject(vocab) ? Object.values(vocab) : [];
  if (ids.length === 0 || !ids.every(id => Number.isSafeInteger(id)))
    throw new TokenizerError(
      `tokenizer.json says ${kind}, and its "vocab" is no table of words with numbers`,
    );
  return ids.length;
};

const made = (file: JsonObject, config: JsonObject): Tokenizer => {
  try {
    return new Tokenizer(file, config);
  } catch (error) {
    throw new TokenizerError(`tokenizer.json: ${errorMessage(error).slice(0, 200)}`);
  }
};

/** Some references in the file are resolved only when a text is tokenized. */
const tryOut = (tokenizer: Tokenizer): void => {
  const ids = (() => {
    try {
      return tokenizer.encode(SAMPLE_TEXT, { add_special_tokens: false }).ids;
    } catch (error) {
      throw new TokenizerError(`it cannot split a text: ${errorMessage(error).slice(0, 200)}`);
    }
  })();
  if (ids.length === 0 || !ids.every((id: number) => Number.isSafeInteger(id)))
    throw new TokenizerError(
      'it makes no tokens of a plain text: its vocabulary lacks what its own rules ask for',
    );
};

const SAMPLE_TEXT = 'The quick brown fox, 42 of them.\n';
/** Length of the folder's name in the report. */
const NAME_CHARACTERS = 100;

// Reads the answers that a run stored on disk for a tokenizer, one after another.
interface WrittenAnswer {
  readonly sampleId: number;
  readonly text: string;
}

/** A truncated line is left out, and counts as not counted. @throws the system's error if the file cannot be read. */
export async function* answerLines(path: string): AsyncGenerator<WrittenAnswer> {
  for await (const line of fileLines(path, { lineBytesMax: ANSWER_LINE_BYTES_MAX })) {
    const entry = line.kind === 'line' ? parseAnyJson(line.text) : undefined;
    if (!Array.isArray(entry)) continue;
    const [sampleId, text] = entry;
    if (typeof sampleId === 'number' && typeof text === 'string') yield { sampleId, text };
  }
}

/** Limit of an answer, with each character in its longest escape. */
const ANSWER_LINE_BYTES_MAX: number = 8_388_608;
