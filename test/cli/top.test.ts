import { expect, test } from 'vitest';
import { topCommand } from '../../src/cli/commands/top.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { homeFiles } from '../../src/config/home.ts';
import { unknown } from '../../src/core/unknown.ts';
import { writeDaemonFile } from '../../src/daemon/daemon-file.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { recordedCluster } from '../support/recorded-cluster.ts';
import { REGISTRY_NODE } from '../support/registry-parts.ts';

test('plimsoll top opens the machine that was chosen, and ends with q', async () => {
  await using served = await recordedCluster();
  const { url, token, home } = served;
  const file = {
    url,
    socket: unknown('none'),
    token,
    pid: process.pid,
    startedAtWallMs: 0,
    nodeId: REGISTRY_NODE,
    version: '1.2.3',
  };
  await writeDaemonFile(homeFiles(home).daemon, file);
  const { state, stdout } = madeUpProcess(['top', '--home', home], {
    isTerminal: true,
    columns: 100,
    rows: 30,
  });
  const typed = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
  const ended = runCommand([topCommand], {
    ...state,
    typedText: async function* () {
      for (const { promise } of typed) yield await promise;
    },
  });
  await stdout.until(/> ● anchor/);
  typed[0].resolve('jj\r');
  await stdout.until(/bosun · Supermicro[\s\S]*Esc back/);
  typed[1].resolve('q');
  expect(await ended).toBe(0);
  expect(stdout.text.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
});
