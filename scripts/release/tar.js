// Archives with the same bytes each time: entries in order of their names, one time for all, owned by root. ustar (POSIX.1-1988),
// which every tar of the last thirty years reads, and the ar of Debian's packages.

const fs = require('node:fs');
const { pipeline } = require('node:stream/promises');
const { Readable, Writable } = require('node:stream');
const { createGzip } = require('node:zlib');

/**
 * An entry: {path, mode, file} or {path, mode, bytes}, {path, link} for a symbolic link. Folders are added.
 * Resolves with the size of what was written, bytes.
 */
const writeTarGz = async (target, entries, { epochSeconds, prefix = '' }) => {
  const output = typeof target === 'string' ? fs.createWriteStream(target) : target;
  let bytes = 0;
  const gzip = createGzip({ level: 6 });
  gzip.on('data', chunk => {
    bytes += chunk.length;
  });
  await pipeline(Readable.from(tarBlocks(entries, { epochSeconds, prefix })), gzip, output);
  return bytes;
};

/** What it would be long. */
const tarGzBytes = (entries, options) =>
  writeTarGz(new Writable({ write: (_chunk, _encoding, done) => done() }), entries, options);

async function* tarBlocks(entries, { epochSeconds, prefix }) {
  for (const entry of withFolders(entries, prefix)) {
    const size = entry.file === undefined ? (entry.bytes?.length ?? 0) : fs.statSync(entry.file).size;
    yield header(entry, size, epochSeconds);
    if (entry.file !== undefined) yield* fs.createReadStream(entry.file);
    else if (entry.bytes !== undefined && size > 0) yield entry.bytes;
    if (size % BLOCK !== 0) yield Buffer.alloc(BLOCK - (size % BLOCK));
  }
  yield Buffer.alloc(2 * BLOCK);
}

const withFolders = (entries, prefix) => {
  const all = new Map();
  for (const entry of entries) {
    const path = prefix + entry.path;
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = `${parts.slice(0, depth).join('/')}/`;
      all.set(folder, { path: folder, mode: 0o755 });
    }
    all.set(path, { ...entry, path });
  }
  return [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
};

const header = ({ path, mode = 0o777, link }, size, epochSeconds) => {
  const block = Buffer.alloc(BLOCK);
  const [prefix, name] = split(path);
  block.write(name, 0, 100);
  octal(block, mode, 100, 8);
  octal(block, 0, 108, 8);
  octal(block, 0, 116, 8);
  octal(block, size, 124, 12);
  octal(block, epochSeconds, 136, 12);
  block.fill(' ', 148, 156);
  block.write(path.endsWith('/') ? '5' : link === undefined ? '0' : '2', 156);
  if (link !== undefined) block.write(link, 157, 100);
  block.write('ustar\u000000', 257, 'latin1');
  block.write('root', 265);
  block.write('root', 297);
  block.write(prefix, 345, 155);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'latin1');
  return block;
};

/** ustar has 100 bytes for a name and 155 for the folders before it. */
const split = path => {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (
    let at = path.indexOf('/', path.length - 101);
    at !== -1 && at < path.length - 1;
    at = path.indexOf('/', at + 1)
  )
    if (at <= 155 && path.length - at - 1 <= 100) return [path.slice(0, at), path.slice(at + 1)];
  throw new Error(`${path} is too long for an archive`);
};

const octal = (block, value, at, length) =>
  block.write(`${value.toString(8).padStart(length - 1, '0')}\u0000`, at, 'latin1');

/** Members: [name, bytes]. Debian's packages have names of at most 16 characters. */
const arBytes = (members, epochSeconds) =>
  Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...members.flatMap(([name, bytes]) => [
      Buffer.from(
        `${name.padEnd(16)}${String(epochSeconds).padEnd(12)}0     0     100644  ${String(bytes.length).padEnd(10)}\`\n`,
      ),
      bytes,
      ...(bytes.length % 2 === 1 ? [Buffer.from('\n')] : []),
    ]),
  ]);

const BLOCK = 512;

module.exports = { arBytes, tarGzBytes, writeTarGz };
