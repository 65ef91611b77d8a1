import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';
import type { Daemon, DaemonOptions, LogOutput } from '../../src/daemon/daemon-options.ts';
import { lockHome } from '../../src/daemon/home-lock.ts';
import { otlpReceiver } from '../support/otlp-receiver.ts';
import { until } from '../support/until.ts';

const isLinux = process.platform === 'linux';

describe('a daemon', () => {
  it('shows identity and memory of this machine over HTTP as soon as it has started', async context => {
    if (!isLinux) return context.skip('reads /proc/meminfo to compare');
    await using home = await temporaryHome();
    await using daemon = await started(home.path);
    await daemon.whenFirstReadings(AbortSignal.timeout(30_000));
    const state = await json(`${daemon.url}/api/state`);
    const meminfo = await readFile('/proc/meminfo', 'utf8');
    const totalBytes = Number(/^MemTotal:\s+(\d+) kB/m.exec(meminfo)?.[1]) * 1_024;
    expect(state['nodeMemories']).toMatchObject({ [daemon.nodeId]: { value: { totalBytes } } });
    expect(state['nodeIdentities']).toMatchObject({ [daemon.nodeId]: { ageMs: expect.any(Number) } });
  });

  it('is the same node after a restart, and has at once what it had before', async () => {
    await using home = await temporaryHome();
    const first = await startedAndSeen(home.path);
    const { nodeId } = first;
    const epoch = first.state.origins[nodeId]?.epoch;
    const seq = first.state.origins[nodeId]?.seq;
    await first[Symbol.asyncDispose]();
    await using second = await started(home.path);
    expect(second.nodeId).toBe(nodeId);
    expect(second.state.nodeIdentities[nodeId]?.epoch).toBe(epoch);
    await second.whenFirstReadings(AbortSignal.timeout(30_000));
    expect(second.state.origins[nodeId]?.epoch).toBe(epoch);
    expect(second.state.origins[nodeId]?.seq, 'what has not changed is not written again').toBe(seq);
  });

  it('sends its own figures to the receiver that it was given, and reports over HTTP that it did', async () => {
    await using home = await temporaryHome();
    await using receiver = await otlpReceiver(() => ({ status: 200 }));
    await writeFile(join(home.path, 'config.toml'), '[otlp]\ninterval = "1s"\n');
    await using daemon = await started(home.path, { otlpEndpoint: receiver.url });
    await until(() => receiver.requested.length > 0, AbortSignal.timeout(30_000));
    expect(receiver.requested[0]).toMatchObject({
      url: '/v1/metrics',
      body: expect.stringContaining(daemon.nodeId),
    });
    expect(await json(`${daemon.url}/api/daemon`)).toMatchObject({
      otlp: { endpoint: receiver.url, dropped: 0, problem: '' },
    });
  });

  it('refuses a home that another one uses, naming what to do', async () => {
    await using home = await temporaryHome();
    await using daemon = await started(home.path);
    await expect(started(home.path)).rejects.toMatchObject({
      code: 'home-in-use',
      message: expect.stringContaining('--home DIR'),
    });
    expect(await json(`${daemon.url}/healthz`)).toBeDefined();
  });

  it('takes a home over at once from one that was killed', async () => {
    await using home = await temporaryHome();
    await using holder = await lockHolder(home.path);
    expect(() => lockHome(home.path)).toThrow(/Another Plimsoll daemon/);
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');
    lockHome(home.path)[Symbol.dispose]();
  });

  it('reports that commands use TCP alone where the path of its home is too long for a socket', async () => {
    await using folder = await temporaryHome();
    const home = join(folder.path, 'x'.repeat(100));
    await using daemon = await started(home);
    expect(await json(`${daemon.url}/api/daemon`)).toMatchObject({
      problems: [{ code: 'no-owner-socket', problem: expect.stringContaining('its path would have') }],
    });
    const file: unknown = JSON.parse(await readFile(join(home, 'daemon.json'), 'utf8'));
    expect(file).toMatchObject({ socket: { kind: 'unknown' } });
  });

  it('reports what a cut write-ahead log has lost, and writes again in a new epoch what is true now', async () => {
    await using home = await temporaryHome();
    await using copy = await temporaryHome();
    // Whole in the database, so that only what came later is in the log.
    await (await startedAndSeen(home.path))[Symbol.asyncDispose]();
    await using first = await startedAndSeen(home.path);
    const before = first.state.origins[first.nodeId];
    // What a kill at this moment leaves.
    for (const name of await readdir(home.path))
      if (name !== 'daemon.sock') await cp(join(home.path, name), join(copy.path, name), { recursive: true });
    const count: unknown = JSON.parse(await readFile(join(copy.path, 'journal.sqlite-stored'), 'utf8'));
    expect(count).toMatchObject({ epoch: before?.epoch, through: before?.seq });
    const more = JSON.stringify({
      origin: first.nodeId,
      epoch: before?.epoch,
      through: (before?.seq ?? 0) + 7,
    });
    await writeFile(join(copy.path, 'journal.sqlite-stored'), more);
    await using second = await startedAndSeen(copy.path);
    expect(await json(`${second.url}/api/daemon`)).toMatchObject({
      problems: [
        {
          code: 'journal-cut',
          problem: expect.stringContaining(`has lost at least 7 records of the ${(before?.seq ?? 0) + 7} `),
        },
      ],
    });
    expect(second.state.nodeIdentities[second.nodeId]?.epoch).toBeGreaterThan(before?.epoch ?? 0);
  });

  it('leaves nothing running and no daemon.json behind when it is stopped', async () => {
    await using home = await temporaryHome();
    const daemon = await startedAndSeen(home.path);
    await daemon[Symbol.asyncDispose]();
    await expect(stat(join(home.path, 'daemon.json'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fetch(`${daemon.url}/healthz`)).rejects.toThrow();
  });

  it('logs its start, that it is ready and why it stops, and no secret', async () => {
    await using home = await temporaryHome();
    const lines: string[] = [];
    const stop = new AbortController();
    const logOutput: LogOutput = {
      write: line => lines.push(line),
      level: 'debug',
      format: 'json',
      isTerminal: false,
    };
    const daemon = await started(home.path, { logOutput }, stop.signal);
    await until(() => lines.some(line => line.includes('"ready"')), AbortSignal.timeout(60_000));
    expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200);
    const [, code] = /#code=(.*)$/.exec(daemon.signInUrl()) ?? [];
    await writeFile(join(home.path, 'config.toml'), 'name = "broken\n');
    await until(() => lines.some(line => line.includes('notice-raised')), AbortSignal.timeout(30_000));
    stop.abort(new Error('stopped by SIGTERM'));
    await daemon.stopped;
    const events: readonly unknown[] = lines.map(line => JSON.parse(line).event);
    expect(events[0]).toBe('start');
    expect(events.at(-1)).toBe('stop');
    expect(events.filter(event => event === 'ready' || event === 'start' || event === 'stop')).toHaveLength(
      3,
    );
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      version: '0.0.0',
      home: home.path,
      http: daemon.url,
      mesh: 'off',
      node_id: daemon.nodeId,
    });
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'info', reason: 'stopped by SIGTERM' });
    const raised = lines.find(line => line.includes('notice-raised')) ?? '';
    expect(JSON.parse(raised)).toMatchObject({ code: 'config-broken', level: 'warn' });
    const token = (await readFile(join(home.path, 'token'), 'utf8')).trim();
    const key = (await readFile(join(home.path, 'node-key.pem'), 'utf8')).split('\n')[1] ?? '';
    expect([token.length > 20, key.length > 20]).toEqual([true, true]);
    for (const secret of [token, key, ...(code === undefined ? [] : [code])])
      expect(lines.join('')).not.toContain(secret);
  });

  it('writes what config.toml contains of its log, and less in a terminal unless it reports more', async () => {
    await using home = await temporaryHome();
    const written = async (isTerminal: boolean, config: string): Promise<readonly string[]> => {
      const lines: string[] = [];
      await writeFile(join(home.path, 'config.toml'), config);
      const write = (line: string) => lines.push(line);
      const daemon = await started(home.path, {
        logOutput: { write, level: undefined, format: undefined, isTerminal },
      });
      await daemon[Symbol.asyncDispose]();
      return lines.filter(line => line.includes('event=st') || line.includes('"st'));
    };
    expect(await written(false, '')).toEqual([
      expect.stringMatching(/^time=\S+ level=info event=start version=0\.0\.0 home=/),
      expect.stringMatching(/^time=\S+ level=info event=stop reason="it was closed/),
    ]);
    expect(await written(true, '')).toEqual([]);
    expect(await written(true, '[log]\nlevel = "info"\nformat = "json"\n')).toEqual([
      expect.stringContaining('"event":"start"'),
      expect.stringContaining('"event":"stop"'),
    ]);
  });

  it('starts with the last good values when config.toml breaks, and reports it', async () => {
    await using home = await temporaryHome();
    await writeFile(join(home.path, 'config.toml'), 'name = "harbour"\n');
    await (await startedAndSeen(home.path))[Symbol.asyncDispose]();
    await writeFile(join(home.path, 'config.toml'), 'name = "broken\n');
    await using daemon = await startedAndSeen(home.path);
    expect(daemon.state.nodeIdentities[daemon.nodeId]?.value.friendlyName).toBe('harbour');
    expect(daemon.notices).toMatchObject([
      { code: 'config-broken', problem: expect.stringContaining('config.toml') },
    ]);
    expect(daemon.state.readingStatuses[daemon.nodeId]?.['config']?.value).toMatchObject({ kind: 'failed' });
  });

  it('shows a new name and an interface to leave alone as soon as config.toml reports it', async context => {
    if (!isLinux) return context.skip('reads the interfaces of /sys');
    await using home = await temporaryHome();
    const config = join(home.path, 'config.toml');
    const slow = '[gather]\nidentity = "1h"\nnetwork = "1h"\n';
    await writeFile(config, `name = "harbour"\n${slow}`);
    await using daemon = await startedAndSeen(home.path);
    const shown = () => ({
      name: daemon.state.nodeIdentities[daemon.nodeId]?.value.friendlyName,
      loopback: daemon.state.nodeNetworks[daemon.nodeId]?.value.interfaces.some(({ name }) => name === 'lo'),
    });
    await expect.poll(shown, WAIT).toEqual({ name: 'harbour', loopback: true });
    await writeFile(config, `name = "quay"\n${slow}[network]\nignored_interfaces = ["lo"]\n`);
    await expect.poll(shown, WAIT).toEqual({ name: 'quay', loopback: false });
  });

  it('clears away what a killed one left half written, and nothing else', async () => {
    await using home = await temporaryHome();
    const left = ['.daemon.json.68c24d7333b8.tmp', '.token.0123456789ab.tmp'];
    const foreign = ['.notes.tmp', 'daemon.json.68c24d7333b8.tmp', '.daemon.json.68c24d7333b8.tmp.txt'];
    for (const name of [...left, ...foreign]) await writeFile(join(home.path, name), '');
    await using _daemon = await started(home.path);
    const names = await readdir(home.path);
    expect(names).toEqual(expect.arrayContaining(foreign));
    expect(names.filter(name => left.includes(name))).toEqual([]);
  });

  it('keeps its secrets from other users of the machine', async () => {
    await using home = await temporaryHome();
    await using daemon = await started(home.path);
    expect(daemon.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect((await stat(home.path)).mode & 0o777).toBe(0o700);
    for (const file of [
      'node-key.pem',
      'token',
      'journal.sqlite',
      'daemon.json',
      'daemon.lock',
      'config.toml',
    ]) {
      expect((await stat(join(home.path, file))).mode & 0o077, file).toBe(0);
    }
  });

  it.each(['token', 'node-key.pem'])('does not start with a %s that others can read', async file => {
    await using home = await temporaryHome();
    await (await started(home.path))[Symbol.asyncDispose]();
    const path = join(home.path, file);
    for (const mode of [0o640, 0o604, 0o644]) {
      await chmod(path, mode);
      await expect(started(home.path)).rejects.toMatchObject({
        code: 'home-unusable',
        problem: {
          problem: `Other users can read ${path}: its mode is 0${mode.toString(8)}.`,
          advice: expect.stringContaining(`chmod 600 ${path}`),
        },
      });
    }
    await chmod(path, 0o600);
    await (await started(home.path))[Symbol.asyncDispose]();
  });

  it.each(['token', 'node-key.pem'])(
    'does not wait for a %s that is no file, and reads no large one',
    async file => {
      await using home = await temporaryHome();
      const path = join(home.path, file);
      execFileSync('mkfifo', ['-m', '600', path]);
      await expect(started(home.path)).rejects.toMatchObject({ code: 'home-unusable' });
      await rm(path);
      await writeFile(path, 'x'.repeat(5_000), { mode: 0o600 });
      await expect(started(home.path)).rejects.toMatchObject({
        code: 'home-unusable',
        problem: { problem: expect.stringContaining('more than 4096 bytes') },
      });
    },
  );

  it('does not make a new identity over a key file that it cannot read', async () => {
    await using home = await temporaryHome();
    await (await started(home.path))[Symbol.asyncDispose]();
    await writeFile(join(home.path, 'node-key.pem'), 'not a key');
    await expect(started(home.path)).rejects.toMatchObject({ code: 'home-unusable' });
    expect(await readFile(join(home.path, 'node-key.pem'), 'utf8')).toBe('not a key');
  });
});

