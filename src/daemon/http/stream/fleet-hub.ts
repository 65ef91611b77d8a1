// Streams that carry what a page shows and not the whole state: the picture of a fleet, what is picked on it, the nodes of one
// group. Looked at once a second for all of them, while there is a reader; each view is encoded once for all who have it.

import type { ServerResponse } from 'node:http';
import { errorMessage } from '../../../core/problem.ts';
import { recordOf } from '../../../core/record-of.ts';
import { dropReasonSchema, type StreamCounts } from '../../../wire/api/daemon-answers.ts';
import { encodeFleet, type WrittenParts, writtenLists, writtenPicture } from '../../../wire/fleet-message.ts';
import {
  type DropReason,
  encodeBatch,
  encodeSnapshot,
  type WrittenMessage,
} from '../../../wire/stream-message.ts';
import type { Grant } from '../access.ts';
import { RequestError } from '../request-error.ts';
import { EarlyLooks } from './early-looks.ts';
import { PartsFeed } from './parts-feed.ts';
import { StateFeed } from './state-feed.ts';
import { StreamClient } from './stream-client.ts';
import { encodeServerEvent, RETRY_FRAME, sequenceOf, streamId } from './stream-frames.ts';
import type { StreamHubOptions } from './stream-hub.ts';
import { isOfState, type StreamView, statePartOf, viewText } from './stream-view.ts';

interface ViewFeed {
  readonly view: StreamView;
  /** The prefix of the ids of the stream: another feed of the same view starts its numbers again. */
  readonly start: string;
  readonly feed: StateFeed | PartsFeed;
}

