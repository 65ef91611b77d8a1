// Every kind of input that is read from outside, with the limits of its stored and its expanded size. A
// reader names its row when it opens a file or makes an ExpansionBudget, so that none is without a limit;
// docs/limits.md and the test that gives each reader its worst file follow this table.

interface InputLimit {
  /** Part of a sentence: "a data set". */
  readonly what: string;
  /**
   * Size of one file, reply or part, as stored or received; of a header, a line or a block if only such parts
   * of a file are in memory at once. Infinity: files of any size are read, entry by entry.
   */
  readonly bytesMax: number;
  /**
   * Size of what it becomes in memory (of the decompressed bytes, if the reader only passes them on), over
   * all its files.
   */
  readonly expandedBytesMax: number;
  /** What to do if it is too large. */
  readonly advice: string;
}

const KIB = 1_024;
const MIB = 1_048_576;
const GIB = 1_073_741_824;

/** The names of the rows below: the compiler finds a missing or additional one. */
export type InputKind =
  | 'dataset'
  | 'parquet'
  | 'trace'
  | 'image'
  | 'systemPrompt'
  | 'lengths'
  | 'stages'
  | 'optionsFile'
  | 'requestPart'
  | 'secret'
  | 'tokenizer'
  | 'gguf'
  | 'safetensors'
  | 'modelConfig'
  | 'recording'
  | 'importedReport'
  | 'runFile'
  | 'runLines'
  | 'homeFile'
  | 'serverReply'
  | 'responseBody'
  | 'agentDataset'
  | 'agentSamples'
  | 'agentPart';

export const INPUT_LIMITS: Readonly<Record<InputKind, InputLimit>> = {
  dataset: {
    what: 'a data set',
    bytesMax: 256 * MIB,
    expandedBytesMax: GIB,
    advice: 'Use a part of it.',
  },
  parquet: {
    what: 'a Parquet data set',
    bytesMax: 256 * MIB,
    expandedBytesMax: GIB,
    advice: 'Use a part of it: fewer rows, or shorter texts.',
  },
  trace: {
    what: 'a conversation or request of a trace',
    bytesMax: 64 * MIB,
    expandedBytesMax: 512 * MIB,
    advice: 'Use a trace with shorter conversations.',
  },
  image: {
    what: 'a picture',
    bytesMax: 20 * MIB,
    expandedBytesMax: 28 * MIB,
    advice: 'Use a smaller picture.',
  },
  systemPrompt: {
    what: 'a system prompt',
    bytesMax: 8 * MIB,
    expandedBytesMax: 16 * MIB,
    advice: 'Use a shorter system prompt.',
  },
  lengths: {
    what: 'a histogram of lengths',
    bytesMax: MIB,
    expandedBytesMax: 64 * MIB,
    advice: 'Use wider bins.',
  },
  stages: {
    what: 'a file of stages',
    bytesMax: 64 * KIB,
    expandedBytesMax: 64 * MIB,
    advice: 'A load has at most 64 stages.',
  },
  optionsFile: {
    what: 'a file of options',
    bytesMax: MIB,
    expandedBytesMax: 16 * MIB,
    advice: 'A file has at most 100 runs.',
  },
  requestPart: {
    what: 'a file of tools or a schema',
    bytesMax: MIB,
    expandedBytesMax: 64 * MIB,
    advice: 'Choose a smaller file.',
  },
  secret: {
    what: 'a key, a token or a credential',
    bytesMax: 64 * KIB,
    expandedBytesMax: 128 * KIB,
    advice: 'Write the secret into it, alone.',
  },
  tokenizer: {
    what: 'a tokenizer',
    bytesMax: 128 * MIB,
    expandedBytesMax: 512 * MIB,
    advice: 'Fetch the tokenizer again.',
  },
  gguf: {
    what: 'the header of a GGUF model',
    bytesMax: 256 * MIB,
    expandedBytesMax: 256 * MIB,
    advice: 'No model has such a header: fetch the file again.',
  },
  safetensors: {
    what: 'the headers of a safetensors model',
    bytesMax: 48 * MIB,
    expandedBytesMax: 512 * MIB,
    advice: 'No model has such a header: fetch the file again.',
  },
  modelConfig: {
    what: "a model's config.json or index",
    bytesMax: 16 * MIB,
    expandedBytesMax: 128 * MIB,
    advice: 'No model has such a config: fetch the file again.',
  },
  recording: {
    what: 'one block of a recording',
    bytesMax: 16 * MIB,
    expandedBytesMax: 64 * MIB,
    advice: 'Choose a file that plimsoll record has written.',
  },
  importedReport: {
    what: "another tool's results",
    bytesMax: 500 * MIB,
    expandedBytesMax: GIB,
    advice: 'Nothing was imported. Give the file as its tool wrote it, or import fewer requests.',
  },
  runFile: {
    what: 'a JSON file of a run, sweep, comparison or baseline',
    bytesMax: 16 * MIB,
    expandedBytesMax: 256 * MIB,
    advice: 'Give the directory as Plimsoll wrote it.',
  },
  runLines: {
    what: 'a line of samples.jsonl or of another file of lines of a run',
    bytesMax: 16 * MIB,
    expandedBytesMax: 384 * MIB,
    advice: 'Give the directory as Plimsoll wrote it.',
  },
  homeFile: {
    what: 'a file of the home, of a fleet or of a service',
    bytesMax: 4 * MIB,
    expandedBytesMax: 64 * MIB,
    advice: 'Restore the file, or remove it so that it is written again.',
  },
  serverReply: {
    what: 'a reply of a server about itself',
    bytesMax: 32 * MIB,
    expandedBytesMax: 256 * MIB,
    advice: 'Name the file or folder of the model instead.',
  },
  responseBody: {
    what: 'a compressed reply to a request of a run',
    bytesMax: 16 * MIB,
    expandedBytesMax: 64 * MIB,
    advice: 'Have the server send its replies uncompressed.',
  },
  agentDataset: {
    what: 'the data set that a coordinator sends to an agent',
    bytesMax: 256 * MIB,
    expandedBytesMax: 256 * MIB,
    advice: 'Use a part of it.',
  },
  agentSamples: {
    what: 'the samples that an agent sends after its run',
    bytesMax: Number.POSITIVE_INFINITY,
    expandedBytesMax: 8 * GIB,
    advice: 'Use shorter runs, or more agents.',
  },
  agentPart: {
    what: 'a part of a file between coordinator and agent',
    bytesMax: MIB,
    expandedBytesMax: MIB,
    advice: 'Use the same version of Plimsoll at both ends.',
  },
};
