import { defineConfig } from 'vitest/config';

// Browser and network tests own ports, namespaces and Chromium: two workers are what a two-core machine carries.
// No retries: a test that passes the second time has found something.
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    maxWorkers: 2,
    retry: 0,
    reporters: ['default'],
    projects: [
      // One Chromium for all files of a worker: see browser-test.ts.
      { extends: true, test: { name: 'browser', include: ['test/e2e/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'rest', include: ['test/**/*.test.ts'], exclude: ['test/e2e/**'] } },
    ],
  },
});
