// Both ends of a connection in memory. It can become silent, as when a process is stopped or a cable is pulled, and it can
// break.

import type { FramePipe } from '../../src/channel/frame-pipe.ts';
import { MemoryLinkPipe } from '../../src/channel/memory-pipe.ts';
import { systemClock } from '../../src/clock/system-clock.ts';

export interface MemoryLines {
  readonly coordinator: FramePipe;
  readonly agent: FramePipe;
  /** Nothing gets through any more, and neither end is notified. */
  silence(): void;
  /** Both ends see the connection closed, as when a process has died. */
  cut(): void;
}

export const memoryLines = (): MemoryLines => {
  let isSilent = false;
  const way = { isBlocked: () => isSilent, delayMs: () => 0 };
  const [coordinator, agent] = MemoryLinkPipe.pair(systemClock, way, way);
  return {
    coordinator,
    agent,
    silence: () => {
      isSilent = true;
    },
    cut: () => {
      coordinator.breakOff();
      agent.breakOff();
    },
  };
};
