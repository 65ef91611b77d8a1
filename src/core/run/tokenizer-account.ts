// The counts of a tokenizer that the person provided, over the answers of a run, next to the server's counts.

import { counted, formatCount, ofCount } from '../figure/figure.ts';
import { count, type Infer, openObject, reported, text } from '../schema.ts';
import { isUnknown, type Reported } from '../unknown.ts';

const facts = {
  /** Name of its folder, without the path to it, or how the server was queried. */
  name: text,
  /**
   * Hash of tokenizer.json, then tokenizer_config.json if there is one. Unknown, like the following: the
   * server counted.
   */
  sha256: reported(text),
  /** As in the file: "BPE". */
  model: reported(text),
  vocabulary: reported(count),
};

const comparedSchema = openObject({ answers: count, countedTokens: count, reportedTokens: count });

export const tokenizerAccountSchema = openObject({
  ...facts,
  /** Answers of measured requests that were counted, and their tokens. */
  answers: count,
  tokens: count,
  /** Completed, and not counted: too long to be stored or split, or lost on the way. */
  uncounted: count,
  /** Counted ones without usage from the server: their figures use these counts. */
  filled: count,
  /** For the answers that have both. */
  compared: reported(comparedSchema),
});

export type TokenizerAccount = Infer<typeof tokenizerAccountSchema>;
export type TokenizerFacts = Pick<TokenizerAccount, keyof typeof facts>;
type ComparedTokens = Infer<typeof comparedSchema>;

/** One sentence each. */
export const tokenizerLines = (reported: Reported<TokenizerAccount>): readonly string[] => {
  if (isUnknown(reported)) return [`the tokens of answers were not counted: ${reported.reason}`];
  const { answers, uncounted, filled, compared, sha256, model } = reported;
  const isServer = isUnknown(sha256) || isUnknown(model);
  const who = isServer
    ? reported.name
    : `the tokenizer ${reported.name} (${model}, sha256 ${sha256.slice(0, 12)})`;
  return [
    ...(filled === 0
      ? []
      : [
          `output tokens of ${counted(filled, 'answer')} are counted by ${who}, because the server did not report them; end-of-answer tokens are not included`,
        ]),
    ...(filled > 0 || answers === 0
      ? []
      : [`${who} counted ${counted(reported.tokens, 'token')} in ${counted(answers, 'answer')}`]),
    ...(uncounted === 0
      ? []
      : [
          isServer
            ? `${counted(uncounted, 'answer')} ${ofCount(uncounted, 'was', 'were')} not counted: above the limits for counting by the server (docs/limits.md), or it did not reply`
            : `${counted(uncounted, 'answer')} ${ofCount(uncounted, 'was', 'were')} not counted: too long to be stored or split, or lost on the way`,
        ]),
    ...(isUnknown(compared) ? [] : comparedLines(compared)),
  ];
};

/** Tokens that end an answer, and those around reasoning and calls, are only in the server's count. */
const comparedLines = (compared: ComparedTokens): readonly string[] => {
  const { answers, countedTokens, reportedTokens } = compared;
  const counts = `${counted(countedTokens, 'token')} counted, ${formatCount(reportedTokens)} reported by the server, for ${counted(answers, 'answer')}`;
  return agrees(compared)
    ? [`the server's usage and the tokenizer agree: ${counts}`]
    : [
        `the server's usage and the tokenizer differ: ${counts}; is it the tokenizer of this model, and does the server count all that it sends?`,
      ];
};

export const agrees = ({ answers, countedTokens, reportedTokens }: ComparedTokens): boolean =>
  Math.abs(countedTokens - reportedTokens) <=
  Math.max(answers * MARKS_OF_ANSWER, reportedTokens * SHARE_APART);

/** The end of the answer, and one more token. */
const MARKS_OF_ANSWER = 2;
/** A model may write a word in other pieces than its tokenizer would. */
const SHARE_APART = 0.02;
