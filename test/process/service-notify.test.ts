// What systemd receives, at a socket in place of its own, from the systemd-notify of this machine.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import { type ServiceNotifyOptions, serviceNotify } from '../../src/process/service-notify.ts';
import { childEnv } from '../support/child-env.ts';
import { notifySocket, reasonAgainstNotify } from '../support/notify-socket.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const reason = await reasonAgainstNotify();

describe('a service of Type=notify', () => {
  beforeEach(context => {
    if (reason !== undefined) context.skip(reason);
  });

  const notifying = (env: Readonly<Record<string, string>>, more: Partial<ServiceNotifyOptions> = {}) =>
    serviceNotify({
      env: { ...childEnv, ...env },
      stop: new AbortController().signal,
      clock: systemClock,
      onUnreported: () => undefined,
      ...more,
    });

  test('is ready, lives at a third of the watchdog of its unit, and stops', async ({ signal }) => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'notify');
    using manager = await notifySocket(path);
    const clock = new VirtualClock();
    const stop = new AbortController();
    await using service = notifying(
      { NOTIFY_SOCKET: path, WATCHDOG_USEC: '60000000' },
      { clock, stop: stop.signal },
    );
    expect(await service.ready('Dashboard at http://127.0.0.1:4180')).toBeUndefined();
    const ready = 'READY=1\nSTATUS=Dashboard at http://127.0.0.1:4180';
    expect(manager.received()).toEqual([ready]);
    for (let sign = 1; sign <= 3; sign++) {
      await clock.advance(19_999);
      expect(clock.sleeperCount).toBe(1);
      await clock.advance(1);
      await until(() => clock.sleeperCount === 1, signal);
      expect(manager.received()).toHaveLength(1 + sign);
    }
    stop.abort();
    await manager.whenReceived(5, signal);
    await clock.advance(60_000);
    const alive = 'WATCHDOG=1';
    expect(manager.received()).toEqual([ready, alive, alive, alive, 'STOPPING=1']);
  });

  test('gives no signs of life while its event loop hangs', async ({ signal }) => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'notify');
    using manager = await notifySocket(path);
    // Every 10 ms by the clock of the machine.
    await using service = notifying({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '30000' });
    await service.ready('up');
    const before = (await manager.whenReceived(3, signal)).length;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    // What was being sent when the loop started to hang may arrive meanwhile.
    expect(manager.received().length).toBeLessThanOrEqual(before + 1);
    expect(await manager.whenReceived(before + 2, signal)).toContain('WATCHDOG=1');
  });

  test('sends it to an abstract socket, and gives no signs of life if none are wanted', async () => {
    const name = `@plimsoll-notify-${process.pid}`;
    using manager = await notifySocket(name);
    const clock = new VirtualClock();
    await using service = notifying({ NOTIFY_SOCKET: name }, { clock });
    expect(await service.ready('up')).toBeUndefined();
    await clock.advance(3_600_000);
    expect(manager.received()).toEqual(['READY=1\nSTATUS=up']);
    expect(clock.sleeperCount).toBe(0);
  });

  test.each([
    ['/no/such/socket', 'No such file or directory'],
    ['notify', 'Invalid argument'],
  ])('reports why nothing was sent to %s', async (socket, why) => {
    const stop = new AbortController();
    await using service = notifying({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: '1000' }, { stop: stop.signal });
    expect(await service.ready('up')).toContain(why);
    stop.abort();
  });

  test('reports once that signs of life do not get through, and again after one did', async ({ signal }) => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'notify');
    const clock = new VirtualClock();
    const reasons: string[] = [];
    const first = await notifySocket(path);
    await using service = notifying(
      { NOTIFY_SOCKET: path, WATCHDOG_USEC: '30000' },
      { clock, onUnreported: text => reasons.push(text) },
    );
    const sign = async (): Promise<void> => {
      await clock.advance(10);
      await until(() => clock.sleeperCount === 1, signal);
    };
    expect(await service.ready('up')).toBeUndefined();
    first[Symbol.dispose]();
    await sign();
    await sign();
    expect(reasons).toEqual([expect.stringContaining('Connection refused')]);
    rmSync(path);
    using second = await notifySocket(path);
    await sign();
    expect(second.received()).toEqual(['WATCHDOG=1']);
    rmSync(path);
    await sign();
    expect(reasons).toEqual([reasons[0], expect.stringContaining('No such file')]);
  });

  test('sends nothing if it is not requested', async () => {
    await using service = notifying({ PATH: '/nowhere' });
    expect(await service.ready('up')).toBeUndefined();
  });

  test('reports that the program is missing', async () => {
    await using service = notifying({ PATH: '/nowhere', NOTIFY_SOCKET: '/run/systemd/notify' });
    expect(await service.ready('up')).toContain('systemd-notify: not installed');
  });
});
