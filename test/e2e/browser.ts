// A real Chromium for tests, and pages that remember what went wrong in them: errors, and refusals of the page's policy.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { env } from 'node:process';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Disposing closes its pages. */
export interface OpenedBrowser extends AsyncDisposable {
  /** A page in a profile of its own: other storage, other shared workers. */
  open(url: string, options?: PageOptions): Promise<OpenedPage>;
}

interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** Pixels of the picture to one of the page. */
  readonly scale?: number;
}

interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors on the console and in scripts; a refusal of the content security policy is one. */
  readonly problems: readonly string[];
}

/** Where a Chromium is; undefined where there is none. */
export const chromiumPath = (): string | undefined =>
  [
    env['PLIMSOLL_CHROMIUM'],
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    MAC_CHROME,
  ]
    .filter(path => path !== undefined)
    .find(path => existsSync(path));

export const NO_CHROMIUM = 'no Chromium found: install it, or name it in PLIMSOLL_CHROMIUM';

/** @throws Error where there is none. */
export const launchChromium = async (
  executablePath: string | undefined = chromiumPath(),
): Promise<Browser> => {
  if (executablePath === undefined) throw new Error(NO_CHROMIUM);
  return await chromium.launch({ executablePath, args: [...QUIET_FLAGS] });
};

export const pagesOf = (browser: Browser): OpenedBrowser => {
  const contexts: BrowserContext[] = [];
  return {
    open: async (url, options) => {
      const context = await newContext(browser, options);
      contexts.push(context);
      return await openPage(context, url);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(contexts.map(context => context.close()));
    },
  };
};

/** What axe finds wrong with the page as it is now: "rule: where". */
export const axeFindings = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const text: unknown = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(found => JSON.stringify(found.violations.flatMap(({ id, nodes }) => nodes.map(node => id + ": " + node.target.join(" ") + " " + node.html.slice(0, 160)))))',
  );
  const findings: unknown = JSON.parse(String(text));
  return Array.isArray(findings) ? findings.map(String) : ['axe gave no list'];
};

const newContext = (browser: Browser, options: PageOptions = {}): Promise<BrowserContext> => {
  const { width = 1_280, height = 800, theme = 'light', scale = 1 } = options;
  return browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: theme,
  });
};

const openPage = async (context: BrowserContext, url: string): Promise<OpenedPage> => {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', error => problems.push(error.message));
  await page.goto(url);
  return { page, context, problems };
};

const require = createRequire(import.meta.url);
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** Root in a container has no sandbox; nothing here may talk to anybody but our own servers. */
const QUIET_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The last --disable-features counts, so Playwright's that matter here stand in it too. The first two draw suggestions for
  // an address bar that nobody sees, in a process and a page of their own for each profile: a third of what a test cost.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess,DestroyProfileOnBrowserClose,HttpsUpgrades,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch',
] as const;
