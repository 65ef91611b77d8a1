// The built dashboard, served from a table of its files: a request is looked up by its exact path, so no spelling of a
// path can reach another file. Files are kept in memory, compressed once. The page's own addresses (/nodes/…, /runs/…, /headroom,
// /links) return the page; any other unknown path is a 404, so a mistyped address or asset never looks like a valid
// reply. A browser gets that 404 with the page, which shows that nothing is there.

import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DOCUMENT_KINDS, DOCUMENT_TYPES } from '../../core/document/document-kinds.ts';
import { nothingAt, refuseOtherMethods, urlPath } from './route.ts';

interface DashboardLimits {
  readonly assetBytesMax: number;
  readonly assetsMax: number;
}

export const addDashboardRoutes = (
  app: FastifyInstance,
  dir: string | undefined,
  { limits, onPage }: { readonly limits: DashboardLimits; readonly onPage: () => void },
): void => {
  const files = dir === undefined ? undefined : new DashboardFiles(dir, limits);
  refuseOtherMethods(app, '/*', ['GET']);
  app.get('/*', async (request, reply) => {
    const path = urlPath(request.url);
    if (PAGE.test(path)) {
      onPage();
      const index = await files?.index();
      return index === undefined ? sendUnbuilt(reply) : sendAsset(request, reply, index);
    }
    const asset = await files?.find(path);
    if (asset !== undefined) return sendAsset(request, reply, asset);
    const index = isVisit(request, path) ? await files?.index() : undefined;
    if (index === undefined) throw nothingAt(request);
    return reply.code(404).header('cache-control', 'no-store').type(index.contentType).send(index.body);
  });
};

const sendAsset = (request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply => {
  reply.header('cache-control', asset.cacheControl).header('etag', asset.etag);
  if (asset.gzipped !== undefined) reply.header('vary', 'accept-encoding');
  if (listed(request.headers['if-none-match']).includes(asset.etag)) return reply.code(304).send();
  reply.type(asset.contentType);
  if (asset.gzipped === undefined || !acceptsGzip(request.headers['accept-encoding'])) {
    return reply.send(asset.body);
  }
  return reply.header('content-encoding', 'gzip').send(asset.gzipped);
};

/**
 * True if a page was requested by typing an address or following a link: browsers then send that they accept HTML (RFC 9110
 * Accept), and pages have no file extension.
 */
const isVisit = ({ headers }: FastifyRequest, path: string): boolean =>
  headers.accept?.startsWith('text/html') === true && !/\.\w+$/.test(path);

const sendUnbuilt = (reply: FastifyReply): FastifyReply =>
  reply.code(503).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(UNBUILT_PAGE);

const listed = (header: string | undefined): readonly string[] =>
  header?.split(',').map(part => part.trim().replace(/^W\//, '')) ?? [];

const acceptsGzip = (header: string | undefined): boolean =>
  header?.split(',').some(part => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(part)) ?? false;

interface Asset {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly etag: string;
  readonly body: Buffer;
  /** Undefined where compression gains nothing. */
  readonly gzipped: Buffer | undefined;
}

interface Build {
  readonly builtAtMs: number;
  /** URL path to the file's path on disk. */
  readonly files: ReadonlyMap<string, string>;
  readonly loaded: Map<string, Promise<Asset>>;
}

class DashboardFiles {
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

const SECTIONS = ['links', 'nodes', 'headroom', ...DOCUMENT_TYPES.map(type => DOCUMENT_KINDS[type].many)];
const PAGE = new RegExp(`^/(?:index\\.html|(?:${SECTIONS.join('|')})(?:/(?!\\.{1,2}(?:/|$))[^/]*){0,3})?$`);

const UNBUILT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Plimsoll</title>
<h1>The dashboard is not built</h1>
<p>The daemon runs. Build its page with <code>npm run build</code> and reload, or read
<a href="/api/state">/api/state</a>, <a href="/metrics">/metrics</a> and <a href="/openapi.json">/openapi.json</a>.</p>
`;

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
