// What a tab holds: the cluster's state, folded by the core's own apply, or of a fleet the picture that the daemon sends in its
// place, the link to the daemon, and the moment at which ages are counted. It rests while the page is hidden, and asks for a fresh snapshot when it is seen again.

import { applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import type { FleetPicture } from '../../../src/core/fleet/fleet-picture.ts';
import type { FleetSelection } from '../../../src/core/fleet/fleet-selection.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { decodeFleet, type FleetLists, foldedPicture, listsOf } from '../../../src/wire/fleet-message.ts';
import { decodeBatch, decodeSnapshot, StreamMessageError } from '../../../src/wire/stream-message.ts';
import { BEAT_AFTER_NEWS_MS, BEAT_MS, isNews, newsMsMin } from './beat.ts';
import {
  judgedAt,
  movedLink,
  STREAM_STALE_MS,
  type StreamLink,
  type StreamLinkView,
  streamLinkView,
} from './link.ts';
import { openPort } from './open-port.ts';
import { PageHistory } from './page-history.ts';
import type { StreamPort, StreamText, ToTab } from './port.ts';

interface StreamHeader {
  readonly nodeId: NodeId;
  readonly plimsollVersion: string;
  readonly daemonStart: string;
}

/** What is counted at once, and so drawn at once: one value, because each that changes asks all that depends on it. */
interface Moment {
  readonly state: State;
  readonly fleet: FleetPicture | undefined;
  readonly lists: FleetLists;
  /** Another view was asked for, and nothing of it has come. */
  readonly isWaiting: boolean;
  readonly link: StreamLink;
  /** This tab's monotonic clock, moved on by the beat. */
  readonly nowMs: number;
}

/** Ten come in a second; more than these wait only where the page does not get to count. */
const BATCHES_MAX = 100;

export class ClusterStore {
  /** Undefined until the first snapshot. */
  header: StreamHeader | undefined = $state.raw(undefined);
  /** Each one replaces the picture: at the start, after a break, when the page is seen again. */
  snapshotCount: number = $state(0);
  readonly history: PageHistory = new PageHistory();
  #moment: Moment = $state.raw({
    state: EMPTY_STATE,
    fleet: undefined,
    lists: {},
    isWaiting: true,
    link: { kind: 'starting' },
    nowMs: performance.now(),
  });
  readonly #staleMs: number;
  /** The version this page came with. */
  #firstVersion: string | undefined;
  /** For the next moment: what has arrived since the last update. */
  #state: State = EMPTY_STATE;
  #fleet: FleetPicture | undefined;
  #lists: FleetLists = {};
  #isWaiting = true;
  /** The stream's query; undefined: nothing is looked at yet. */
  #scope: string | undefined;
  /** Folded when they are counted: ten batches at once take less than one ten times. */
  #batches: (readonly Event[])[] = [];
  #link: StreamLink = { kind: 'starting' };
  #isLooking = false;
  #countedAtMs = 0;
  #countAtMs = 0;
  #port: StreamPort | undefined;
  #beat: ReturnType<typeof setTimeout> | undefined;

  constructor(staleMs: number = STREAM_STALE_MS) {
    this.#staleMs = staleMs;
  }

  /** The cluster as of the last count. */
  get cluster(): State {
    return this.#moment.state;
  }

  /** The picture of a fleet, where the daemon sends that in place of the state. */
  get fleet(): FleetPicture | undefined {
    return this.#moment.fleet;
  }

  /** null: nobody is called as what is picked. */
  get selection(): FleetSelection | null | undefined {
    return this.#moment.lists.selection;
  }

  /** The matrix of a fleet's groups, and a page of the list of its links. */
  get links(): Omit<FleetLists, 'selection'> {
    return this.#moment.lists;
  }

  /** Nothing has come yet of what is looked at. */
  get isStarting(): boolean {
    return this.#moment.isWaiting;
  }

  get nowMs(): number {
    return this.#moment.nowMs;
  }

  get connection(): StreamLinkView {
    return streamLinkView(this.#moment.link, this.nowMs, this.#staleMs);
  }

  /** The moment as of which sources are judged. */
  get judgedAtMs(): number {
    return judgedAt(this.#moment.link, this.nowMs, this.#staleMs);
  }

  /** How far the picture lags behind now; undefined while it does not. */
  get lagMs(): number | undefined {
    const { kind } = this.connection;
    return kind === 'stale' || kind === 'lost' ? this.nowMs - this.judgedAtMs : undefined;
  }

  /** The daemon's version if it is not the one that served this page, which should then be reloaded. */
  get newVersion(): string | undefined {
    const version = this.header?.plimsollVersion;
    return version === this.#firstVersion ? undefined : version;
  }

  /** Opens the stream and follows the page's visibility; returns what ends it. */
  start(): () => void {
    this.#port = openPort(message => this.#receive(message));
    const follow = (): void => (document.visibilityState === 'visible' ? this.#watch() : this.#rest());
    const leave = (): void => this.#port?.post({ kind: 'leave' });
    document.addEventListener('visibilitychange', follow);
    addEventListener('pageshow', follow);
    addEventListener('pagehide', leave);
    follow();
    return () => {
      document.removeEventListener('visibilitychange', follow);
      removeEventListener('pageshow', follow);
      removeEventListener('pagehide', leave);
      this.#rest();
      leave();
    };
  }

  /**
   * Switches to another view: the stream's query, '' for the whole state. The whole state of a small cluster contains
   * every view of it.
   */
  look(scope: string): void {
    if (scope === this.#scope) return;
    const hasAll = this.#scope !== undefined && !this.#isWaiting && this.#fleet === undefined;
    if (hasAll && isSharedView(scope) && isSharedView(this.#scope) && this.#nodeCount() <= WHOLE_NODES)
      return;
    const isOther = this.#scope === undefined || scope === '' || this.#fleet === undefined;
    this.#scope = scope;
    if (isOther) {
      this.#isWaiting = true;
      this.#state = EMPTY_STATE;
      this.#fleet = undefined;
      this.#batches = [];
      this.#moment = { ...this.#moment, state: EMPTY_STATE, fleet: undefined, isWaiting: true };
    }
    if (this.#isLooking) this.#port?.post({ kind: 'watch', scope });
  }

  retry(): void {
    this.#port?.post({ kind: 'retry' });
  }

  #watch(): void {
    this.#isLooking = true;
    if (this.#scope !== undefined) this.#port?.post({ kind: 'watch', scope: this.#scope });
    this.#count(BEAT_MS);
  }

  /** Nothing is looked at until `look`. */
  rest(): void {
    this.#scope = undefined;
    this.#lists = {};
    this.#port?.post({ kind: 'leave' });
  }

  #rest(): void {
    this.#isLooking = false;
    clearTimeout(this.#beat);
    this.#port?.post({ kind: 'rest' });
  }

  #count(nextMs: number): void {
    this.#fold();
    const nowMs = performance.now();
    this.#moment = {
      state: this.#state,
      fleet: this.#fleet,
      lists: this.#lists,
      isWaiting: this.#isWaiting,
      link: this.#link,
      nowMs,
    };
    this.#countedAtMs = nowMs;
    this.#plan(nowMs + nextMs, BEAT_MS);
  }

  #plan(atMs: number, thenMs: number): void {
    clearTimeout(this.#beat);
    if (!this.#isLooking) return;
    this.#countAtMs = atMs;
    this.#beat = setTimeout(() => this.#count(thenMs), atMs - performance.now());
  }

  #fold(): void {
    const events = this.#batches.flat();
    this.#batches = [];
    if (events.length === 0) return;
    this.#state = applyAll(this.#state, events);
    for (const event of events) this.history.record(event);
  }

  #nodeCount(): number {
    let count = 0;
    for (const _node in this.#state.nodeIdentities) count += 1;
    return count;
  }

  #countNews(nowMs: number): void {
    const atMs = this.#countedAtMs + newsMsMin(this.#nodeCount());
    if (atMs <= nowMs) this.#count(BEAT_AFTER_NEWS_MS);
    else if (atMs < this.#countAtMs) this.#plan(atMs, BEAT_AFTER_NEWS_MS);
  }

  /** While all is well the link moves on with the count; that it is well again is news. */
  #noteArrival(nowMs: number): void {
    const isBack = this.connection.kind !== 'live';
    this.#link = { kind: 'open', lastMessageAtMs: nowMs };
    if (isBack) this.#count(BEAT_MS);
  }

  /** Something whole has come. */
  #greet({ nodeId, plimsollVersion, daemonStart }: StreamHeader): void {
    this.#isWaiting = false;
    this.#firstVersion ??= plimsollVersion;
    this.snapshotCount += 1;
    if (this.header?.daemonStart !== daemonStart) this.header = { nodeId, plimsollVersion, daemonStart };
  }

  #receive(message: ToTab): void {
    const nowMs = performance.now();
    switch (message.kind) {
      case 'past':
        if (message.texts.every(text => this.#read(text, nowMs - text.agoMs) !== undefined))
          this.#count(BEAT_MS);
        break;
      case 'snapshot':
        if (this.#read(message, nowMs) !== undefined) this.#count(BEAT_MS);
        break;
      case 'fleet':
        if (this.#read(message, nowMs) === undefined) break;
        this.#link = { kind: 'open', lastMessageAtMs: nowMs };
        this.#count(BEAT_AFTER_NEWS_MS);
        break;
      case 'batch': {
        const events = this.#read(message, nowMs);
        if (events === undefined) break;
        this.#noteArrival(nowMs);
        if (events.some(isNews)) this.#countNews(nowMs);
        break;
      }
      case 'heartbeat':
        this.#noteArrival(nowMs);
        break;
      case 'link':
        this.#link = movedLink(message.link, nowMs - message.nowMs);
        this.#count(BEAT_MS);
        break;
      default:
        message satisfies never;
    }
  }

  /** Takes over what a text contains, for the next count. Its events; undefined if it cannot be read. */
  #read({ kind, text }: StreamText, atMs: number): readonly Event[] | undefined {
    try {
      switch (kind) {
        case 'snapshot': {
          const { state, ...header } = decodeSnapshot(text, atMs);
          this.#state = state;
          this.#fleet = undefined;
          this.#batches = [];
          this.#greet(header);
          return [];
        }
        case 'fleet': {
          const reported = decodeFleet(text, atMs);
          this.#state = EMPTY_STATE;
          this.#fleet = foldedPicture(this.#fleet, reported);
          this.#lists = { ...this.#lists, ...listsOf(reported.parts) };
          if (reported.isWhole) this.#greet(reported);
          return [];
        }
        case 'batch': {
          // Of what was looked at before.
          if (this.#isWaiting) return [];
          const { events } = decodeBatch(text, atMs);
          this.#batches.push(events);
          if (this.#batches.length >= BATCHES_MAX) this.#fold();
          return events;
        }
        default:
          return kind satisfies never;
      }
    } catch (error) {
      if (!(error instanceof StreamMessageError)) throw error;
      this.#port?.post({ kind: 'unreadable', code: error.code, reason: error.message });
      return undefined;
    }
  }
}

/** The whole state, or a fleet's picture in its place. */
const isSharedView = (scope: string | undefined): boolean =>
  scope === '' || (scope !== undefined && new URLSearchParams(scope).get('view') === 'fleet');

/** Up to so many nodes the daemon sends the whole state when a fleet is requested. */
const WHOLE_NODES = 64;
