// `plimsoll survey` over real sshd in network namespaces: what it finds, what it does about machines that cannot be read, and that
// nothing of it stays.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isLongRun } from '../support/counts.ts';
import { until } from '../support/until.ts';
import { reasonAgainst, shape } from './shapes.ts';
import { SshHosts } from './ssh-hosts.ts';

it('reads two machines and measures the cable between them, and leaves nothing', {
  timeout: 60_000,
}, async context => {
  const reason = reasonAgainst('tc');
  if (reason !== undefined) context.skip(reason);
  await using hosts = await SshHosts.open(context);
  for (const name of ['atlas', 'juno']) await hosts.add(name);
  hosts.connect('atlas', 'juno', '10.78.0');
  for (const [host, name] of [
    ['atlas', 'to-juno'],
    ['juno', 'to-atlas'],
  ] as const)
    shape(hosts.bed.net, host, name, '200mbit');
  const before = ['atlas', 'juno'].map(name => hosts.traces(name));
  const file = join(hosts.bed.folder, 'two.plimsoll');
  const { code, stdout, stderr } = await hosts.survey('--ssh', 'atlas,juno', '--json', '--out', file);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('atlas to juno: measured') });
  const { machines, links, cluster } = JSON.parse(stdout);
  expect(machines).toMatchObject([
    { target: 'atlas', problem: null },
    { target: 'juno', problem: null },
  ]);
  expect(links).toMatchObject([{ reason: null }]);
  expect(cluster.nodes.map((node: { readonly name: string }) => node.name)).toEqual(['atlas', 'juno']);
  const [link] = cluster.links;
  expect(link.connection.value.sinkAddress).toMatch(/^10\.78\.0\./);
  for (const figure of ['uploadBitsPerSecond', 'downloadBitsPerSecond']) {
    expect(link.profile.value[figure]).toBeGreaterThan(140e6);
    expect(link.profile.value[figure]).toBeLessThan(201e6);
  }
  expect(link.profile.value.roundTripNsP50).toBeGreaterThan(0);
  await until(
    () => JSON.stringify(['atlas', 'juno'].map(name => hosts.traces(name))) === JSON.stringify(before),
    context.signal,
  );
});

it('goes on without machines that cannot be read, and names the reason of each', {
  timeout: 60_000,
}, async context => {
  await using hosts = await SshHosts.open(context);
  await hosts.add('atlas', { greeting: 'echo "Welcome to atlas"; printf "no line end"' });
  const shells = ['fish', 'tcsh'].filter(shell => existsSync(`/usr/bin/${shell}`));
  for (const shell of shells) await hosts.add(shell, { shell: `/usr/bin/${shell}` });
  await hosts.add('closed', { listens: false });
  await hosts.add('strange', { isKnown: false });
  await hosts.add('secret', { acceptsKey: false });
  await hosts.add('flood', { greeting: 'exec yes' });
  await hosts.add('nologin', { shell: '/usr/sbin/nologin' });
  const names = ['atlas', ...shells, 'closed', 'strange', 'secret', 'flood', 'nologin', 'nowhere.invalid'];
  const { code, stdout } = await hosts.survey('--ssh', names.join(','), '--no-links', '--json');
  expect(code).toBe(36);
  const { machines } = JSON.parse(stdout);
  expect(
    machines.map(({ target, problem }: { readonly target: string; readonly problem: string | null }) => [
      target,
      problem,
    ]),
  ).toEqual([
    ['atlas', null],
    ...shells.map(shell => [shell, null]),
    ['closed', 'closed refuses the connection: no sshd listens there'],
    ['strange', 'strange has a host key that is not known here'],
    ['secret', 'secret refuses the login: no key of yours is accepted, and a survey enters no password'],
    ['flood', 'flood printed more than 262144 bytes before it ran sh'],
    ['nologin', 'nologin did not run sh (ssh ended with code 1)'],
    ['nowhere.invalid', 'nowhere.invalid is not a name that is known here'],
  ]);
});

it('leaves nothing when it is killed while machines are read', { timeout: 60_000 }, async context => {
  await using hosts = await SshHosts.open(context);
  await hosts.add('atlas');
  const before = JSON.stringify(hosts.traces('atlas'));
  const survey = hosts.start(join(hosts.bed.folder, 'killed'), '--ssh', 'atlas');
  await until(
    () => hosts.traces('atlas').processes.some(command => command.includes('sh -s')),
    context.signal,
  );
  survey.kill('SIGKILL');
  await until(() => JSON.stringify(hosts.traces('atlas')) === before, context.signal);
});

it('leaves nothing when the cable is pulled while machines are read', { timeout: 90_000 }, async context => {
  if (!isLongRun) context.skip('its script notices after 20 s: in npm run test:long');
  await using hosts = await SshHosts.open(context);
  await hosts.add('atlas');
  const before = JSON.stringify(hosts.traces('atlas'));
  hosts.start(join(hosts.bed.folder, 'pulled'), '--ssh', 'atlas');
  await until(
    () => hosts.traces('atlas').processes.some(command => command.includes('sh -s')),
    context.signal,
  );
  hosts.bed.net.ip('desk', 'link', 'set', 'to-atlas', 'down');
  await until(() => JSON.stringify(hosts.traces('atlas')) === before, context.signal);
});
