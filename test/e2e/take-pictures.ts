// Takes the pictures of docs/images again: `npm run build && node test/e2e/take-pictures.ts [NAME…]`. They show the demo, as
// it looks some seconds after its start; the pages mark its machines as simulated.

import { writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { headerBytes } from '../model/made-headers.ts';
import { whenState } from '../support/streamed-state.ts';
import { launchChromium, pagesOf } from './browser.ts';
import { paletted } from './palette-png.ts';
import { startCommand } from './started-command.ts';

interface Picture {
  readonly name: string;
  /** Of `plimsoll demo`. */
  readonly options: readonly string[];
  readonly theme: 'light' | 'dark';
  /** `{name}` is replaced by the id of that node. */
  readonly path: string;
  readonly width: number;
  readonly height: number;
  /** Pixels of the picture to one of the page. */
  readonly scale?: number;
  readonly prepare: (page: Page) => Promise<void>;
}

/** The newcomer's device is still being measured, and one of its links already was. */
const whileMeasuring = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^Link atlas to anchor, Ethernet: \d/ }).waitFor();
  await page.getByRole('link', { name: /^anchor .*measuring/ }).waitFor();
};

const linkNamed = (name: RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().waitFor({ state: 'attached' });

const NO_BENCH = ['--no-bench'];
const RUN_SECONDS = 38;
const RUN_BEGINS_MS_MAX = 180_000;
const PICTURES: readonly Picture[] = [
  {
    name: 'cluster.png',
    options: [],
    theme: 'light',
    path: '/',
    width: 1_280,
    height: 900,
    prepare: whileMeasuring,
  },
  {
    name: 'cluster-dark.png',
    options: ['--nodes', '4'],
    theme: 'dark',
    path: '/',
    width: 1_920,
    height: 1_080,
    scale: 1,
    prepare: linkNamed(/^Link atlas to juno, Thunderbolt 5 \(RDMA\): \d/),
  },
  {
    name: 'cluster-phone.png',
    options: NO_BENCH,
    theme: 'light',
    path: '/',
    width: 390,
    height: 844,
    scale: 2,
    prepare: whileMeasuring,
  },
  {
    name: 'cluster-64.png',
    options: [...NO_BENCH, '--nodes', '64'],
    theme: 'dark',
    path: '/',
    width: 1_280,
    height: 1_000,
    prepare: page => page.getByRole('rowgroup', { name: /^r08, 8 nodes/ }).waitFor(),
  },
  {
    name: 'links.png',
    options: [...NO_BENCH, '--nodes', '16'],
    theme: 'light',
    path: '/links',
    width: 1_280,
    height: 900,
    prepare: async page => {
      await page.getByRole('button', { name: /^atlas to anchor: \d/ }).waitFor();
      await page.getByRole('button', { name: /^rack-2 to rack-4: \d/ }).click();
      await page.getByRole('img', { name: /30 d/ }).first().waitFor();
    },
  },
  {
    name: 'node.png',
    options: NO_BENCH,
    theme: 'dark',
    path: '/nodes/{bosun}',
    width: 1_280,
    height: 880,
    prepare: page =>
      page.getByRole('region', { name: 'Profile history' }).getByRole('img', { name: /since/ }).waitFor(),
  },
  {
    name: 'headroom.png',
    options: [...NO_BENCH, '--nodes', '4'],
    theme: 'light',
    path: '/headroom',
    width: 1_280,
    height: 1_000,
    prepare: async page => {
      // Its neighbours' devices and links are measured by then, and are in the placements.
      await page.locator('input[type=file]').setInputFiles({
        name: 'qwen3-30b-a3b.gguf',
        mimeType: '',
        buffer: Buffer.from(headerBytes('qwen3-30b-a3b')),
      });
      await page
        .getByRole('table', { name: 'Placements, the best first' })
        .getByRole('button', { name: /^PP 2 / })
        .first()
        .waitFor();
    },
  },
  {
    name: 'runs.png',
    options: [],
    theme: 'light',
    path: '/runs',
    width: 1_280,
    height: 560,
    prepare: page => page.getByRole('row', { name: / live \d/ }).waitFor({ timeout: RUN_BEGINS_MS_MAX }),
  },
  {
    name: 'run.png',
    options: [],
    theme: 'light',
    path: '/runs',
    width: 1_280,
    height: 1_000,
    prepare: async page => {
      await page
        .getByRole('row', { name: / live \d/ })
        .getByRole('link')
        .first()
        .click({ timeout: RUN_BEGINS_MS_MAX });
      await page.waitForTimeout(RUN_SECONDS * 1_000);
    },
  },
];

await using chromium = await launchChromium();
await using browser = pagesOf(chromium);
const requested = argv.slice(2);
const meant = PICTURES.filter(({ name }) => requested.length === 0 || requested.includes(name));
for (const { name, options, theme, path, width, height, scale = 1.5, prepare } of meant) {
  await using demo = await startCommand(['demo', ...options]);
  const [, node] = /\{(.+)\}/.exec(path) ?? [];
  const url = node === undefined ? path : path.replace(`{${node}}`, await idOf(demo.url, node));
  const { page, problems } = await browser.open(demo.url + url, { theme, width, height, scale });
  await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await prepare(page);
  // On a busy machine the demo falls behind now and then, and shows nodes as stale.
  await page
    .getByRole('article', { name: / stale$/ })
    .first()
    .waitFor({ state: 'detached' });
  const file = fileURLToPath(new URL(`../../docs/images/${name}`, import.meta.url));
  const picture = paletted(await page.screenshot());
  writeFileSync(file, picture);
  process.stdout.write(`${file}: ${Math.round(picture.length / 1_000)} kB\n`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Waits until the demo has the node's identity. */
async function idOf(url: string, name: string): Promise<string> {
  const isMeant = ([, { value }]: readonly [string, { value: { friendlyName: unknown } }]): boolean =>
    value.friendlyName === name;
  const state = await whenState(url, current => Object.entries(current.nodeIdentities).some(isMeant));
  return Object.entries(state.nodeIdentities).find(isMeant)?.[0] ?? name;
}
