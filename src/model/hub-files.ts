// Files of a data set or model by its id on a hub, `hf:org/name`: from the local cache, else downloaded into it, in its own layout
// (huggingface_hub, "Understand caching"), so that other tools find them there.

import { mkdir, readdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type Parsed, parsed, wrong } from '../core/figure/parse-figure.ts';
import { INPUT_LIMITS, type InputKind } from '../core/input/input-limits.ts';
import { isJsonObject, parseAnyJson } from '../core/json.ts';
import { writeFileAtomic } from '../process/atomic-file.ts';
import { boundedBody } from '../process/bounded-body.ts';
import { readInputText } from '../process/input-file.ts';
import { hubFolder, ifReadable } from './hub-cache.ts';
import { downloadHubFile, type HubAccess, HubError, hubReply } from './hub-download.ts';

interface HubId {
  readonly id: string;
  /** A branch, a tag or a commit: "main". */
  readonly revision: string;
  /** Of one file; undefined: it is chosen by what there is. */
  readonly path: string | undefined;
}

export const isHubId = (text: string): boolean => text.startsWith('hf:');

/** `hf:org/name`, with `@revision` and `:path` of a file if they are given. */
export const parseHubId = (text: string): Parsed<HubId> => {
  const [, id = '', revision = 'main', path] = HUB_ID.exec(text) ?? [];
  return id === '' || [id, revision, path ?? ''].some(part => part.split('/').includes('..'))
    ? wrong(
        `${JSON.stringify(text.slice(0, 100))} is not an id of a hub`,
        'Write hf:org/name, hf:org/name@revision or hf:org/name:path/of/file.jsonl.',
      )
    : parsed({ id, revision, path });
};

interface HubRequest extends HubId {
  readonly kind: 'datasets' | 'models';
  /** From the names of all files; the first is needed, others are taken if they exist. @throws HubError */
  readonly choose: (names: readonly string[]) => readonly [string, ...string[]];
  readonly input: InputKind;
}

export interface HubFiles {
  /** Absolute, of the revision. */
  readonly folder: string;
  /** Hex, of the commit. */
  readonly revision: string;
  /** Relative, as chosen. */
  readonly names: readonly [string, ...string[]];
}

interface HubSource extends Pick<HubAccess, 'clock' | 'signal'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly progress: (name: string, receivedBytes: number, totalBytes: number) => void;
}

/** @throws HubError; the signal's reason */
export const hubFiles = async (request: HubRequest, source: HubSource): Promise<HubFiles> => {
  const cache = hubFolder(source.env);
  if (cache === undefined)
    throw new HubError({
      code: 'hub',
      problem: `there is no cache for ${shownOf(request)}: neither HOME nor HF_HOME is set`,
      advice: 'Name a folder for it: HF_HOME=DIR',
    });
  const folder = join(cache, `${request.kind}--${request.id.replaceAll('/', '--')}`);
  const cached = await cachedFiles(folder, request);
  if (cached !== undefined) return cached;
  if (YES.test(source.env['HF_HUB_OFFLINE'] ?? ''))
    throw new HubError({
      code: 'hub',
      problem: `${shownOf(request)} is not in ${cache}, and HF_HUB_OFFLINE forbids to download it`,
      advice: 'Unset HF_HUB_OFFLINE, or copy its folder of the cache from another machine.',
    });
  return await fetchedFiles(folder, request, source);
};

const cachedFiles = async (folder: string, request: HubRequest): Promise<HubFiles | undefined> => {
  const { revision: named } = request;
  const stored = COMMIT.test(named)
    ? named
    : ((await ifReadable(readInputText(join(folder, 'refs', named), 'modelConfig')))?.trim() ?? '');
  if (!COMMIT.test(stored)) return undefined;
  const snapshot = join(folder, 'snapshots', stored);
  const entries = (await ifReadable(readdir(snapshot, { recursive: true, withFileTypes: true }))) ?? [];
  const names = entries
    .filter(entry => !entry.isDirectory())
    .slice(0, FILES_MAX)
    .map(({ parentPath, name }) => relative(snapshot, join(parentPath, name)));
  try {
    const [first, ...others] = request.choose(names);
    const there = others.filter(name => names.includes(name));
    return names.includes(first)
      ? { folder: snapshot, revision: stored, names: [first, ...there] }
      : undefined;
  } catch (error) {
    // What to choose depends on all files, and some may not be here.
    if (error instanceof HubError) return undefined;
    throw error;
  }
};

