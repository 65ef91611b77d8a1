import { defineConfig } from 'vitest/config';

// Browser and network tests own ports, namespaces and Chromium: two workers are what a two-core machine carries.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    reporters: ['default'],
  },
});
