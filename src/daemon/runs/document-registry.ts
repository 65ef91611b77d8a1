// Receives what processes of this machine report about their documents of one kind, and writes events only for its own. A
// silent one is given up after a minute, not at once: a laptop that slept continues, and pages have shown "interrupted"
// since its lease ran out.

import { silenceMs } from '../../core/document/document-views.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { Entry } from '../../core/state.ts';
import { readStored } from '../../metrics/stored-file.ts';
import { nowAndEvery } from '../every.ts';
import {
  ABANDONED_MS,
  type DocumentKind,
  type DocumentTypes,
  type InProgress,
  type RegistryParts,
} from './document-kind.ts';
import { runFolders } from './run-reports.ts';

/** How often those in progress are looked at, and directories for documents that nobody announced. */
const LOOK_MS = 1_000;
export const SCAN_MS = 30_000;

/**
 * 'stop': accepted, and a person requested that it end. 'waiting': the disk refuses it for now, retry. 'unknown': report its
 * start first. 'full': too many at once.
 */
export type ReportedState = 'taken' | 'stop' | 'waiting' | 'unknown' | 'full';

export class DocumentRegistry<T extends DocumentTypes> {
  readonly #kind: DocumentKind<T>;
  readonly #parts: RegistryParts;
  readonly #live = new Map<T['id'], InProgress<T>>();
  /** Those that a person requested to end; each receives the request with the reply to its next report. */
  readonly #stopRequested = new Set<T['id']>();
  readonly #startedAtMs: number;
  /** Directory to when it changed last. */
  readonly #looked = new Map<string, number>();
  #scannedAtMs = Number.NEGATIVE_INFINITY;

  constructor(kind: DocumentKind<T>, parts: RegistryParts) {
    this.#kind = kind;
    this.#parts = parts;
    this.#startedAtMs = parts.clock.nowMs();
  }