const fetchedFiles = async (folder: string, request: HubRequest, source: HubSource): Promise<HubFiles> => {
  const { kind, id, revision: named, choose, input } = request;
  const { env, clock, signal } = source;
  const shown = shownOf(request);
  const endpoint = endpointOf(env);
  const access = { endpoint, token: await tokenOf(env), clock, signal };
  const { revision, names } = await listed(
    new URL(`${endpoint}/api/${kind}/${id}/revision/${encodeURIComponent(named)}`),
    shown,
    access,
  );
  const [first, ...others] = choose(names);
  const wanted: readonly [string, ...string[]] = [first, ...others.filter(name => names.includes(name))];
  if (!names.includes(first))
    throw new HubError({
      code: 'hub',
      problem: `${shown} has no ${first}`,
      advice: names.length === 0 ? 'It is empty.' : `It has ${names.slice(0, NAMES_SHOWN).join(', ')}.`,
    });
  const snapshot = join(folder, 'snapshots', revision);
  const place = `${endpoint}/${kind === 'datasets' ? 'datasets/' : ''}${id}/resolve/${revision}`;
  for (const name of wanted) {
    const content = await downloadHubFile(
      {
        url: new URL(`${place}/${name.split('/').map(encodeURIComponent).join('/')}`),
        shown: `hf:${id}:${name}`,
        blobs: join(folder, 'blobs'),
        input,
      },
      { ...access, progress: (received, total) => source.progress(name, received, total) },
    );
    await link(join(snapshot, name), content);
  }
  if (named !== revision) {
    const ref = join(folder, 'refs', named);
    await mkdir(dirname(ref), { recursive: true });
    await writeFileAtomic(ref, revision);
  }
  return { folder: snapshot, revision, names: wanted };
};

const listed = async (
  url: URL,
  shown: string,
  access: Pick<HubAccess, 'endpoint' | 'token' | 'clock' | 'signal'>,
): Promise<{ readonly revision: string; readonly names: readonly string[] }> => {
  const response = await hubReply({ url, shown }, access);
  const body = response.ok ? await boundedBody(response, INPUT_LIMITS.serverReply.bytesMax) : undefined;
  const json = parseAnyJson(body?.toString('utf8') ?? '');
  const { sha, siblings } = isJsonObject(json) ? json : {};
  if (typeof sha === 'string' && COMMIT.test(sha) && Array.isArray(siblings))
    return {
      revision: sha,
      names: siblings
        .slice(0, FILES_MAX)
        .map(file => (isJsonObject(file) ? file['rfilename'] : undefined))
        .filter(name => typeof name === 'string')
        .filter(name => !name.startsWith('/') && !name.split('/').includes('..')),
    };
  await response.body?.cancel().catch(() => undefined);
  throw new HubError({
    code: 'hub',
    problem: `${url.origin} does not list the files of ${shown} (status ${response.status})`,
    advice:
      'Try again later, or check HF_ENDPOINT: it is the address of a hub, such as https://huggingface.co.',
  });
};

/** As huggingface_hub does: relative, so that the cache can be moved. */
const link = async (path: string, content: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await ifReadable(unlink(path));
  await symlink(relative(dirname(path), content), path);
};

const endpointOf = (env: HubSource['env']): string => {
  const given = env['HF_ENDPOINT'] ?? '';
  const endpoint = given === '' ? PUBLIC_HUB : given.replace(/\/+$/, '');
  const url = URL.parse(endpoint);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '')
    return endpoint;
  throw new HubError({
    code: 'hub',
    problem: 'HF_ENDPOINT is not the address of a hub',
    advice: `Write for example HF_ENDPOINT=${PUBLIC_HUB}, without credentials.`,
  });
};

/** By the variable, else as `hf auth login` stores it. */
const tokenOf = async (env: HubSource['env']): Promise<string | undefined> => {
  const given = env['HF_TOKEN']?.trim() ?? '';
  if (given !== '') return given;
  const cache = hubFolder({ ...env, HF_HUB_CACHE: undefined, HUGGINGFACE_HUB_CACHE: undefined });
  const path = env['HF_TOKEN_PATH'] ?? (cache === undefined ? undefined : join(dirname(cache), 'token'));
  const stored = path === undefined ? undefined : await ifReadable(readInputText(path, 'secret'));
  return stored === undefined || stored.trim() === '' ? undefined : stored.trim();
};

const shownOf = ({ id, revision, path }: HubId): string =>
  `hf:${id}${revision === 'main' ? '' : `@${revision}`}${path === undefined ? '' : `:${path}`}`;

const HUB_ID = /^hf:(\w[\w.-]{0,95}(?:\/\w[\w.-]{0,95})?)(?:@([\w./-]{1,200}))?(?::([^\\\0]{1,500}))?$/;
const COMMIT = /^[0-9a-f]{40}$/;
const YES = /^(?:1|on|yes|true)$/i;
const PUBLIC_HUB = 'https://huggingface.co';
/** Of one revision. */
const FILES_MAX = 100_000;
const NAMES_SHOWN = 8;
