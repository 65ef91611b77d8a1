// The requests of sessions, laid out in shared memory before the run: each piece of text once, however many turns
// repeat it in their history. A load thread assembles a turn's body when it is due, with the actual answers.

import { parsed } from '../../core/figure/parse-figure.ts';
import type { SessionHistory } from '../../core/run/run-shape.ts';
import { BenchError } from '../bench-error.ts';
import type { Message } from '../dataset/message.ts';
import type { Session, Turn } from '../dataset/session.ts';
import { type TurnTableMemory, turnTable } from '../schedule/turn-table.ts';
import type { BodySettings, ConversationForm, KeptConversationForm, ServerApi } from './api/server-api.ts';
import { BODY_NONCE_BYTES, namedLines } from './request-bodies.ts';
import { ownFields, type RequestFields } from './request-fields.ts';
import { bodyAround, TextPieces } from './text-pieces.ts';

export interface SessionBodies {
  readonly turns: TurnTableMemory;
  /** Pieces of text in UTF-8, concatenated. */
  readonly bytes: SharedArrayBuffer;
  /** Float64, one more than pieces. */
  readonly pieceStarts: SharedArrayBuffer;
  /** Int32, TURN_CELLS a turn of the data set. */
  readonly cells: SharedArrayBuffer;
  /** Int32: the pieces that each turn adds; NONCE_PIECE marks the nonce. */
  readonly own: SharedArrayBuffer;
  /** If the server stores the history, the kept answers are ids, and a turn contains no earlier messages. */
  readonly history: SessionHistory;
  /** For each turn of the data set, the results that a later turn has for the tool calls of its answer: texts. */
  readonly results?: readonly (readonly string[])[];
  /** For each turn of the data set, the id of its line; undefined: no line has one. */
  readonly lineIds?: readonly (string | undefined)[];
  /** undefined: no nonce, so that any cache may serve it. Else 8 hex digits. */
  readonly noncePrefix: string | undefined;
}

/** The meaning of each of a turn's cells. */
export const TURN_CELL = {
  /** Piece before everything else, and the one after it. */
  head: 0,
  tail: 1,
  /** Range in `own`: start, and end (exclusive). */
  ownFrom: 2,
  ownTo: 3,
  /** The data set's number of the turn that it continues; NO_TURN: it begins a conversation. */
  continues: 4,
  /** The piece with its answer, if it is known; LIVE_ANSWER: the server's, kept; NO_ANSWER: not needed. */
  answer: 5,
  /** Whose number its nonce contains: a turn of the data set; RUN_SCOPE: the common one. */
  scope: 6,
} as const;

export const TURN_CELLS = 7;
export const NONCE_PIECE = -1;
export const NO_TURN = -1;
export const LIVE_ANSWER = -1;
export const NO_ANSWER = -2;
export const RUN_SCOPE = -1;
/** Pieces that every data set has: the JSON around an answer in the list of messages. */
export const ANSWER_BEFORE = 0;
export const ANSWER_AFTER = 1;

export interface SessionOptions extends Pick<BodySettings, 'model' | 'isStreaming'> {
  readonly api: ServerApi;
  readonly noncePrefix: string | undefined;
  readonly fields: RequestFields;
  /** Default: the client stores it. */
  readonly history?: SessionHistory | undefined;
  /** Sessions before this one are played once. Default: all are repeated. */
  readonly repeatFrom?: number | undefined;
}

/** @throws BenchError `input` for a turn that the API does not support, and when all texts together are too large. */
export const sessionBodies = (sessions: readonly Session[], options: SessionOptions): SessionBodies => {
  const pieces = new TextPieces();
  const form = options.api.conversation;
  const history = options.history ?? 'client';
  const kept = history === 'server' ? keptForm(options.api) : undefined;
  pieces.of(kept?.previous.before ?? (form === undefined ? '' : `,${form.answer.before}`));
  pieces.add(
    kept === undefined ? (form === undefined ? '' : form.answer.after) : `${kept.previous.after}${kept.list}`,
  );
  const count = sessions.reduce((sum, { turns }) => sum + turns.length, 0);
  const cells = new Int32Array(new SharedArrayBuffer(count * TURN_CELLS * Int32Array.BYTES_PER_ELEMENT));
  const own: number[] = [];
  const results: string[][] = Array.from({ length: count }, () => []);
  let first = 0;
  for (const [index, session] of sessions.entries()) {
    const layout = {
      session,
      index,
      starts: startsOf(session),
      first,
      cells,
      own,
      pieces,
      form,
      kept,
      options,
      results,
    };
    for (const turn of session.turns.keys()) layTurn(layout, turn);
    first += session.turns.length;
  }
  const shared = new Int32Array(new SharedArrayBuffer(own.length * Int32Array.BYTES_PER_ELEMENT));
  shared.set(own);
  return {
    turns: turnTable(sessions, options.repeatFrom),
    ...pieces.laidOut(),
    cells: cells.buffer,
    own: shared.buffer,
    history,
    ...(results.some(texts => texts.length > 0) ? { results } : {}),
    ...namedLines(sessions.flatMap(({ turns }) => turns)),
    noncePrefix: options.noncePrefix,
  };
};

