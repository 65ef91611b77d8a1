// Agents in this process over lines in memory, and a run from them, as the command makes one.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentPolicy } from '../../../src/bench/agent/agent-policy.ts';
import { serveCoordinator } from '../../../src/bench/agent/agent-session.ts';
import { systemNames } from '../../../src/bench/agent/reach-target.ts';
import type { AgentSessionEnd } from '../../../src/bench/agent/session-parts.ts';
import type { AgentChannel } from '../../../src/bench/fleet/agent-channel.ts';
import { channelToAgent, channelToCoordinator } from '../../../src/bench/fleet/framed-channel.ts';
import { runFleetBench } from '../../../src/bench/fleet/run-fleet.ts';
import type { BenchParts, BenchResult } from '../../../src/bench/run/bench-parts.ts';
import type { BenchRequest } from '../../../src/bench/run/bench-request.ts';
import type { SessionPhase } from '../../../src/bench/run/session.ts';
import type { MetricsSnapshot } from '../../../src/core/run/snapshot.ts';
import type { CoordinatorMessage } from '../../../src/wire/agent-message.ts';
import { type MemoryLines, memoryLines } from '../../support/memory-line.ts';
import { POLICY } from '../agent/scripted-coordinator.ts';
import { partsHere } from '../run-here.ts';

export class FleetHere {
  readonly lines: readonly MemoryLines[];
  readonly ends: readonly Promise<AgentSessionEnd>[];
  readonly phases: SessionPhase[] = [];
  readonly snapshots: MetricsSnapshot[] = [];
  readonly notices: string[] = [];
  /** Called with each snapshot before it is passed on. */
  onSnapshot: (snapshot: MetricsSnapshot) => void = () => undefined;
  onSend: (agent: number, message: CoordinatorMessage) => void = () => undefined;
  readonly #folder: string;
  readonly #names: readonly string[];

  /** @param names of its agents; the folders of their runs are made in `folder` */
  constructor(folder: string, names: readonly string[], policy: Partial<AgentPolicy>) {
    this.#folder = folder;
    this.#names = names;
    this.lines = names.map(() => memoryLines());
    this.ends = names.map((name, index) => {
      const own = join(folder, name);
      mkdirSync(own, { recursive: true });
      const { clock, env, nodePath, version, environment, settings } = partsHere(folder);
      const line = this.lines[index]?.agent;
      if (line === undefined) throw new Error('an agent without a line');
      return serveCoordinator(channelToCoordinator(line, 'atlas'), {
        policy: () => ({ ...POLICY, ...policy }),
        name,
        env: {},
        folder: own,
        resolve: systemNames,
        signal: new AbortController().signal,
        bench: { clock, env, nodePath, temporaryFolder: folder, version, environment, settings },
      });
    });
  }

  async run(request: BenchRequest, changes: Partial<BenchParts> = {}): Promise<BenchResult> {
    const observer = {
      started: () => undefined,
      phase: (phase: SessionPhase) => void this.phases.push(phase),
      snapshot: (snapshot: MetricsSnapshot) => {
        this.snapshots.push(snapshot);
        this.onSnapshot(snapshot);
      },
      notice: (text: string) => void this.notices.push(text),
    };
    const channels = this.lines.map(({ coordinator }, index) =>
      this.#received(index, channelToAgent(coordinator, this.#names[index] ?? '')),
    );
    return await runFleetBench(request, partsHere(this.#folder, { observer, ...changes }), channels);
  }

  #received(index: number, channel: AgentChannel): AgentChannel {
    return {
      peer: channel.peer,
      messages: channel.messages,
      closed: channel.closed,
      send: message => {
        this.onSend(index, message);
        return channel.send(message);
      },
      close: (reason, detail) => channel.close(reason, detail),
      [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
    };
  }
}
