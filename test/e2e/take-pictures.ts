// Takes the pictures of docs/images anew: `npm run build && node test/e2e/take-pictures.ts [NAME…]`. The machines on them are
// made up, and the pages say so.

import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { Journal } from '../../src/journal/journal.ts';
import { openBrowser } from './browser.ts';
import type { Fleet } from './fleet.ts';
import { desk, mesh } from './fleet.ts';
import { idOf, measuredGpu } from './links.ts';
import { rack } from './machines.ts';
import { fallenMemory, measuredPast } from './measured-past.ts';
import { serveMachines } from './serve-machines.ts';

interface Picture {
  readonly name: string;
  readonly fleet: Fleet;
  readonly theme: 'light' | 'dark';
  readonly path: string;
  readonly width: number;
  readonly height: number;
  /** Pixels of the picture to one of the page. */
  readonly scale?: number;
  /** What the fleet's machines were measured at before. */
  readonly past?: Pick<Journal, 'history'>;
  readonly prepare?: (page: Page) => Promise<void>;
}

const pick = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^Link atlas to juno/ }).dispatchEvent('click');
  await page.getByRole('region', { name: 'Connections of atlas – juno' }).waitFor();
};

const FALLEN_GPU = 'GPU-00000001';
const withFallenMemory = (fleet: Fleet): Fleet => ({
  ...fleet,
  told: [...fleet.told, { machine: rack, facts: [measuredGpu(FALLEN_GPU, 165e12, 230e9)] }],
});

const PICTURES: readonly Picture[] = [
  { name: 'cluster.png', fleet: desk(), theme: 'light', path: '/', width: 1_280, height: 800, prepare: pick },
  { name: 'cluster-dark.png', fleet: desk(), theme: 'dark', path: '/', width: 1_920, height: 1_080 },
  {
    name: 'cluster-phone.png',
    fleet: desk(),
    theme: 'light',
    path: '/',
    width: 390,
    height: 844,
    prepare: pick,
  },
  { name: 'cluster-8.png', fleet: mesh(8), theme: 'light', path: '/', width: 1_280, height: 800 },
  {
    name: 'cluster-64.png',
    fleet: mesh(64),
    theme: 'dark',
    path: '/',
    width: 1_280,
    height: 1_000,
    scale: 1,
  },
  {
    name: 'links.png',
    fleet: mesh(16),
    theme: 'light',
    path: '/links',
    width: 1_280,
    height: 800,
    prepare: page => page.getByRole('button', { name: /^atlas to hermes:/ }).click(),
  },
  {
    name: 'node.png',
    fleet: withFallenMemory(desk()),
    past: measuredPast(rack, fallenMemory(FALLEN_GPU)),
    theme: 'dark',
    path: `/nodes/${idOf(rack)}`,
    width: 1_280,
    height: 880,
    prepare: page =>
      page.getByRole('region', { name: 'Profile history' }).getByRole('img', { name: /since/ }).waitFor(),
  },
];
const TELL_MS = 400;
const LOADS: readonly { readonly memory: number; readonly use: number }[] = [
  { memory: 0.62, use: 0.41 },
  { memory: 0.36, use: 0.12 },
  { memory: 0.91, use: 0.88 },
  { memory: 0.81, use: 0.67 },
];

await using browser = await openBrowser();
const asked = argv.slice(2);
const meant = PICTURES.filter(({ name }) => asked.length === 0 || asked.includes(name));
for (const { name, fleet, past, theme, path, width, height, scale = 1.5, prepare } of meant) {
  await using served = await serveMachines({
    machines: fleet.machines,
    ...(past === undefined ? {} : { past }),
  });
  served.tellAll(fleet.told);
  const tell = (): void => {
    for (const [index, machine] of fleet.machines.entries()) {
      const load = LOADS[index % LOADS.length] ?? { memory: 0.5, use: 0.5 };
      served.tell(machine, { ...load, cpu: 0.11 });
    }
  };
  const told = setInterval(tell, TELL_MS);
  tell();
  const { page, problems } = await browser.open(served.url + path, { theme, width, height, scale });
  await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await prepare?.(page);
  await page.screenshot({ path: fileURLToPath(new URL(`../../docs/images/${name}`, import.meta.url)) });
  clearInterval(told);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