const keptForm = (api: ServerApi): KeptConversationForm => {
  const kept = api.conversation?.kept;
  if (kept !== undefined) return kept;
  throw new BenchError({
    code: 'input',
    problem: `the API ${api.name} has no way to go on with what a server keeps`,
    advice: 'Write: --api responses, or leave out --history.',
  });
};

/** Uint8, one per turn of the data set: 1 if a later turn repeats the server's answer. */
export const keptAnswers = ({ cells }: SessionBodies): SharedArrayBuffer => {
  const all = new Int32Array(cells);
  const keeps = new SharedArrayBuffer(all.length / TURN_CELLS);
  const marks = new Uint8Array(keeps);
  for (let turn = 0; turn < marks.length; turn += 1)
    if (all[turn * TURN_CELLS + TURN_CELL.answer] === LIVE_ANSWER) marks[turn] = 1;
  return keeps;
};

interface SessionLayout {
  readonly session: Session;
  readonly index: number;
  /** For each turn, the one that begins its conversation. */
  readonly starts: readonly number[];
  /** The data set's number of its first turn. */
  readonly first: number;
  readonly cells: Int32Array;
  readonly own: number[];
  readonly pieces: TextPieces;
  readonly form: ConversationForm | undefined;
  /** Set if the server stores the history. */
  readonly kept: KeptConversationForm | undefined;
  /** For each turn of the data set; filled as turns are laid out. */
  readonly results: string[][];
  readonly options: SessionOptions;
}

const startsOf = ({ turns }: Session): readonly number[] => {
  const starts: number[] = [];
  for (const [turn, { continues }] of turns.entries())
    starts.push(continues === undefined ? turn : (starts[continues] ?? turn));
  return starts;
};

const layTurn = (layout: SessionLayout, index: number): void => {
  const { session, first, cells, own, pieces, form, kept, options } = layout;
  const turn = session.turns[index];
  if (turn === undefined) return;
  const at = (first + index) * TURN_CELLS;
  const ownFrom = own.length;
  const settings = {
    model: turn.model ?? options.model,
    isStreaming: options.isStreaming,
    nonce: options.noncePrefix === undefined ? undefined : NONCE_STANDIN,
    fields: ownFields(turn, options.fields),
  };
  if (turn.pieces !== undefined) layPieces(layout, { turn, index, settings }, turn.pieces());
  else if (form === undefined) layWhole(layout, { turn, index, settings });
  else {
    const start = session.turns[layout.starts[index] ?? index] ?? turn;
    const head = kept === undefined ? form.before(settings, start) : parsed(kept.before(settings));
    if (head.kind === 'wrong') throw refused(layout, index, head);
    cells[at + TURN_CELL.head] = pieces.of(head.value);
    cells[at + TURN_CELL.tail] = pieces.of((kept ?? form).after(turn.maxTokens, settings));
    const begins = turn.continues === undefined;
    if (begins && kept !== undefined) own.push(pieces.of(kept.list));
    if (begins && turn.prefix !== undefined && form.isSystemApart !== true)
      own.push(pieces.of(`${JSON.stringify({ role: 'system', content: turn.prefix })},`));
    const text = form.entries(contentFields(layout, turn), {
      isFirst: begins,
      nonce: begins ? settings.nonce : undefined,
    });
    if (text.kind === 'wrong') throw refused(layout, index, text);
    const { before, after } = text.value;
    if (!begins && after === '') own.push(pieces.of(''));
    else if (!begins) own.push(pieces.add(kept === undefined ? `,${after}` : after));
    else if (settings.nonce === undefined) own.push(pieces.add(after));
    else own.push(pieces.add(before), NONCE_PIECE, pieces.add(after.slice(BODY_NONCE_BYTES)));
  }
  cells[at + TURN_CELL.ownFrom] = ownFrom;
  cells[at + TURN_CELL.ownTo] = own.length;
  cells[at + TURN_CELL.continues] = turn.continues === undefined ? NO_TURN : first + turn.continues;
  cells[at + TURN_CELL.answer] = answerPiece(layout, turn, index);
  cells[at + TURN_CELL.scope] = scopeOf(turn, first, index);
};

interface LaidTurn {
  readonly turn: Turn;
  readonly index: number;
  readonly settings: BodySettings;
}

