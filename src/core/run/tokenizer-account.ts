// What a tokenizer of the person's own counted of the answers of a run, beside what the server told.

import { counted, formatCount, ofCount } from '../figure/figure.ts';
import { isUnknown, type Reported } from '../unknown.ts';

export type TokenizerFacts = {
  /** Of its folder, without the path to it, or how the server was asked. */
  readonly name: string;
  /** Of tokenizer.json, then tokenizer_config.json where it is there. Unknown, as what follows: the server counted. */
  readonly sha256: Reported<string>;
  /** As the file says: "BPE". */
  readonly model: Reported<string>;
  readonly vocabulary: Reported<number>;
};

export type TokenizerAccount = TokenizerFacts & {
  /** Answers of measured requests that were counted, and their tokens. */
  readonly answers: number;
  readonly tokens: number;
  /** Completed, and not counted: too long to be kept or split, or lost on the way. */
  readonly uncounted: number;
  /** Of those counted, how many have no usage of the server: their figures are of these counts. */
  readonly filled: number;
  /** Of the answers that have both. */
  readonly compared: Reported<ComparedTokens>;
};

type ComparedTokens = {
  readonly answers: number;
  readonly countedTokens: number;
  readonly toldTokens: number;
};

/** One sentence each. */
export const tokenizerLines = (told: Reported<TokenizerAccount>): readonly string[] => {
  if (isUnknown(told)) return [`the tokens of answers were not counted: ${told.reason}`];
  const { answers, uncounted, filled, compared, sha256, model } = told;
  const isServer = isUnknown(sha256) || isUnknown(model);
  const who = isServer ? told.name : `the tokenizer ${told.name} (${model}, sha256 ${sha256.slice(0, 12)})`;
  return [
    ...(filled === 0
      ? []
      : [
          `output tokens of ${counted(filled, 'answer')} are counted by ${who}, and not told by the server; marks that end an answer are not among them`,
        ]),
    ...(filled > 0 || answers === 0
      ? []
      : [`${who} counted ${counted(told.tokens, 'token')} in ${counted(answers, 'answer')}`]),
    ...(uncounted === 0
      ? []
      : [
          isServer
            ? `${counted(uncounted, 'answer')} ${ofCount(uncounted, 'was', 'were')} not counted: the server is asked for so many and so long at most (docs/limits.md), or did not tell`
            : `${counted(uncounted, 'answer')} ${ofCount(uncounted, 'was', 'were')} not counted: too long to be kept or split, or lost on the way`,
        ]),
    ...(isUnknown(compared) ? [] : comparedLines(compared)),
  ];
};

/** Marks that end an answer, and those around reasoning and calls, are in the server's count alone. */
const comparedLines = (compared: ComparedTokens): readonly string[] => {
  const { answers, countedTokens, toldTokens } = compared;
  const counts = `${counted(countedTokens, 'token')} as counted, ${formatCount(toldTokens)} as the server told, of ${counted(answers, 'answer')}`;
  return agrees(compared)
    ? [`the server's usage and the tokenizer agree: ${counts}`]
    : [
        `the server's usage and the tokenizer differ: ${counts}; is it the tokenizer of this model, and does the server count all that it sends?`,
      ];
};

export const agrees = ({ answers, countedTokens, toldTokens }: ComparedTokens): boolean =>
  Math.abs(countedTokens - toldTokens) <= Math.max(answers * MARKS_OF_ANSWER, toldTokens * SHARE_APART);

/** The end of the answer, and one mark more. */
const MARKS_OF_ANSWER = 2;
/** A model may write a word in other pieces than its tokenizer would. */
const SHARE_APART = 0.02;
