import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockDevices } from '../../src/probe/device-lock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const DAEMON = { who: 'the daemon', pid: 4_711, what: 'NVIDIA GB10' } as const;
const BY_HAND = { who: 'plimsoll probe gpu', pid: 4_712, what: 'this machine' } as const;

describe('the devices of a home', () => {
  it('are measured by one at a time, and the second one gets the name of the first', () => {
    using home = temporaryDirectory();
    const first = lockDevices(home.path, DAEMON);
    if (first.kind !== 'held') throw new Error(first.reason);
    expect(lockDevices(home.path, BY_HAND)).toEqual({
      kind: 'busy',
      reason: 'NVIDIA GB10 is being measured by the daemon (process 4711)',
    });
    first.lock[Symbol.dispose]();
    const second = lockDevices(home.path, BY_HAND);
    if (second.kind !== 'held') throw new Error(second.reason);
    expect(lockDevices(home.path, DAEMON)).toMatchObject({
      reason: 'this machine is being measured by plimsoll probe gpu (process 4712)',
    });
    second.lock[Symbol.dispose]();
    expect(readdirSync(home.path)).toEqual(['device-probe.lock']);
  });

  it('are free again when their holder was killed, with any remains', async () => {
    using home = temporaryDirectory();
    const module = JSON.stringify(new URL('../../src/probe/device-lock.ts', import.meta.url).href);
    const script = `const { lockDevices } = await import(${module});
      globalThis.held = lockDevices(${JSON.stringify(home.path)}, ${JSON.stringify(BY_HAND)});
      process.stdout.write(globalThis.held.kind);
      setInterval(() => undefined, 1_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    expect(String(await once(child.stdout, 'data'))).toBe('held');
    expect(lockDevices(home.path, DAEMON).kind).toBe('busy');
    child.kill('SIGKILL');
    await ended;
    const after = lockDevices(home.path, DAEMON);
    expect(after.kind).toBe('held');
    if (after.kind === 'held') after.lock[Symbol.dispose]();
  });

  it('are guarded by nobody where there is no home, and none is made', () => {
    using folder = temporaryDirectory();
    expect(lockDevices(join(folder.path, 'none'), BY_HAND).kind).toBe('unguarded');
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
