// What a parse thread must know of the requests to see that a reply is not quite one to them.

import type { SessionHistory } from '../../core/run/run-shape.ts';
import type { TurnTableMemory } from '../schedule/turn-table.ts';
import type { CheckedAnswers } from '../target/answer-check.ts';
import { spreadPlace, type TargetSpread } from '../target/load-target.ts';
import type { RequestBodies } from '../target/request-bodies.ts';
import { keptAnswers, type SessionBodies } from '../target/session-bodies.ts';

export interface TokensPerRequest {
  /** Of a run of sessions. */
  readonly turns?: RequestedTurns | undefined;
  /** That is asked for; '': none in particular. */
  readonly model: string;
  /** Of several models: their names, and which each measured body asks for. */
  readonly mix?: { readonly models: readonly string[]; readonly order: readonly number[] };
  /** Of several targets: which each request or session goes to. */
  readonly spread?: TargetSpread;
  /** What answers are checked by. */
  readonly check?: CheckedAnswers;
  /** For a tokenizer that counts them behind the run. */
  readonly keepsAnswers: boolean;
  /** The first sample of the measured phase. */
  readonly measuredFrom: number;
  /** Bodies that the measured phase goes through, again and again. */
  readonly bodies: number;
  /** Names of lines in the data set, by the body or by its turn; undefined: no line has one. */
  readonly lineIds?: readonly (string | undefined)[];
  /** Uint8, one a body: 1 where an earlier one is the same. Undefined: each request is made unique. */
  readonly repeats: SharedArrayBuffer | undefined;
}

interface RequestedTurns {
  readonly table: TurnTableMemory;
  /** Uint8, one a turn of the data set: 1 where a later turn repeats what the server answered. */
  readonly keeps: SharedArrayBuffer;
  /** Of each turn of the data set the results for the tools that its answer calls; undefined: none has any. */
  readonly results?: readonly (readonly string[])[];
  /** Who keeps what was said: of a server's its id is wanted. */
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
  // Turns of a session differ, and sessions begin anew where the data set is over.
  // Those of a trace have words of their own.
  repeats: sessions === undefined && replay === undefined ? bodies.repeats : undefined,
});

const linesOf = ({ lineIds }: Pick<RequestBodies, 'lineIds'>): Pick<TokensPerRequest, 'lineIds'> =>
  lineIds === undefined ? {} : { lineIds };

/** The name of its line in the data set; undefined: it has none, or it warms up. */
export const lineIdOf = (
  { lineIds, measuredFrom }: TokensPerRequest,
  sampleId: number,
): string | undefined => {
  const number = sampleId - measuredFrom;
  return lineIds === undefined || number < 0 ? undefined : lineIds[number % lineIds.length];
};

/**
 * Which model of the mix a measured sample asks for, or which of several targets it goes to; -1: there is one, or it warms up.
 * @param session that it is a turn of
 */
export const variantOf = (
  { mix, spread, measuredFrom, bodies }: TokensPerRequest,
  sampleId: number,
  session: number | undefined,
): number => {
  const number = sampleId - measuredFrom;
  if (number < 0) return -1;
  if (spread !== undefined) return spreadPlace(spread, session ?? number);
  return mix === undefined ? -1 : (mix.order[number % bodies] ?? -1);
};

/** Whether the very same bytes were sent before in the measured phase. */
export const isRepeatedRequest = (
  { measuredFrom, bodies }: TokensPerRequest,
  repeats: Uint8Array | undefined,
  sampleId: number,
): boolean => {
  const number = sampleId - measuredFrom;
  return repeats !== undefined && number >= 0 && (number >= bodies || repeats[number] === 1);
};
