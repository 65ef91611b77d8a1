// Takes the pictures of docs/images anew: `npm run build && node test/e2e/take-pictures.ts`. The machines on them are
// made up, and the pages say so.

import { fileURLToPath } from 'node:url';
import { openBrowser } from './browser.ts';
import type { Machine } from './machines.ts';
import { rack, studio } from './machines.ts';
import { serveMachines } from './serve-machines.ts';

interface Picture {
  readonly name: string;
  readonly machine: Machine;
  readonly theme: 'light' | 'dark';
  readonly page: 'cluster' | 'node';
}

const PICTURES: readonly Picture[] = [
  { name: 'cluster.png', machine: studio, theme: 'light', page: 'cluster' },
  { name: 'node.png', machine: rack, theme: 'dark', page: 'node' },
];
const TELL_MS = 400;

await using browser = await openBrowser();
for (const { name, machine, theme, page: kind } of PICTURES) {
  await using served = await serveMachines({ machines: [machine] });
  const tell = (): void => served.tell(machine, { memory: 0.82, use: 0.68, cpu: 0.11 });
  const told = setInterval(tell, TELL_MS);
  tell();
  const path = kind === 'cluster' ? '/' : `/nodes/${served.idOf(machine)}`;
  const { page, problems } = await browser.open(served.url + path, { theme, scale: 1.5 });
  await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
  if (kind === 'node')
    await page
      .getByRole('img', { name: /^Use, last 15 min: lowest/ })
      .first()
      .waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await page.screenshot({ path: fileURLToPath(new URL(`../../docs/images/${name}`, import.meta.url)) });
  clearInterval(told);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
