import { defineConfig } from 'vitest/config';

// Browser and network tests own ports, namespaces and Chromium: two workers are what a two-core machine carries.
// No retries: a test that passes the second time has found something.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    maxWorkers: 2,
    retry: 0,
    reporters: ['default'],
  },
});
