// The lines of a daemon about itself: that it has started and where it listens, that it is ready, why it stops. The address
// of the dashboard is written without its one-time code.

import type { Clock } from '../../clock/clock.ts';
import { type HostPort, hostPortText } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import { errorMessage } from '../../core/problem.ts';
import type { State } from '../../core/state.ts';
import type { DaemonLog } from './daemon-log.ts';

interface LifeLogParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly log: DaemonLog;
  readonly home: string;
  readonly version: string;
  readonly pid: number;
}

export class LifeLog {
  readonly #parts: LifeLogParts;
  readonly #startedAtMs: number;
  #failure: string | undefined;

  constructor(parts: LifeLogParts) {
    this.#parts = parts;
    this.#startedAtMs = parts.clock.nowMs();
  }

  started({ http, mesh }: { readonly http: string; readonly mesh: HostPort | undefined }): void {
    const { log, home, version, pid, nodeId } = this.#parts;
    const listensOn = mesh === undefined ? 'off' : hostPortText(mesh);
    log.write('start', { version, home, http, mesh: listensOn, node_id: nodeId, pid });
  }

  ready(until: AbortSignal): void {
    if (until.aborted) return;
    const { log, nodeId, state } = this.#parts;
    const now = state();
    log.write('ready', {
      node: nodeName(now, nodeId),
      nodes: nodeIds(now).length,
      took_s: this.#secondsSinceStart(),
    });
  }

  /** A part failed unexpectedly: the reason of the stop that follows. */
  failed(error: unknown): void {
    this.#failure ??= errorMessage(error);
  }

  stopped(reason: unknown): void {
    const isFailure = this.#failure !== undefined;
    this.#parts.log.write(
      'stop',
      { reason: this.#failure ?? errorMessage(reason), up_s: this.#secondsSinceStart() },
      isFailure ? { level: 'error' } : {},
    );
  }

  #secondsSinceStart(): number {
    return Math.round((this.#parts.clock.nowMs() - this.#startedAtMs) / 100) / 10;
  }
}
