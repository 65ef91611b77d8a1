// The local cache of the Hugging Face hub: the folder of a downloaded model whose id a server reports. Layout and
// environment as in huggingface_hub, "Understand caching" and "Environment variables": models--ORG--NAME/refs/main
// names the snapshot.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../core/problem.ts';
import { readInputText } from '../process/input-file.ts';

type HubEnvironment = Readonly<Record<string, string | undefined>>;

/** undefined: there is no home folder to look in. */
export const hubFolder = (env: HubEnvironment): string | undefined => {
  const set = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const home = set('HOME') ?? set('USERPROFILE');
  const cache = set('XDG_CACHE_HOME') ?? (home === undefined ? undefined : join(home, '.cache'));
  const hfHome = set('HF_HOME') ?? (cache === undefined ? undefined : join(cache, 'huggingface'));
  return (
    set('HF_HUB_CACHE') ??
    set('HUGGINGFACE_HUB_CACHE') ??
    (hfHome === undefined ? undefined : join(hfHome, 'hub'))
  );
};

/**
 * The snapshot with a config.json: that of `main`, else the newest. undefined: it is not an id, or nothing of it was
 * downloaded.
 */
export const hubModel = async (id: string, hub: string): Promise<string | undefined> => {
  if (!MODEL_ID.test(id) || id.includes('..')) return undefined;
  const folder = join(hub, `models--${id.replaceAll('/', '--')}`);
  const revision =
    (await ifReadable(readInputText(join(folder, 'refs', 'main'), 'modelConfig')))?.trim() ?? '';
  if (REVISION.test(revision)) {
    const snapshot = join(folder, 'snapshots', revision);
    if (await hasConfig(snapshot)) return snapshot;
  }
  const names = ((await ifReadable(readdir(join(folder, 'snapshots')))) ?? []).slice(0, SNAPSHOTS_MAX);
  let newest: { readonly path: string; readonly atMs: number } | undefined;
  for (const name of names) {
    const path = join(folder, 'snapshots', name);
    if (!(await hasConfig(path))) continue;
    const atMs = (await ifReadable(stat(path)))?.mtimeMs ?? 0;
    if (newest === undefined || atMs > newest.atMs) newest = { path, atMs };
  }
  return newest?.path;
};

const hasConfig = async (snapshot: string): Promise<boolean> =>
  (await ifReadable(stat(join(snapshot, 'config.json'))))?.isFile() === true;

/** undefined if it does not exist or cannot be read. */
export const ifReadable = async <Value>(reading: Promise<Value>): Promise<Value | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
};

/** "Qwen/Qwen3-8B", or without its owner: foreign text, which must not leave the cache. */
const MODEL_ID = /^\w[\w.-]{0,95}(\/\w[\w.-]{0,95})?$/;
const REVISION = /^[0-9a-f]{7,64}$/;
const SNAPSHOTS_MAX = 100;