const WAIT = { timeout: 30_000, interval: 20 };

const started = (
  home: string,
  more: Pick<DaemonOptions, 'otlpEndpoint' | 'logOutput'> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Daemon> =>
  startDaemon(
    {
      ...more,
      home,
      env: process.env,
      http: { host: '127.0.0.1', port: 0 },
      name: undefined,
      mesh: { keyFile: undefined, listen: 'off', peers: [] },
      clock: systemClock,
      platform: process.platform,
      root: '/',
      version: '0.0.0',
      dashboardDir: undefined,
      pid: process.pid,
      resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
      onNotice: () => undefined,
    },
    signal,
  );

const startedAndSeen = async (home: string): Promise<Daemon> => {
  const daemon = await started(home);
  await daemon.whenFirstReadings(AbortSignal.timeout(30_000));
  return daemon;
};

const temporaryHome = async () => {
  const path = await mkdtemp(join(tmpdir(), 'plimsoll-daemon-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};

const json = async (url: string): Promise<Record<string, unknown>> => {
  const body: unknown = await (await fetch(url)).json();
  if (typeof body !== 'object' || body === null) throw new TypeError(`${url} did not answer with an object`);
  return { ...body };
};

/** Another process that holds the lock of a home until it is killed. */
const lockHolder = async (home: string): Promise<{ child: ChildProcess } & AsyncDisposable> => {
  const module = JSON.stringify(new URL('../../src/daemon/home-lock.ts', import.meta.url).href);
  const script = `const { lockHome } = await import(${module});
    globalThis.held = lockHome(${JSON.stringify(home)});
    process.stdout.write('locked');
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    child,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    },
  };
};
