// A client that a generator makes from /openapi.json, as a user would: it compiles under strict TypeScript, its types are
// precise, and it reads a live daemon.

import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { isLongRun } from '../../support/counts.ts';
import { liveDemo } from '../../support/live-daemons.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A typical program of a user of the client. */
const PROGRAM = `
import { createClient } from './client/client/index.ts';
import { getApiDaemon, getApiHistory, getApiLinks, getApiNodes, getApiNodesNodeId, getApiState, postApiProbes } from './client/sdk.gen.ts';
import type { Event, LinkProfile, ListedNode, Problem, Unknown } from './client/types.gen.ts';

const [baseUrl = ''] = process.argv.slice(2);
const client = createClient({ baseUrl, throwOnError: true });

const known = <T>(value: T | Unknown): T | undefined =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'unknown' ? undefined : (value as T);

const memory = ({ memory }: ListedNode): number => (memory.kind === 'current' ? memory.value.totalBytes : 0);
const upload = (profile: LinkProfile): number | undefined => known(profile.uploadBitsPerSecond);

const { data: daemon } = await getApiDaemon({ client, throwOnError: true });
const { data: nodes } = await getApiNodes({ client, throwOnError: true });
const { data: links } = await getApiLinks({ client, throwOnError: true });
const { data: state } = await getApiState({ client, throwOnError: true });
const { data: history } = await getApiHistory({ client, throwOnError: true, query: { node: nodes.self } });
const { error } = await getApiNodesNodeId({ client, throwOnError: false, path: { nodeId: 'nobody' } });
const problem: Problem | undefined = error;
const refused = await postApiProbes({ client, throwOnError: false, body: { subject: 'all' } });

const title = (event: Event): string => (event.kind === 'run.started' ? event.payload.runId : event.kind);

console.log(JSON.stringify({
  self: daemon.nodeId === nodes.self,
  nodes: nodes.nodes.map(node => ({ name: node.name, bytes: memory(node) })),
  uploads: links.links.map(({ profile }) => ('value' in profile ? upload(profile.value) : undefined)).filter(one => one !== undefined).length,
  chips: Object.values(state.nodeIdentities).map(entry => entry && known(entry.value.chip)),
  series: 'series' in history ? Object.keys(history.series) : [],
  problem: problem?.code,
  refused: refused.error?.code,
  title: title.name,
}));

/** Compiled, never called. */
export const wrong = async ([node]: readonly ListedNode[]): Promise<void> => {
  // @ts-expect-error: a name is text.
  const name: number = node!.name;
  // @ts-expect-error: there is no such field.
  daemon.nothing;
  // @ts-expect-error: a link is asked for by both ends.
  await postApiProbes({ client, body: { subject: { kind: 'link', source: nodes.self } } });
};
`;

test('a client that is generated from the document compiles and reads a live daemon', async ({ skip }) => {
  if (!isLongRun) skip('compiles a client: in the long run');
  await using live = await liveDemo();
  const { daemon } = live;
  const profiled = () => Object.keys(daemon.state.linkProfiles).length;
  await expect.poll(profiled, { timeout: 30_000 }).toBeGreaterThan(0);
  using folder = temporaryDirectory();
  const program = join(folder.path, 'program.ts');
  mkdirSync(join(folder.path, 'client'));
  writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}');
  writeFileSync(program, PROGRAM);
  const document = join(folder.path, 'openapi.json');
  writeFileSync(document, await (await fetch(`${daemon.url}/openapi.json`)).text());
  await createClient({
    input: document,
    output: { path: join(folder.path, 'client'), module: { extension: '.ts' } },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    logs: { level: 'silent' },
  });
  const compiled = ts.createProgram([program], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    noUncheckedIndexedAccess: true,
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    typeRoots: [join(repositoryRoot, 'node_modules/@types')],
  });
  const faults = ts
    .getPreEmitDiagnostics(compiled)
    .map(fault => ts.flattenDiagnosticMessageText(fault.messageText, '\n'));
  expect(faults).toEqual([]);
  const { stdout } = await promisify(execFile)(process.execPath, [program, daemon.url]);
  const reported = JSON.parse(stdout);
  expect(reported).toMatchObject({ self: true, problem: 'no-such-node', refused: 'token-needed' });
  expect(reported.nodes).toHaveLength(8);
  expect(reported.nodes.filter(({ bytes }: { bytes: number }) => bytes > 0).length).toBeGreaterThan(4);
  expect(reported.uploads).toBeGreaterThan(0);
  expect(reported.chips.length).toBe(8);
});
