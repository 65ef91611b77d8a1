// A model that a server calls by its id, found in the local cache of the Hugging Face hub.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hubFolder, hubModel } from '../../src/model/hub-cache.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MAIN = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);

const addSnapshot = (
  hub: string,
  revision: string,
  { hasConfig = true, at = 1_790_000_000 } = {},
): string => {
  const folder = join(hub, 'models--Qwen--Qwen3-8B', 'snapshots', revision);
  mkdirSync(folder, { recursive: true });
  if (hasConfig) writeFileSync(join(folder, 'config.json'), '{}');
  utimesSync(folder, at, at);
  return folder;
};

const addRef = (hub: string, revision: string): void => {
  mkdirSync(join(hub, 'models--Qwen--Qwen3-8B', 'refs'), { recursive: true });
  writeFileSync(join(hub, 'models--Qwen--Qwen3-8B', 'refs', 'main'), revision);
};

test('the snapshot of main is the model, even if others were downloaded later', async () => {
  using hub = temporaryDirectory();
  const main = addSnapshot(hub.path, MAIN);
  addSnapshot(hub.path, OTHER, { at: 1_790_000_900 });
  addRef(hub.path, MAIN);
  expect(await hubModel('Qwen/Qwen3-8B', hub.path)).toBe(main);
});

test('without main, or with a main that has no config.json, it is the newest snapshot that has one', async () => {
  using hub = temporaryDirectory();
  addSnapshot(hub.path, MAIN, { hasConfig: false, at: 1_790_000_900 });
  const other = addSnapshot(hub.path, OTHER);
  expect(await hubModel('Qwen/Qwen3-8B', hub.path)).toBe(other);
  addRef(hub.path, MAIN);
  expect(await hubModel('Qwen/Qwen3-8B', hub.path)).toBe(other);
});

test('what was never downloaded, and what is no id, is not found', async () => {
  using hub = temporaryDirectory();
  addSnapshot(hub.path, MAIN);
  for (const id of ['Qwen/Other', '../../etc', '/etc/passwd', 'Qwen/..', 'a/b/c', ''])
    expect(await hubModel(id, hub.path)).toBeUndefined();
});

test('the cache is where the environment reports, else below the home', () => {
  expect(hubFolder({ HOME: '/home/a' })).toBe('/home/a/.cache/huggingface/hub');
  expect(hubFolder({ HOME: '/home/a', XDG_CACHE_HOME: '/c' })).toBe('/c/huggingface/hub');
  expect(hubFolder({ HOME: '/home/a', HF_HOME: '/hf' })).toBe('/hf/hub');
  expect(hubFolder({ HOME: '/home/a', HF_HOME: '/hf', HF_HUB_CACHE: '/cache' })).toBe('/cache');
  expect(hubFolder({ HOME: '', HF_HUB_CACHE: '' })).toBeUndefined();
});
