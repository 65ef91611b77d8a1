// What a tab holds: the cluster's state, folded by the core's own apply, the link to the daemon, and the moment at which
// ages are counted. It rests while the page is hidden, and asks for a fresh snapshot when it is seen again.

import { applyAll } from '../../../src/core/apply.ts';
import { LiveHistory } from '../../../src/core/history/live-history.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import type { State } from '../../../src/core/state.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { decodeBatch, decodeSnapshot } from '../../../src/wire/stream-message.ts';
import type { Link, LinkView } from './link.ts';
import { linkView, movedLink, STREAM_STALE_MS } from './link.ts';
import { openPort } from './open-port.ts';
import type { StreamPort, ToTab } from './port.ts';

/** How often at least ages are counted anew while somebody looks, ms. */
export const TICK_MS = 500;
/** News that come sooner after the last count do not count again: ten batches a second are not ten counts. */
const COUNT_MS_MIN = 250;
/** Of so many nodes somebody always tells something, most of them once a second. */
const MANY_NODES = 32;
const COUNT_MS_MIN_OF_MANY = 1_000;
/** After news the next are waited for a little longer, so that a source that tells twice a second is the only beat. */
const TICK_AFTER_NEWS_MS = 650;

export interface StreamHeader {
  readonly nodeId: NodeId;
  readonly plimsollVersion: string;
  readonly daemonStart: string;
}

export class ClusterStore {
  cluster: State = $state.raw(EMPTY_STATE);
  /** The same as of the last count: what derives much from it does so at the count's beat, not with each batch. */
  seen: State = $state.raw(EMPTY_STATE);
  /** Undefined until the first snapshot. */
  header: StreamHeader | undefined = $state.raw(undefined);
  link: Link = $state.raw({ kind: 'starting' });
  /** This tab's monotonic clock, moved on by the tick. */
  nowMs: number = $state(performance.now());
  /** Each one replaces the picture: at the start, after a break, when the page is seen again. */
  snapshotCount: number = $state(0);
  readonly history: LiveHistory = new LiveHistory();
  readonly #staleMs: number;
  /** The version this page came with. */
  #firstVersion: string | undefined;
  #heardAtMs = 0;
  #port: StreamPort | undefined;
  #tick: ReturnType<typeof setTimeout> | undefined;

  constructor(staleMs: number = STREAM_STALE_MS) {
    this.#staleMs = staleMs;
  }

  get connection(): LinkView {
    return linkView(this.link, this.nowMs, this.#staleMs);
  }

  /**
   * The moment up to which this tab knows the cluster. While it is cut off, sources are judged as of then: that nothing
   * is heard of them is not their fault.
   */
  get judgedAtMs(): number {
    const { link, nowMs } = this;
    switch (this.connection.kind) {
      case 'stale':
        return link.kind === 'open' ? Math.min(link.heardAtMs, nowMs) : nowMs;
      case 'lost':
        return link.kind === 'lost' ? Math.min(link.sinceMs, nowMs) : nowMs;
      default:
        return nowMs;
    }
  }

  /** How far the picture lags behind now; undefined while it does not. */
  get lagMs(): number | undefined {
    const { kind } = this.connection;
    return kind === 'stale' || kind === 'lost' ? this.nowMs - this.judgedAtMs : undefined;
  }

  /** The daemon's version where it is not the one that served this page, which should then be loaded anew. */
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

  retry(): void {
    this.#port?.post({ kind: 'retry' });
  }

  #watch(): void {
    this.#port?.post({ kind: 'watch' });
    this.#count();
  }

  /** Counts ages, now and again within a tick. News count too, so that a busy page is drawn once for both. */
  #count(nextMs = TICK_MS): void {
    clearTimeout(this.#tick);
    this.nowMs = performance.now();
    this.seen = this.cluster;
    if (this.link.kind === 'open' && this.link.heardAtMs < this.#heardAtMs)
      this.link = { kind: 'open', heardAtMs: this.#heardAtMs };
    this.#tick = setTimeout(
      () => this.#count(),
      Math.max(nextMs, this.#countMsMin() === COUNT_MS_MIN ? 0 : COUNT_MS_MIN_OF_MANY),
    );
  }

  /** While all is well the link moves on with the count: ten batches a second are not ten checks of all that depends on it. */
  #hear(nowMs: number): void {
    this.#heardAtMs = nowMs;
    if (this.connection.kind !== 'live') this.link = { kind: 'open', heardAtMs: nowMs };
  }

  #countMsMin(): number {
    let nodes = 0;
    for (const _node in this.cluster.nodeIdentities) nodes += 1;
    return nodes > MANY_NODES ? COUNT_MS_MIN_OF_MANY : COUNT_MS_MIN;
  }

  #rest(): void {
    clearTimeout(this.#tick);
    this.#port?.post({ kind: 'rest' });
  }

  #receive(message: ToTab): void {
    const nowMs = performance.now();
    switch (message.kind) {
      case 'snapshot': {
        const { state, nodeId, plimsollVersion, daemonStart } = decodeSnapshot(message.text, nowMs);
        this.cluster = state;
        this.seen = state;
        this.nowMs = nowMs;
        this.#firstVersion ??= plimsollVersion;
        this.snapshotCount += 1;
        if (this.header?.daemonStart !== daemonStart) this.header = { nodeId, plimsollVersion, daemonStart };
        break;
      }
      case 'batch': {
        const { events } = decodeBatch(message.text, nowMs);
        this.cluster = applyAll(this.cluster, events);
        for (const event of events) this.history.record(event);
        if (nowMs - this.nowMs >= this.#countMsMin()) this.#count(TICK_AFTER_NEWS_MS);
        this.#hear(nowMs);
        break;
      }
      case 'heartbeat':
        this.#hear(nowMs);
        break;
      case 'link':
        this.link = movedLink(message.link, nowMs - message.nowMs);
        break;
      default:
        message satisfies never;
    }
  }
}
