// What the cluster page costs the browser: main thread per update when every label and every node changes, by the browser's
// own trace, the share of a core of an idle page while nodes only report their load, and the time to the first drawing.
// Clusters of 8, 64, 200 and 1,000 simulated nodes; from 65 on the page receives what it shows, not the whole state.

import { setTimeout as delay } from 'node:timers/promises';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { chromiumPath, NO_CHROMIUM } from '../test/e2e/browser.ts';
import { requireBuild } from '../test/support/build.ts';
import { benchSeconds, printRow } from './bench-row.ts';
import { type MainThread, mainThreadOf, TRACE_CATEGORIES } from './main-thread.ts';
import { SimulatedPage } from './simulated-page.ts';

const NODE_COUNTS = (process.env['PLIMSOLL_BENCH_NODES'] ?? '8 64 200 1000').split(' ').map(Number);
/** The target of DESIGN §8 is for the greatest; smaller ones must not be worse. */
const UPDATE_MS_MAX = 20;
const IDLE_SHARE_MAX = 0.02;
/** From the navigation to nodes on the page. */
const FIRST_DRAW_MS_MAX = 1_500;
const SECONDS = benchSeconds(20);
const UPDATE_INTERVAL_MS = 1_000;
const BREATHS_PER_SECOND = 10;
const SETTLE_UPDATES = 5;
/** A cell of a fleet, or a node of a map. */
const DRAWN = '[role="gridcell"], svg a.node';
const REPORT_FIRST_DRAWING = `new MutationObserver((_, observer) => {
  if (document.querySelector(${JSON.stringify(DRAWN)}) === null) return;
  observer.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { window.drawnAtMs = performance.now(); }));
}).observe(document, { childList: true, subtree: true })`;
const FIRST_DRAWING_MS_MAX = 60_000;
/** As the tests' browser: no sandbox for root, no graphics card, no outside traffic. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

requireBuild();
const executablePath = chromiumPath();
if (executablePath === undefined) throw new Error(NO_CHROMIUM);
for (const nodeCount of NODE_COUNTS) await measure(executablePath, nodeCount);

async function measure(executablePath: string, nodeCount: number): Promise<void> {
  await using served = await SimulatedPage.open(nodeCount);
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  try {
    const session = await browser.newBrowserCDPSession();
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } });
    await page.addInitScript(REPORT_FIRST_DRAWING);
    const secondsBefore = await rendererSeconds(session);
    await page.goto(served.url);
    const firstDrawMs = await drawnAtMs(page);
    const firstSeconds = (await rendererSeconds(session)) - secondsBefore;
    await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
    for (let update = 0; update < SETTLE_UPDATES; update += 1) await updateOnTheBeat(served, 1);

    const labelCount = await page.locator('svg text').count();
    await browser.startTracing(page, { categories: [...TRACE_CATEGORIES] });
    const { eventCount } = await updateOnTheBeat(served, SECONDS);
    const thread = mainThreadOf((await browser.stopTracing()).toString('utf8'));
    const idle = await share(session, () => breathe(served));
    print(served, { thread, eventCount, labelCount, idle, firstDrawMs, firstSeconds });
  } finally {
    await browser.close();
  }
}

/** The page's policy refuses what waits within it, so it is asked now and then. */
async function drawnAtMs(page: Page): Promise<number> {
  for (const limit = AbortSignal.timeout(FIRST_DRAWING_MS_MAX); !limit.aborted; await delay(50)) {
    const atMs: unknown = await page.evaluate('window.drawnAtMs');
    if (typeof atMs === 'number') return atMs;
  }
  throw new Error(`Nothing was drawn within ${FIRST_DRAWING_MS_MAX} ms.`);
}

/** One update a second; a slow server does not make them fewer per second of trace, but later. */
async function updateOnTheBeat(
  served: SimulatedPage,
  count: number,
): Promise<{ readonly eventCount: number }> {
  let eventCount = 0;
  const beganAtMs = performance.now();
  for (let index = 0; index < count; index += 1) {
    eventCount += await served.update();
    await delay(Math.max(0, beganAtMs + (index + 1) * UPDATE_INTERVAL_MS - performance.now()));
  }
  return { eventCount };
}

/** Each node reports its load once a second; the reports are spread over the second, as in an otherwise idle cluster. */
async function breathe(served: SimulatedPage): Promise<void> {
  const beganAtMs = performance.now();
  for (let index = 0; index < SECONDS * BREATHS_PER_SECOND; index += 1) {
    await served.pass(1_000 / BREATHS_PER_SECOND);
    await delay(Math.max(0, beganAtMs + ((index + 1) * 1_000) / BREATHS_PER_SECOND - performance.now()));
  }
}

/** Of one core, by all threads of the page's process. */
async function share(session: CDPSession, meanwhile: () => Promise<void>): Promise<number> {
  const [before, beganAtMs] = [await rendererSeconds(session), performance.now()];
  await meanwhile();
  const seconds = (await rendererSeconds(session)) - before;
  return seconds / ((performance.now() - beganAtMs) / 1_000);
}

async function rendererSeconds(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo
    .filter(({ type }) => type === 'renderer')
    .reduce((seconds, { cpuTime }) => seconds + cpuTime, 0);
}

function print(
  served: SimulatedPage,
  {
    thread,
    eventCount,
    labelCount,
    idle,
    firstDrawMs,
    firstSeconds,
  }: {
    thread: MainThread;
    eventCount: number;
    labelCount: number;
    idle: number;
    firstDrawMs: number;
    firstSeconds: number;
  },
): void {
  const nodes = `${served.nodeCount} nodes`;
  const longest = thread.longestMs[0]?.toFixed(0) ?? 'none';
  printRow({
    what: `dashboard, ${nodes}, ${served.linkCount} links, every label changing`,
    figure: thread.busyMs / SECONDS,
    unit: 'ms of main thread an update',
    reach: { kind: 'at-most', value: UPDATE_MS_MAX },
    method: `processor time of its tasks over ${SECONDS} updates of ${Math.round(eventCount / SECONDS)} events, ${labelCount} texts drawn; longest task ${longest} ms; ${(thread.wallMs / SECONDS).toFixed(1)} ms on the wall`,
  });
  printRow({
    what: `dashboard, ${nodes}, idle: each reporting its load once a second`,
    figure: idle * 100,
    unit: '% of a core',
    reach: { kind: 'at-most', value: IDLE_SHARE_MAX * 100 },
    method: `all threads of the page's process over ${SECONDS} s`,
  });
  printRow({
    what: `dashboard, ${nodes}, first drawing`,
    figure: firstDrawMs,
    unit: 'ms',
    reach: { kind: 'at-most', value: FIRST_DRAW_MS_MAX },
    method: `from the navigation to the frame with nodes, by the page's own clock; the page's process spent ${(firstSeconds * 1_000).toFixed(0)} ms of processor time; the daemon had just started and had no reader before`,
  });
  const parts = thread.parts.slice(0, 8).map(([name, ms]) => `${name} ${(ms / SECONDS).toFixed(1)}`);
  process.stderr.write(`    ${nodes}, ms an update: ${parts.join(', ')}\n`);
}
