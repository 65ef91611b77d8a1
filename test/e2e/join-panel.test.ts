// "Add a machine" in a real browser: the code that the codes of a daemon give, on a clock that the test moves, and what the panel
// shows until it has expired. Joining with a code is tested in test/daemon/mesh.

import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Joining } from '../../src/daemon/mesh/joining.ts';
import { joinCodeText, joinProof, parseJoinCode } from '../../src/mesh/key/join-code.ts';
import { JOIN_CODE_LIFE_MS, JoinCodes } from '../../src/mesh/key/join-codes.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { studio } from './machines.ts';
import { serveMachines } from './serve-machines.ts';

describe('adding a machine', () => {
  test('shows a code to copy, its tries, and that it was used or is over', async ({ browser }) => {
    const clock = new VirtualClock();
    const codes = new JoinCodes(clock);
    await using served = await serveMachines({ machines: [studio], joining: serviceOf(codes) });
    const { page, context, problems } = await browser.open('about:blank');
    await page.clock.install();
    await page.goto(`${served.url}/nodes#code=${served.access.issueCode()}`);
    await page.getByRole('button', { name: 'Add a machine' }).click();
    const panel = page.getByRole('region', { name: 'Add a machine' });
    await panel.getByText('wrong tries left: 5').waitFor();
    await panel.getByText('Type this on the other machine').waitFor();
    const shown = await commandIn(page);
    const { id } = joinProof(secretOf(shown));
    expect(await axeFindings(page)).toEqual([]);

    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    // The button shows "Copied" for 1.5 s, and a busy machine may take longer than that to look.
    await page.clock.pauseAt(Date.now() + MINUTE_MS);
    const copy = panel.getByRole('button', { name: 'Copy the command plimsoll join' });
    await copy.click();
    await panel.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`plimsoll join ${shown}`);
    // As on a page without https.
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await copy.click();
    await panel.getByText('Selected').waitFor();
    expect(await page.evaluate('getSelection().toString().trim()')).toBe(`plimsoll join ${shown}`);

    await page.clock.resume();

    codes.failed(id);
    await page.clock.runFor(LOOK_MS);
    await panel.getByText('wrong tries left: 4').waitFor();
    expect(codes.redeem(id)).toBe('granted');
    await page.clock.runFor(LOOK_MS);
    await panel.getByText('A machine has joined with this code.').waitFor();
    expect(await panel.getByText('plimsoll join').count()).toBe(0);
    expect(await borderOf(page, 'New code')).toBe(await borderOf(page, 'Add a machine'));

    await panel.getByRole('button', { name: 'New code' }).click();
    await panel.getByText('wrong tries left: 5').waitFor();
    expect(await commandIn(page)).not.toBe(shown);
    await clock.advance(JOIN_CODE_LIFE_MS);
    await page.clock.fastForward(JOIN_CODE_LIFE_MS);
    await panel.getByText('This code is over: its time has passed').waitFor();
    await panel.getByRole('button', { name: 'New code' }).waitFor();
    expect(problems).toEqual([]);
  });
});

const serviceOf = (codes: JoinCodes): Pick<Joining, 'issueCode' | 'standingOf' | 'join' | 'leave'> => ({
  issueCode: async () => {
    const secret = codes.issue();
    const code = joinCodeText({ secret, addresses: [{ host: '192.0.2.7', port: 4_181 }] });
    return { code, id: joinProof(secret).id, expiresInMs: JOIN_CODE_LIFE_MS, isLoopback: false };
  },
  standingOf: id => codes.standingOf(id),
  join: () => Promise.reject(new Error('nobody joins here')),
  leave: () => Promise.reject(new Error('nobody leaves here')),
});

/** The join code that the page shows after `plimsoll join`. */
const commandIn = async (page: Page): Promise<string> => {
  const text = await page.getByRole('region', { name: 'Add a machine' }).locator('code').innerText();
  return /plimsoll join (\S+)/.exec(text.replaceAll(/\s+/g, ' '))?.[1] ?? text;
};

const secretOf = (text: string): Uint8Array => {
  const parsed = parseJoinCode(text);
  if (parsed.kind === 'wrong') throw new Error(`${text} ${parsed.problem}`);
  return parsed.code.secret;
};

const borderOf = (page: Page, name: string): Promise<unknown> =>
  page.evaluate(
    `(style => style.border + ' ' + style.height)(getComputedStyle([...document.querySelectorAll('button')].find(button => button.textContent === ${JSON.stringify(name)})))`,
  );

/** The page asks every three seconds. */
const LOOK_MS = 3_000;
const MINUTE_MS = 60_000;
