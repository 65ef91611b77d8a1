import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, errors, nkeyAuthenticator } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { seedIn } from '../../../src/mesh/nats/server-connection.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { NatsServer, NO_NATS_SERVER, natsProgram } from '../../support/nats-server.ts';
import { documentFaults } from '../../support/published-schema.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const run = async (args: readonly string[]) => {
  const process = madeUpProcess(args);
  const code = await process.run();
  return { code, stdout: process.stdout.text, stderr: process.stderr.text };
};

const OLD = natsProgram()?.version.startsWith('2.9') === true;

/** A fleet with a certificate, its server running, its streams created. */
const startedFleet = async (folder: string, skip: (reason: string) => never) => {
  const program = natsProgram();
  if (program === undefined) skip(NO_NATS_SERVER);
  const certificate = makeCertificate();
  if (certificate === undefined) skip('there is no openssl to make a certificate with');
  const dir = join(folder, 'fleet');
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(cert, certificate.cert);
  writeFileSync(key, certificate.key);
  const old = OLD ? ['--before-2.10'] : [];
  const files = ['--cert', cert, '--key', key];
  const made = await run(['fleet', 'init', dir, '--listen', '127.0.0.1:-1', ...files, ...old]);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const server = await NatsServer.start({ configFolder: dir });
  const url = `tls://localhost:${server.port}`;
  const applied = await run(['fleet', 'apply', dir, '--server', url, '--ca', cert]);
  expect(applied).toMatchObject({ code: 0, stderr: '' });
  expect(applied.stdout).toContain('PLIMSOLL_EVENTS was created');
  return { dir, cert, url, server };
};

const homeOf = async (
  folder: string,
  name: string,
  { url, cert, dir }: Awaited<ReturnType<typeof startedFleet>>,
) => {
  const home = join(folder, name);
  const id = (await run(['fleet', 'id', '--home', home])).stdout.trim();
  expect((await run(['fleet', 'add', dir, id, '--name', name])).code).toBe(0);
  writeFileSync(join(home, 'fleet.nkey'), readFileSync(join(dir, 'nodes', `${name}.nkey`), 'utf8'));
  const handshake = OLD ? 'handshake_first = false\n' : '';
  writeFileSync(
    join(home, 'config.toml'),
    `[fleet]\nservers = ["${url}"]\nca = ${JSON.stringify(cert)}\ncredentials = "fleet.nkey"\n${handshake}`,
  );
  return { home, id };
};

test('init, apply and add create a server with a key for each machine, and revoke removes one', async context => {
  using folder = temporaryDirectory();
  const fleet = await startedFleet(folder.path, context.skip);
  await using server = fleet.server;
  const { home, id } = await homeOf(folder.path, 'atlas', fleet);
  const before = await run(['fleet', 'status', '--home', home]);
  expect(before).toMatchObject({ code: 33 });
  expect(before.stdout).toContain('refuses the credentials');
  await server.reload();
  const withoutStream = await run(['fleet', 'status', '--home', home]);
  expect(withoutStream).toMatchObject({ code: 33 });
  expect(withoutStream.stdout).toContain(`has no stream for the last values of this node (${id})`);
  const apply = () => run(['fleet', 'apply', fleet.dir, '--server', fleet.url, '--ca', fleet.cert]);
  expect((await apply()).stdout).toContain(`PLIMSOLL_STATE_plimsoll_${id} was created`);
  const status = await run(['fleet', 'status', '--home', home]);
  const json = await run(['fleet', 'status', '--home', home, '--json']);
  expect(await documentFaults(JSON.parse(json.stdout))).toEqual([]);
  expect(status.stdout).not.toContain('WRONG');
  expect(status).toMatchObject({ code: 0, stderr: '' });
  expect(status.stdout).toContain(`nats-server ${server.program.version}`);
  for (const finding of ['under any id', 'create consumers', 'fewer limits'])
    expect(status.stdout).not.toContain(finding);
  const again = await run(['fleet', 'apply', fleet.dir, '--server', fleet.url, '--ca', fleet.cert]);
  expect(again.stdout).toContain(`PLIMSOLL_STATE_plimsoll_${id} is as it should be`);
  expect(again.stdout).not.toContain('users.conf');
  const users = join(fleet.dir, 'users.conf');
  const written = readFileSync(users, 'utf8');
  writeFileSync(users, written.replaceAll(/[^"]*\.run\.[^"]*/g, ''));
  const renewed = await run(['fleet', 'apply', fleet.dir, '--server', fleet.url, '--ca', fleet.cert]);
  expect(renewed.stdout).toContain('users.conf was replaced');
  expect(readFileSync(users, 'utf8')).toBe(written);
  const revoked = await run([
    'fleet',
    'revoke',
    fleet.dir,
    'atlas',
    '--server',
    fleet.url,
    '--ca',
    fleet.cert,
  ]);
  expect(revoked).toMatchObject({ code: 0, stderr: '' });
  expect(revoked.stdout).toContain(`What atlas (${id}) wrote was removed from the server.`);
  await server.reload();
  expect((await apply()).stdout).not.toContain(id);
  expect((await run(['fleet', 'status', '--home', home])).stdout).toContain('refuses the credentials');
});

