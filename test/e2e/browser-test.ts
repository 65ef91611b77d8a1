// `test` for what a browser must show: `({ browser }) => …`. One Chromium for all tests of a worker, because starting one
// costs more than most tests; the pages are the test's own, each in a profile of its own, and are closed with it, because a
// page that stays open goes on drawing and slows every test after it.

import type { Browser } from 'playwright-core';
import { test as base, type TestAPI } from 'vitest';
import { requireBuild } from '../support/build.ts';
import { chromiumPath, launchChromium, NO_CHROMIUM, type OpenedBrowser, pagesOf } from './browser.ts';

interface BrowserFixtures {
  executablePath: string | undefined;
  chromium: Browser | undefined;
  /** Of a test that asks for it; where there is no Chromium that test skips. */
  browser: OpenedBrowser;
}

export const test: TestAPI<BrowserFixtures> = base.extend<BrowserFixtures>({
  executablePath: [chromiumPath(), { scope: 'worker' }],
  chromium: [
    async ({ executablePath }, use) => {
      if (executablePath === undefined) return await use(undefined);
      requireBuild();
      await using chromium = await launchChromium(executablePath);
      await use(chromium);
    },
    { scope: 'worker' },
  ],
  browser: async ({ chromium, skip }, use) => {
    if (chromium === undefined) return skip(NO_CHROMIUM);
    await using pages = pagesOf(chromium);
    await use(pages);
  },
});