export class FleetHub implements AsyncDisposable {
  readonly #options: StreamHubOptions;
  readonly #stop = new AbortController();
  readonly #early: EarlyLooks;
  readonly #feeds = new Map<string, ViewFeed>();
  readonly #clients = new Map<StreamClient, string>();
  readonly #dropped: Record<DropReason, number> = recordOf(dropReasonSchema.options, () => 0);
  #leftOut = 0;
  #feedCount = 0;
  #beatAtMs = 0;
  #running: Promise<void> | undefined;
  #warming: Promise<void> | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(options: StreamHubOptions) {
    this.#options = options;
    this.#early = new EarlyLooks(options);
  }

  start(): void {
    this.#unsubscribe = this.#options.cluster.subscribe(
      events => {
        for (const { feed } of this.#feeds.values()) if (feed instanceof StateFeed) feed.take(events);
      },
      () => {
        for (const { feed } of this.#feeds.values()) if (feed instanceof StateFeed) feed.startOver();
      },
    );
    this.#warming = this.#lookEarly();
  }

  /** A page was asked for, so its stream will be: the daemon looks while the browser puts the page together. */
  expectReader(): void {
    this.#early.expectReader();
  }

  counts(): Pick<StreamCounts, 'clients' | 'queuedBytes' | 'leftOut' | 'dropped'> {
    let queuedBytes = 0;
    for (const client of this.#clients.keys()) queuedBytes += client.queuedBytes;
    return {
      clients: this.#clients.size,
      queuedBytes,
      leftOut: this.#leftOut,
      dropped: { ...this.#dropped },
    };
  }

  /** For the limit of all streams together. */
  get clients(): readonly StreamClient[] {
    return [...this.#clients.keys()];
  }

  /** @throws RequestError 503 when no more different views are served; call it before the response is begun. */
  checkRoom(view: StreamView, isOwner: boolean): void {
    const max = isOwner ? VIEWS_MAX + VIEWS_OWNER_MAX : VIEWS_MAX;
    if (this.#feeds.has(viewText(view)) || this.#feeds.size < max) return;
    throw new RequestError(
      {
        code: 'too-many-streams',
        problem: `This daemon serves ${max} different views of a fleet at once.`,
        advice: 'Close some pages, or read /api/groups.',
      },
      { headers: { 'retry-after': '5' } },
    );
  }

  /** Takes over a response whose headers were sent. */
  open(
    response: ServerResponse,
    reader: {
      readonly grant: Grant;
      readonly isOwner: boolean;
      readonly lastId: string | undefined;
      readonly view: StreamView;
    },
  ): void {
    const { clock, limits } = this.#options;
    const key = viewText(reader.view);
    const client = new StreamClient({
      response,
      grant: reader.grant,
      isOwner: reader.isOwner,
      clock,
      limits,
      onDropped: reason => {
        this.#dropped[reason] += 1;
        this.#remove(client);
      },
      onClosed: closed => this.#remove(closed),
    });
    const viewFeed = this.#feeds.get(key) ?? this.#feedOf(reader.view);
    this.#feeds.set(key, viewFeed);
    this.#clients.set(client, key);
    client.send(RETRY_FRAME);
    if (viewFeed.feed instanceof StateFeed) viewFeed.feed.add(client);
    else viewFeed.feed.add(client, sequenceOf(reader.lastId, viewFeed.start));
    this.#early.lookIfOlder(LIVE_VIEW_MS);
    this.#report(viewFeed);
    this.#running ??= this.#run();
  }

  checkGrants(): void {
    for (const client of [...this.#clients.keys()])
      if (!this.#options.isStillGranted(client.grant))
        client.drop(
          'access-ended',
          'the sign-in of this reader has ended; open the URL that "plimsoll open" prints',
        );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    for (const client of [...this.#clients.keys()]) client.drop('stopping', 'the daemon is stopping');
    this.#stop.abort();
    await Promise.all([this.#running, this.#warming]);
  }

  async #lookEarly(): Promise<void> {
    try {
      await this.#early.run(() => this.#clients.size > 0, this.#stop.signal);
    } catch (error) {
      if (!this.#stop.signal.aborted)
        this.#options.onFailure(`The stream of a fleet failed: ${errorMessage(error)}.`, error);
    }
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    try {
      while (this.#clients.size > 0) {
        await clock.sleep(LIVE_VIEW_MS, this.#stop.signal);
        this.#early.look();
        for (const viewFeed of [...this.#feeds.values()]) this.#report(viewFeed);
        this.#beat(clock.nowMs());
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        this.#options.onFailure(`The stream of a fleet failed: ${errorMessage(error)}.`, error);
        for (const client of [...this.#clients.keys()])
          client.drop('failed', 'the stream failed; it can be opened again');
      }
    } finally {
      this.#running = undefined;
    }
  }

  #report(viewFeed: ViewFeed): void {
    const { view, feed } = viewFeed;
    if (feed instanceof StateFeed) {
      const cells = this.#early.looks.picture(view.by)?.roster.groups;
      feed.send(this.#options.cluster.state, statePartOf(view, this.#options.cluster.state, cells ?? []));
      return;
    }
    feed.take(this.#partsOf(view));
    feed.send();
  }

  #partsOf(view: StreamView): WrittenParts {
    if (view.kind === 'links') return writtenLists(this.#early.looks.links(view.by, view.filter));
    if (view.kind === 'pick')
      return writtenLists({ selection: this.#early.looks.select(view.by, view.pick) ?? null });
    const picture = this.#early.looks.picture(view.by);
    return picture === undefined ? new Map() : writtenPicture(picture);
  }

  #beat(nowMs: number): void {
    if (nowMs - this.#beatAtMs < this.#options.limits.streamHeartbeatMs) return;
    this.#beatAtMs = nowMs;
    this.checkGrants();
    const frame = encodeServerEvent({ event: 'heartbeat', data: JSON.stringify({ nowMs }) });
    for (const client of [...this.#clients.keys()]) {
      client.checkStall();
      client.send(frame);
    }
  }

  #remove(client: StreamClient): void {
    const key = this.#clients.get(client) ?? '';
    this.#clients.delete(client);
    const viewFeed = this.#feeds.get(key);
    viewFeed?.feed.remove(client);
    if (viewFeed?.feed.readerCount === 0) this.#feeds.delete(key);
  }

  #feedOf(view: StreamView): ViewFeed {
    const { clock, daemonStart, nodeId, version: plimsollVersion, limits } = this.#options;
    this.#feedCount += 1;
    const start = `${daemonStart}-${viewText(view)}-${this.#feedCount}`;
    const written = (event: 'snapshot' | 'batch', { text, leftOut }: WrittenMessage): Buffer => {
      this.#leftOut += leftOut;
      return encodeServerEvent({ event, data: text });
    };
    if (isOfState(view)) {
      const feed = new StateFeed(
        {
          snapshot: state =>
            written(
              'snapshot',
              encodeSnapshot({ daemonStart, nodeId, plimsollVersion, nowMs: clock.nowMs(), state }),
            ),
          batch: events => written('batch', encodeBatch({ nowMs: clock.nowMs(), events })),
        },
        limits.pendingEventsMax,
      );
      return { view, start, feed };
    }
    const feed = new PartsFeed(({ parts, isWhole, number }) =>
      encodeServerEvent({
        event: 'fleet',
        id: streamId(start, number),
        data: encodeFleet({ daemonStart, nodeId, plimsollVersion, nowMs: clock.nowMs(), isWhole }, parts),
      }),
    );
    return { view, start, feed };
  }
}

/** What all streams together hold. */
export const allStreams = (whole: StreamCounts, views: ReturnType<FleetHub['counts']>): StreamCounts => ({
  clients: whole.clients + views.clients,
  queuedBytes: whole.queuedBytes + views.queuedBytes,
  refused: whole.refused,
  leftOut: whole.leftOut + views.leftOut,
  dropped: recordOf(DROP_REASONS, reason => whole.dropped[reason] + views.dropped[reason]),
});

/** Between two looks. */
export const LIVE_VIEW_MS = 1_000;
const VIEWS_MAX = 64;
/** Additional views for requests with the token. */
const VIEWS_OWNER_MAX = 16;
const DROP_REASONS = ['slow', 'stalled', 'access-ended', 'stopping', 'failed'] as const;
