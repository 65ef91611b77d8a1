import { describe, expect, test } from 'vitest';
import { RemoteShell } from '../../../src/cli/survey/remote-shell.ts';
import { standInSsh } from './stand-in-ssh.ts';

const READY = "printf '\\nplimsoll-survey-1 %s\\n'";

const openShell = async (before: string) => {
  const ssh = standInSsh(before);
  const options = { target: 'juno', configFile: undefined, env: ssh.env, replyMsMax: 300 };
  const { shell, system } = await RemoteShell.open({ ...options, signal: new AbortController().signal });
  return {
    shell,
    system,
    [Symbol.asyncDispose]: async () => {
      await shell[Symbol.asyncDispose]();
      ssh[Symbol.dispose]();
    },
  };
};

describe('a machine that serves requests', () => {
  test('and then is silent is given up', async () => {
    await using opened = await openShell(`${READY} Linux; exec sleep 1000`);
    await expect(opened.shell.request(['kind', '/'])).rejects.toThrow(
      'juno did not reply to a request in 0.3 s',
    );
  });

  test('and then sends a byte now and then is given up', async () => {
    await using opened = await openShell(`${READY} Linux; while printf x; do sleep 0.05; done`);
    await expect(opened.shell.request(['kind', '/'])).rejects.toThrow(
      'juno did not reply to a request in 0.3 s',
    );
  });

  test('and then sends without end is given up in the time of a copy', async () => {
    await using opened = await openShell(`${READY} Linux; exec cat /dev/zero`);
    await expect(opened.shell.request(['kind', '/'])).rejects.toThrow('juno sent more than 64 MiB');
  });

  test('has a system without sequences of a terminal', async () => {
    await using opened = await openShell(`${READY} "$(printf 'a\\033[2Jb')"; exec sleep 1000`);
    expect(opened.system).toBe('a b');
  });
});