/** A prompt whose pieces are shared: each is stored once. */
const layPieces = (
  layout: SessionLayout,
  { turn, index, settings }: LaidTurn,
  texts: readonly string[],
): void => {
  const { first, cells, own, pieces, options } = layout;
  const { piecesBeforeNonce: shared } = turn;
  const isLater = shared !== undefined && settings.nonce !== undefined;
  const { before, after, nonceAt } = bodyAround(
    options.api,
    turn.maxTokens,
    isLater ? { ...settings, nonce: undefined } : settings,
  );
  const at = (first + index) * TURN_CELLS;
  cells[at + TURN_CELL.head] = pieces.of('');
  cells[at + TURN_CELL.tail] = pieces.of(after);
  if (isLater) {
    const mark = nonceMark(shared);
    for (const text of [before, ...texts.slice(0, shared), mark.before]) own.push(pieces.of(text));
    own.push(NONCE_PIECE);
    for (const text of [mark.after, ...texts.slice(shared)]) own.push(pieces.of(text));
    return;
  }
  if (nonceAt < 0) own.push(pieces.of(before));
  else
    own.push(
      pieces.of(before.slice(0, nonceAt)),
      NONCE_PIECE,
      pieces.of(before.slice(nonceAt + BODY_NONCE_BYTES)),
    );
  for (const text of texts) own.push(pieces.of(text));
};

/** What surrounds a nonce behind so many pieces of a prompt, whose words begin with a space. */
export const nonceMark = (piecesBefore: number): { readonly before: string; readonly after: string } =>
  piecesBefore === 0 ? { before: '[', after: '] ' } : { before: ' [', after: ']' };

/** An API without a list of messages sends each turn separately. */
const layWhole = (layout: SessionLayout, { turn, index, settings }: LaidTurn): void => {
  const { first, cells, own, pieces, options } = layout;
  if (turn.continues !== undefined)
    throw refused(layout, index, {
      problem: `it continues an earlier turn, but the API ${options.api.name} takes no conversation`,
      advice: 'Leave out --api, or use a data set of single requests.',
    });
  const { prefix, messages, maxTokens } = turn;
  const text = options.api.body(
    { messages, maxTokens, ...(prefix === undefined ? {} : { prefix }) },
    settings,
  );
  if (text.kind === 'wrong') throw refused(layout, index, text);
  const { before, after } = text.value;
  const at = (first + index) * TURN_CELLS;
  cells[at + TURN_CELL.head] = ANSWER_BEFORE;
  cells[at + TURN_CELL.tail] = ANSWER_BEFORE;
  if (settings.nonce === undefined) own.push(pieces.add(after));
  else own.push(pieces.add(before), NONCE_PIECE, pieces.add(after.slice(BODY_NONCE_BYTES)));
};

/**
 * A turn's own messages. Tool results follow the answer that made the calls, and a live answer may call others than
 * the recorded one: the parse thread inserts them.
 */
const contentFields = (
  { session, first, form, kept, results }: SessionLayout,
  turn: Turn,
): readonly Message[] => {
  const { messages, continues } = turn;
  const isLive = continues !== undefined && session.turns[continues]?.answer.kind === 'live';
  if (!isLive || kept !== undefined || form?.takesCalls !== true) return messages;
  const rest = messages.findIndex(({ role }) => role !== 'tool');
  const own = messages.slice(0, rest < 0 ? messages.length : rest);
  results[first + continues] = own.map(({ content }) =>
    typeof content === 'string' ? content : JSON.stringify(content ?? ''),
  );
  return messages.slice(own.length);
};

const answerPiece = ({ session, kept, pieces }: SessionLayout, turn: Turn, index: number): number => {
  if (!session.turns.some(({ continues }) => continues === index)) return NO_ANSWER;
  // Independent of the data set: a server continues with its own answer.
  if (kept !== undefined) return LIVE_ANSWER;
  const { answer } = turn;
  return answer.kind === 'live'
    ? LIVE_ANSWER
    : pieces.add(JSON.stringify({ content: answer.text, ...answer.fields }).slice(1, -1));
};

const scopeOf = ({ cacheScope = 'conversation' }: Turn, first: number, index: number): number => {
  switch (cacheScope) {
    case 'conversation':
      return first + index;
    case 'session':
      return first;
    case 'run':
      return RUN_SCOPE;
    default:
      return cacheScope satisfies never;
  }
};

const refused = (
  { session, index }: SessionLayout,
  turn: number,
  { problem, advice }: { readonly problem: string; readonly advice: string },
): BenchError =>
  new BenchError({
    code: 'input',
    problem: `session ${index + 1} (${session.id.slice(0, ID_SHOWN)}), turn ${turn + 1}: ${problem}`,
    advice,
  });

/** As long as a nonce. */
const NONCE_STANDIN = '0'.repeat(BODY_NONCE_BYTES);
const ID_SHOWN = 40;
