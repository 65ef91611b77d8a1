// Waits until the soak that started it is gone, however it went, and removes what it left.

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { removeLeftovers } from './leftovers.ts';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.stdin.resume();
await once(process.stdin, 'end');
// The kernel closes a process's pipes a moment before it counts as gone.
for (let turn = 0; turn < 10; turn += 1) {
  removeLeftovers();
  await delay(200);
}
