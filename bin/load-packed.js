// Loads packed code together with what V8 compiled of it at build time (scripts/keep-code.js), where that lies beside it: nothing is
// parsed or compiled again. V8 refuses what another version of it, other flags or another machine made, or what was
// made of a text of another length, and compiles as it always would.

const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

const loaded = new Map();

/** What the file exports. The path is absolute, the file a script of ASCII characters with `require` and `module`. */
const loadPacked = path => {
  const known = loaded.get(path);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(path, module);
  const text = readFileSync(path, 'latin1');
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: path,
    cachedData: contentOf(keptCodePath(path)),
  });
  const folder = dirname(path);
  const requireForeign = createRequire(path);
  const requirePacked = name =>
    name.startsWith('.') ? loadPacked(join(folder, name)) : requireForeign(name);
  script.runInThisContext()(module.exports, requirePacked, module, path, folder);
  return module.exports;
};

const keptCodePath = path => `${path}.${process.platform}-${process.arch}.cache`;

const contentOf = path => {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // made by a build on another machine
  }
};

module.exports = { loadPacked, keptCodePath };