test('TLS from the first byte, to a server that cannot begin with it, is reported with what to do, and so by doctor', async context => {
  if (!OLD) context.skip(`nats-server ${natsProgram()?.version} can begin with TLS`);
  using folder = temporaryDirectory();
  const fleet = await startedFleet(folder.path, context.skip);
  await using server = fleet.server;
  const { home, id } = await homeOf(folder.path, 'atlas', fleet);
  await server.reload();
  await run(['fleet', 'apply', fleet.dir, '--server', fleet.url, '--ca', fleet.cert]);
  const well = await run(['doctor', '--home', home]);
  expect(well.stdout).toContain(`nats-server ${server.program.version} answers at localhost:${server.port}`);
  expect(well.stdout).toContain(`PLIMSOLL_STATE_plimsoll_${id} holds 0 messages`);
  const config = join(home, 'config.toml');
  writeFileSync(config, readFileSync(config, 'utf8').replace('handshake_first = false\n', ''));
  const wrong = await run(['doctor', '--home', home]);
  expect(wrong.stdout).toContain("TLS with the fleet's server failed");
  expect(wrong.stdout).toContain('handshake_first = false');
});

test('the server lets a machine publish under its own id only, and receive the requests to it alone', async context => {
  using folder = temporaryDirectory();
  const fleet = await startedFleet(folder.path, context.skip);
  await using server = fleet.server;
  const atlas = await homeOf(folder.path, 'atlas', fleet);
  const juno = await homeOf(folder.path, 'juno', fleet);
  await server.reload();
  const seed = seedIn(readFileSync(join(atlas.home, 'fleet.nkey'), 'utf8')) ?? '';
  const connection = await connect({
    servers: `localhost:${server.port}`,
    authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
    tls: { handshakeFirst: !OLD, caFile: fleet.cert },
  });
  const refused = new Set<string>();
  const wanted = [
    `plimsoll.v1.plimsoll.reading.${juno.id}.memory`,
    `plimsoll.v1.plimsoll.state.${juno.id}.identity`,
    `plimsoll.v1.plimsoll.event.${juno.id}`,
    `plimsoll.v1.plimsoll.ask.${atlas.id}.want.${juno.id}`,
    `$JS.API.STREAM.PURGE.PLIMSOLL_STATE_plimsoll_${atlas.id}`,
    '$JS.API.STREAM.DELETE.PLIMSOLL_EVENTS',
    `$JS.API.STREAM.INFO.PLIMSOLL_STATE_plimsoll_${juno.id}`,
    ...['PLIMSOLL_EVENTS', `PLIMSOLL_STATE_plimsoll_${atlas.id}`].flatMap(stream => [
      `$JS.API.CONSUMER.CREATE.${stream}`,
      `$JS.API.CONSUMER.CREATE.${stream}.name.plimsoll`,
      `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.name`,
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.name`,
    ]),
  ];
  const all = Promise.withResolvers<void>();
  const following = (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'error' && status.error instanceof errors.PermissionViolationError)
        refused.add(status.error.subject);
      if (refused.size === wanted.length + 1) all.resolve();
    }
  })();
  for (const subject of wanted) connection.publish(subject, 'forged');
  connection.subscribe(`plimsoll.v1.plimsoll.ask.${juno.id}.*.*`, { callback: () => undefined });
  connection.publish(`plimsoll.v1.plimsoll.reading.${atlas.id}.memory`, 'mine');
  await all.promise;
  expect([...refused]).toEqual(expect.arrayContaining(wanted));
  expect(refused).not.toContain(`plimsoll.v1.plimsoll.reading.${atlas.id}.memory`);
  await connection.close();
  await following;
});

test('credentials are readable only by their owner, and nothing is replaced', async () => {
  using folder = temporaryDirectory();
  const dir = join(folder.path, 'fleet');
  expect((await run(['fleet', 'init', dir])).code).toBe(0);
  expect(statSync(join(dir, 'admin.nkey')).mode & 0o777).toBe(0o600);
  const again = await run(['fleet', 'init', dir]);
  expect(again).toMatchObject({ code: 33 });
  expect(again.stderr).toContain('was not changed');
  expect((await run(['fleet', 'add', dir, 'atlas'])).code).toBe(2);
  const hidden = await run(['fleet', 'add', dir, '72asyextvngonlc5w2nmguxzay', '--name', '..']);
  expect(hidden).toMatchObject({ code: 2 });
  const secret = await run(['fleet', 'init', join(folder.path, 'b'), '--server', 'nats://who:secret@x:1']);
  expect(secret.stderr).toContain('credentials in it');
  expect((await run(['fleet', 'revoke', dir, 'atlas'])).stderr).toContain('There are: none.');
  const id = '72asyextvngonlc5w2nmguxzay';
  const revoke = async (): Promise<string> => {
    expect((await run(['fleet', 'add', dir, id, '--name', 'atlas'])).code).toBe(0);
    const revoked = await run(['fleet', 'revoke', dir, 'atlas', '--server', 'nats://127.0.0.1:1']);
    expect(revoked).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(dir, 'users.conf'), 'utf8')).not.toContain(id);
    return revoked.stdout;
  };
  expect(await revoke()).toContain(
    `What atlas (${id}) wrote is still on the server: No server of the fleet answers`,
  );
  rmSync(join(dir, 'admin.nkey'));
  expect(await revoke()).toContain('admin.nkey is not there');
  const none = await run(['fleet', 'add', join(folder.path, 'no'), '72asyextvngonlc5w2nmguxzay']);
  expect(none.stderr).toContain('is not the folder of a fleet');
});