  start(begun: T['begun']): ReportedState {
    const kind = this.#kind;
    const id = kind.idOf(begun);
    if (!this.#live.has(id) && this.#live.size >= kind.liveLimit) return 'full';
    const document = kind.begin(begun, this.#parts);
    const recorded = this.#parts.record(kind.started(document));
    this.#open(id, document);
    this.#record(kind.leases(document, this.#parts));
    return recorded === 'waiting' ? 'waiting' : 'taken';
  }

  update(update: T['update']): ReportedState {
    return this.news(this.#kind.idOf(update), progress => this.#kind.reported(progress, update, this.#parts));
  }

  /** News of one that started here, as facts. */
  news(id: T['id'], facts: (progress: InProgress<T>) => readonly Fact[]): ReportedState {
    const progress = this.inProgress(id);
    if (progress === undefined) return 'unknown';
    this.#record(facts(progress));
    return this.#stopRequested.has(id) ? 'stop' : 'taken';
  }

  /**
   * Requests that one end as by Ctrl-C, with its report. Its process receives the request with the reply to its next report:
   * no process is signalled, so none that only has the same number can be hit. False if none is in progress here.
   */
  stop(id: T['id']): boolean {
    if (this.inProgress(id) === undefined) return false;
    this.#stopRequested.add(id);
    return true;
  }

  end(ended: T['ended']): ReportedState {
    const id = this.#kind.idOf(ended);
    const own = this.own(id);
    const progress = this.#live.get(id) ?? (own === undefined ? undefined : this.#reopened(own));
    if (progress !== undefined) return this.#end(id, this.#kind.end(progress, ended));
    return own === undefined || own.state === 'running' ? 'unknown' : 'taken';
  }

  /** One of this node as State has it. */
  own(id: T['id']): T['stored'] | undefined {
    return this.#entry(id)?.value;
  }

  /** After a restart of the daemon, a kind that must be announced again has none. */
  inProgress(id: T['id']): InProgress<T> | undefined {
    const progress = this.#live.get(id);
    if (progress !== undefined) return progress;
    const own = this.own(id);
    if (own?.state !== 'running' || !this.#kind.isReopened) return undefined;
    return this.#open(id, own);
  }

  /** The file of one of this node; a reason where it cannot be read; undefined where this node has none of that id. */
  async file(
    id: T['id'],
  ): Promise<{ readonly document: T['file'] } | { readonly reason: string } | undefined> {
    const own = this.own(id);
    if (own === undefined) return undefined;
    const read = await readStored(own.directory, this.#kind.files);
    if (read.kind === 'refused' || this.#kind.fileId(read.document) === id) return read;
    return { reason: `${own.directory} now contains another one` };
  }

  /** Adds one that no daemon received. */
  add(document: T['stored']): void {
    this.#parts.record(this.#kind.ended(document));
    this.#kind.whenEnded?.(document);
  }

  get hasRoom(): boolean {
    return Object.keys(this.#entries()).length < this.#kind.storedLimit;
  }

  /** Follows those in progress, gives up silent ones and finds others, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    await nowAndEvery(LOOK_MS, () => this.look(), { clock, until: signal });
  }

  /** One round of `follow`. */
  async look(): Promise<void> {
    const { clock } = this.#parts;
    for (const [id, progress] of this.#live) {
      const own = this.own(id);
      // Its end waited for the disk, and is stored now.
      if (own !== undefined && own.state !== 'running') this.#forget(id);
      else await this.#kind.look?.(progress, clock.nowMs());
    }
    await this.#settleSilent();
    if (clock.nowMs() - this.#scannedAtMs < SCAN_MS) return;
    this.#scannedAtMs = clock.nowMs();
    await this.#find();
  }

  #open(id: T['id'], document: T['stored']): InProgress<T> {
    const progress = { document, live: this.#kind.open(document, this.#live.get(id)?.live) };
    this.#live.set(id, progress);
    return progress;
  }

  #reopened(document: T['stored']): InProgress<T> | undefined {
    return this.#kind.isReopened ? { document, live: this.#kind.open(document, undefined) } : undefined;
  }

  #end(id: T['id'], document: T['stored']): ReportedState {
    if (this.#parts.record(this.#kind.ended(document)) === 'waiting') return 'waiting';
    this.#forget(id);
    this.#kind.whenEnded?.(document);
    return 'taken';
  }

  #forget(id: T['id']): void {
    this.#live.delete(id);
    this.#stopRequested.delete(id);
  }

  async #settleSilent(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    for (const entry of Object.values(this.#entries())) {
      const document: T['stored'] = entry.value;
      const id = this.#kind.idOf(document);
      const silentMs = this.#silentMs(entry, nowMs);
      if (document.state !== 'running' || silentMs <= this.#kind.settledAfterMs) continue;
      const read = await this.file(id);
      const file = read !== undefined && 'document' in read ? read.document : undefined;
      const live = this.#live.get(id)?.live;
      const settled = await this.#kind.settle(document, { silentMs, file, live, parts: this.#parts });
      if (settled !== undefined && this.own(id) === document) this.#end(id, settled);
    }
  }

  #silentMs(entry: Entry<T['stored']>, nowMs: number): number {
    const { nodeId: node, state } = this.#parts;
    // A daemon that has just started has had no time to receive anything.
    return Math.min(nowMs - this.#startedAtMs, silenceMs(this.#kind, state(), { node, entry, nowMs }));
  }

  async #find(): Promise<void> {
    const { find, idOf } = this.#kind;
    if (find === undefined) return;
    const known = new Set(Object.values(this.#entries()).map(({ value }) => value.directory));
    const sinceStartMs = this.#parts.clock.nowMs() - this.#startedAtMs;
    for (const { path: directory, atMs } of (await runFolders(this.#parts.home)).toReversed()) {
      // What was looked at once is not news, also when state has let it go since.
      if (known.has(directory) || this.#looked.get(directory) === atMs) continue;
      if (!this.hasRoom) return;
      const found = await find(directory, this.#parts);
      // A process that still writes it announces itself within seconds.
      if (found?.isWritten === true && sinceStartMs < ABANDONED_MS) continue;
      this.#looked.set(directory, atMs);
      if (found === undefined || this.own(idOf(found.document)) !== undefined) continue;
      this.add(found.document);
      await found.whenAdded?.();
    }
  }

  #record(facts: readonly Fact[]): void {
    for (const fact of facts) this.#parts.record(fact);
  }

  #entry(id: T['id']): Entry<T['stored']> | undefined {
    const entries = this.#entries();
    return Object.hasOwn(entries, id) ? entries[id] : undefined;
  }

  #entries(): Readonly<Record<string, Entry<T['stored']>>> {
    return this.#kind.entries(this.#parts.state())[this.#parts.nodeId] ?? {};
  }
}
