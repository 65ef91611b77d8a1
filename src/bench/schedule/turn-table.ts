// Which turns of a data set's sessions wait for which, and how long: tables in shared memory, which every load and
// parse thread reads without a copy. Turns are numbered through the whole data set, which is repeated.

export interface TurnTableMemory {
  /** Int32, one more than sessions: the first turn of each. */
  readonly starts: SharedArrayBuffer;
  /** Int32, one a turn: its session. */
  readonly sessions: SharedArrayBuffer;
  /** Float64, one a turn. */
  readonly delaysNs: SharedArrayBuffer;
  /** Int32, one a turn: its number of dependencies. */
  readonly waits: SharedArrayBuffer;
  /** Int32, one more than turns: index in `dependents` where the list of each begins. */
  readonly dependentStarts: SharedArrayBuffer;
  /** Int32: dependent turns, by their index in their session. */
  readonly dependents: SharedArrayBuffer;
  /** Int32, one: the session with which the data set begins again after its last. */
  readonly repeatFrom: SharedArrayBuffer;
}

export interface TimedTurns {
  readonly turns: readonly { readonly after: readonly number[]; readonly delayMs: number }[];
}

/** @param repeatFrom sessions before it are played once */
export const turnTable = (sessions: readonly TimedTurns[], repeatFrom: number = 0): TurnTableMemory => {
  const turnCount = sessions.reduce((sum, { turns }) => sum + turns.length, 0);
  const starts = int32(sessions.length + 1);
  const sessionOf = int32(turnCount);
  const waits = int32(turnCount);
  const delays = new SharedArrayBuffer(turnCount * Float64Array.BYTES_PER_ELEMENT);
  const delaysNs = new Float64Array(delays);
  const dependentStarts = int32(turnCount + 1);
  const lists: number[] = [];
  let first = 0;
  for (const [index, { turns }] of sessions.entries()) {
    const dependents: number[][] = turns.map(() => []);
    for (const [turn, { after, delayMs }] of turns.entries()) {
      sessionOf[first + turn] = index;
      delaysNs[first + turn] = Math.round(delayMs * 1e6);
      const distinct = new Set(after);
      waits[first + turn] = distinct.size;
      for (const earlier of distinct) dependents[earlier]?.push(turn);
    }
    for (const [turn, list] of dependents.entries()) {
      for (const dependent of list) lists.push(dependent);
      dependentStarts[first + turn + 1] = lists.length;
    }
    first += turns.length;
    starts[index + 1] = first;
  }
  const dependents = int32(lists.length);
  dependents.set(lists);
  const again = int32(1);
  again[0] = repeatFrom;
  return {
    starts: starts.buffer,
    sessions: sessionOf.buffer,
    delaysNs: delays,
    waits: waits.buffer,
    dependentStarts: dependentStarts.buffer,
    dependents: dependents.buffer,
    repeatFrom: again.buffer,
  };
};

/** A turn of one session in progress: sessions are numbered on as the data set is repeated. */
export interface TurnPosition {
  readonly session: number;
  readonly turn: number;
}

export class TurnTable {
  /** Of the data set. */
  readonly sessionCount: number;
  readonly turnCount: number;
  readonly #starts: Int32Array;
  readonly #sessions: Int32Array;
  readonly #delaysNs: Float64Array;
  readonly #waits: Int32Array;
  readonly #dependentStarts: Int32Array;
  readonly #dependents: Int32Array;
  readonly #repeatFrom: number;

  constructor({
    starts,
    sessions,
    delaysNs,
    waits,
    dependentStarts,
    dependents,
    repeatFrom,
  }: TurnTableMemory) {
    this.#starts = new Int32Array(starts);
    this.#sessions = new Int32Array(sessions);
    this.#delaysNs = new Float64Array(delaysNs);
    this.#waits = new Int32Array(waits);
    this.#dependentStarts = new Int32Array(dependentStarts);
    this.#dependents = new Int32Array(dependents);
    this.#repeatFrom = new Int32Array(repeatFrom)[0] ?? 0;
    this.sessionCount = this.#starts.length - 1;
    this.turnCount = this.#delaysNs.length;
  }

  /** The data set's number of the first turn of a session in progress. */
  firstTurn(session: number): number {
    return this.#starts[this.#indexOf(session)] ?? 0;
  }

  turnsOf(session: number): number {
    const index = this.#indexOf(session);
    return (this.#starts[index + 1] ?? 0) - (this.#starts[index] ?? 0);
  }

  delayNs(dataTurn: number): number {
    return this.#delaysNs[dataTurn] ?? 0;
  }

  waitsFor(dataTurn: number): number {
    return this.#waits[dataTurn] ?? 0;
  }

  /** Dependent turns, by their index in the session. */
  dependents(dataTurn: number): Int32Array {
    const from = this.#dependentStarts[dataTurn] ?? 0;
    return this.#dependents.subarray(from, this.#dependentStarts[dataTurn + 1] ?? from);
  }

  /** A turn's number among all turns of the run: it is unique. */
  numberOf({ session, turn }: TurnPosition): number {
    const round = this.#roundOf(session, this.sessionCount, this.#repeatFrom);
    return round * (this.turnCount - this.#turnsBefore) + this.firstTurn(session) + turn;
  }

  /** The turn of that number. */
  positionOf(number: number): TurnPosition {
    const round = this.#roundOf(number, this.turnCount, this.#turnsBefore);
    const dataTurn = this.dataTurnOf(number);
    const index = this.#sessions[dataTurn] ?? 0;
    return {
      session: round * (this.sessionCount - this.#repeatFrom) + index,
      turn: dataTurn - (this.#starts[index] ?? 0),
    };
  }

  /** The data set's number of the turn of that number. */
  dataTurnOf(number: number): number {
    return (
      number - this.#roundOf(number, this.turnCount, this.#turnsBefore) * (this.turnCount - this.#turnsBefore)
    );
  }

  /** Of the sessions that are played once. */
  get #turnsBefore(): number {
    return this.#starts[this.#repeatFrom] ?? 0;
  }

  /** Of a session in progress. */
  #indexOf(session: number): number {
    const round = this.#roundOf(session, this.sessionCount, this.#repeatFrom);
    return session - round * (this.sessionCount - this.#repeatFrom);
  }

  /** How many times the repeated part, from `before` to `count`, precedes it. */
  #roundOf(number: number, count: number, before: number): number {
    return number < count ? 0 : Math.floor((number - before) / (count - before));
  }
}

const int32 = (count: number): Int32Array<SharedArrayBuffer> =>
  new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
