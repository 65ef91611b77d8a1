import { expect, test } from 'vitest';
import type { LogFormat, LogLevel } from '../../../src/config/value-kinds.ts';
import {
  DaemonLog,
  LINES_PER_HOUR_MAX,
  SUBJECT_LINES_PER_HOUR_MAX,
} from '../../../src/daemon/log/daemon-log.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const HOUR_MS = 3_600_000;

const logOf = () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const settings: { level: LogLevel; format: LogFormat } = { level: 'info', format: 'logfmt' };
  const log = new DaemonLog({ clock, write: line => lines.push(line), settings: () => settings });
  return { clock, lines, settings, log };
};

test('writes what is at least of its level, which may change while it runs', () => {
  const { lines, settings, log } = logOf();
  log.write('link-opened', { peer: 'juno' });
  log.write('node-joined', { node: 'juno' });
  expect(lines.map(line => line.split(' ').slice(1).join(' '))).toEqual([
    'level=info event=node-joined node=juno\n',
  ]);
  settings.level = 'debug';
  log.write('link-opened', { peer: 'juno' });
  expect(lines).toHaveLength(2);
  settings.level = 'error';
  log.write('node-lost', { node: 'juno' });
  log.write('warning-raised', { warning: 'a' }, { level: 'error' });
  expect(lines).toHaveLength(3);
  settings.format = 'json';
  log.write('warning-raised', { warning: 'b' }, { level: 'error' });
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    event: 'warning-raised',
    level: 'error',
    warning: 'b',
  });
});

test('a link that comes and goes every second fills no disk, and others are still reported', async () => {
  const { clock, lines, log } = logOf();
  for (let second = 0; second < 3_600; second += 1) {
    log.write('link-lost', { peer: 'juno' }, { subject: 'a' });
    log.write('link-restored', { peer: 'juno' }, { subject: 'a' });
    await clock.advance(1_000);
  }
  // As many as an hour brings at once, and as many again while it passes.
  expect(lines.length).toBeLessThanOrEqual(2 * 2 * SUBJECT_LINES_PER_HOUR_MAX);
  expect(lines.length).toBeGreaterThanOrEqual(2 * SUBJECT_LINES_PER_HOUR_MAX);
  log.write('link-lost', { peer: 'vela' }, { subject: 'b' });
  expect(lines.at(-1)).toContain('peer=vela');
});

test('lines in all are limited, dropped ones are counted and reported, and the end of the daemon is always written', async () => {
  const { clock, lines, log } = logOf();
  for (let node = 0; node < 2_000; node += 1) log.write('node-lost', { node }, { subject: `${node}` });
  expect(lines).toHaveLength(LINES_PER_HOUR_MAX);
  log.write('stop', { reason: 'stopped by SIGTERM' });
  expect(lines.at(-1)).toContain('event=stop');
  log.reportDropped();
  log.reportDropped();
  expect(lines).toHaveLength(LINES_PER_HOUR_MAX + 2);
  expect(lines.at(-1)).toContain(`event=lines-dropped count=${2_000 - LINES_PER_HOUR_MAX}`);
  await clock.advance(HOUR_MS);
  log.write('node-restored', { node: 1 });
  expect(lines.at(-1)).toContain('event=node-restored');
});
