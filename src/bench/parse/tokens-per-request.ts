// What a parse thread needs of the requests to detect that a reply does not match them.

import type { SessionHistory } from '../../core/run/run-shape.ts';
import type { TurnTableMemory } from '../schedule/turn-table.ts';
import type { CheckedAnswers } from '../target/answer-check.ts';
import { type TargetSpread, targetIndex } from '../target/load-target.ts';
import type { RequestBodies } from '../target/request-bodies.ts';
import { keptAnswers, type SessionBodies } from '../target/session-bodies.ts';

export interface TokensPerRequest {
  /** For a run of sessions. */
  readonly turns?: RequestedTurns | undefined;
  /** The model that is requested; '': none in particular. */
  readonly model: string;
  /** For several models: their names, and which one each measured body requests. */
  readonly mix?: { readonly models: readonly string[]; readonly order: readonly number[] };
  /** For several targets: which one each request or session goes to. */
  readonly spread?: TargetSpread;
  /** Constraints that answers are checked against. */
  readonly check?: CheckedAnswers;
  /** Text of answers is kept for a tokenizer that counts them after the run. */
  readonly keepsAnswers: boolean;
  /** The first sample of the measured phase. */
  readonly measuredFrom: number;
  /** Number of bodies that the measured phase cycles through. */
  readonly bodies: number;
  /** Ids of lines in the data set, by body or turn; undefined: no line has one. */
  readonly lineIds?: readonly (string | undefined)[];
  /** Uint8, one per body: 1 if an earlier one is identical. undefined: each request is made unique. */
  readonly repeats: SharedArrayBuffer | undefined;
}

interface RequestedTurns {
  readonly table: TurnTableMemory;
  /** Uint8, one per turn of the data set: 1 if a later turn repeats the server's answer. */
  readonly keeps: SharedArrayBuffer;
  /** For each turn of the data set, the results of its answer's tool calls; undefined: none has any. */
  readonly results?: readonly (readonly string[])[];
  /** Where the history is stored: for a server's, only its id is needed. */
  readonly history: SessionHistory;
}

export const tokensPerRequest = ({
  model,
  mix,
  spread,
  check,
  keepsAnswers = false,
  bodies,
  sessions,
  replay,
  warmupRequests,
}: {
  readonly model: string;
  readonly mix?: TokensPerRequest['mix'];
  readonly spread?: TargetSpread;
  readonly check?: CheckedAnswers;
  readonly keepsAnswers?: boolean;
  readonly bodies: RequestBodies;
  readonly sessions?: { readonly bodies: SessionBodies } | undefined;
  readonly replay?: object | undefined;
  readonly warmupRequests: number;
}): TokensPerRequest => ({
  model,
  ...(mix === undefined ? {} : { mix }),
  ...(spread === undefined ? {} : { spread }),
  ...(check === undefined ? {} : { check }),
  ...(sessions === undefined
    ? {}
    : {
        turns: {
          table: sessions.bodies.turns,
          keeps: keptAnswers(sessions.bodies),
          history: sessions.bodies.history,
          ...(sessions.bodies.results === undefined ? {} : { results: sessions.bodies.results }),
        },
      }),
  ...linesOf(sessions?.bodies ?? bodies),
  keepsAnswers,
  measuredFrom: warmupRequests,
  bodies: bodies.measured,
  // Turns of a session differ, and sessions repeat when the data set is over. Those of a trace have their own words.
  repeats: sessions === undefined && replay === undefined ? bodies.repeats : undefined,
});

const linesOf = ({ lineIds }: Pick<RequestBodies, 'lineIds'>): Pick<TokensPerRequest, 'lineIds'> =>
  lineIds === undefined ? {} : { lineIds };

/** The id of its line in the data set; undefined: it has none, or it is a warm-up request. */
export const lineIdOf = (
  { lineIds, measuredFrom }: TokensPerRequest,
  sampleId: number,
): string | undefined => {
  const number = sampleId - measuredFrom;
  return lineIds === undefined || number < 0 ? undefined : lineIds[number % lineIds.length];
};

/**
 * Which model of the mix a measured sample requests, or which of several targets it goes to; -1: there is one, or it
 * is a warm-up request.
 * @param session that it is a turn of
 */
export const variantOf = (
  { mix, spread, measuredFrom, bodies }: TokensPerRequest,
  sampleId: number,
  session: number | undefined,
): number => {
  const number = sampleId - measuredFrom;
  if (number < 0) return -1;
  if (spread !== undefined) return targetIndex(spread, session ?? number);
  return mix === undefined ? -1 : (mix.order[number % bodies] ?? -1);
};

/** Whether identical bytes were sent before in the measured phase. */
export const isRepeatedRequest = (
  { measuredFrom, bodies }: TokensPerRequest,
  repeats: Uint8Array | undefined,
  sampleId: number,
): boolean => {
  const number = sampleId - measuredFrom;
  return repeats !== undefined && number >= 0 && (number >= bodies || repeats[number] === 1);
};
