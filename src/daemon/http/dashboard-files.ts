// The built dashboard, served from a table of its files: a request is looked up by its exact path, so no spelling of a
// path can reach another file. Files are held in memory, compressed once.

import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface DashboardLimits {
  readonly assetBytesMax: number;
  readonly assetsMax: number;
}

export interface Asset {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly etag: string;
  readonly body: Buffer;
  /** Undefined where compression gains nothing. */
  readonly gzipped: Buffer | undefined;
}

interface Build {
  readonly builtAtMs: number;
  /** URL path to the file's place on disk. */
  readonly files: ReadonlyMap<string, string>;
  readonly loaded: Map<string, Promise<Asset>>;
}

export class DashboardFiles {
  readonly #dir: string;
  readonly #limits: DashboardLimits;
  #build: Build | undefined;

  constructor(dir: string, limits: DashboardLimits) {
    this.#dir = dir;
    this.#limits = limits;
  }

  /** The page itself; undefined while none is built. A new build is picked up here. */
  async index(): Promise<Asset | undefined> {
    const builtAtMs = await modifiedAtMs(join(this.#dir, 'index.html'));
    if (builtAtMs === undefined) return undefined;
    if (this.#build?.builtAtMs !== builtAtMs) {
      this.#build = { builtAtMs, files: await listFiles(this.#dir, this.#limits), loaded: new Map() };
    }
    return this.#load('/index.html');
  }

  /** A file by the path of its URL, exactly as sent. */
  async find(urlPath: string): Promise<Asset | undefined> {
    if (this.#build === undefined) await this.index();
    return this.#load(urlPath);
  }

  async #load(urlPath: string): Promise<Asset | undefined> {
    const build = this.#build;
    const file = build?.files.get(urlPath);
    if (build === undefined || file === undefined) return undefined;
    const loading = build.loaded.get(urlPath) ?? readAsset(urlPath, file);
    build.loaded.set(urlPath, loading);
    try {
      return await loading;
    } catch {
      // Replaced by a newer build while this one is served: the next page load lists the files again.
      build.loaded.delete(urlPath);
      return undefined;
    }
  }
}

const readAsset = async (urlPath: string, file: string): Promise<Asset> => {
  const body = await readFile(file);
  const contentType = CONTENT_TYPES[extname(urlPath)] ?? 'application/octet-stream';
  const compressed =
    COMPRESSIBLE.test(contentType) && body.length > 1_024 ? await promisify(gzip)(body) : undefined;
  return {
    contentType,
    // Vite puts a hash of the content into the names under assets/, so such a name never means anything else.
    cacheControl: HASHED.test(urlPath) ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    body,
    gzipped: compressed !== undefined && compressed.length < body.length * 0.9 ? compressed : undefined,
  };
};

/** Plain files only: no links, nothing hidden, nothing larger or more than the limits. */
const listFiles = async (dir: string, limits: DashboardLimits): Promise<ReadonlyMap<string, string>> => {
  const files = new Map<string, string>();
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(dir, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && files.size < limits.assetsMax) {
        const { size } = await stat(join(dir, path));
        if (size <= limits.assetBytesMax) files.set(path, join(dir, path));
      }
    }
  }
  return files;
};

const modifiedAtMs = async (file: string): Promise<number | undefined> => {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return undefined;
  }
};

const HASHED = /^\/assets\/.+-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
const COMPRESSIBLE = /^text\/|javascript|json|svg/;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};
