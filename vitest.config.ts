import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const inRoot = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// Two workers at work and two that wait for a timer, a cable or a process are what a two-core machine carries: with three, its
// processors were busy for 64 % of the time.
// A test runs once: one that passes the second time has found something.
export default defineConfig({
  test: {
    // Only against what hangs. Each wait inside a test has a limit of its own, 30 s at most, and what takes ten on two idle
    // processors may take all of that on busy ones.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    teardownTimeout: 10_000,
    maxWorkers: 4,
    // Of files whose tests say that they may run beside each other: most of their time is spent waiting for processes.
    maxConcurrency: 2,
    // No module of ours has a state, so files need no worker each: a new one costs more than most files do.
    isolate: false,
    // Node reads our TypeScript itself, once in a worker: Vite would evaluate every module again for each test file.
    experimental: { viteModuleRunner: false },
    retry: 0,
    setupFiles: ['test/support/property-seed.ts', 'test/support/built-program.ts'],
    reporters: ['default'],
    // Tests start hundreds of processes; what the first has compiled, the others load.
    env: { NODE_COMPILE_CACHE: inRoot('.cache/node') },
    projects: [
      // One Chromium for all files of a worker (browser-test.ts), which has no other files: some count their children.
      { extends: true, test: { name: 'browser', include: ['test/e2e/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'rest',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/network/**'],
        },
      },
      // After the others: whole daemons that wait for one another, and cables that are measured to a few per cent.
      {
        extends: true,
        test: { name: 'network', include: ['test/network/**/*.test.ts'], sequence: { groupOrder: 1 } },
      },
    ],
  },
});
