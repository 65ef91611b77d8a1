// Loaded before anything else by each process and thread of the run that keep-code.js starts: stores what V8 compiled of each packed
// script, functions that were called included, at the end of a process. Threads are ended from outside, so they store
// it again and again.

const fs = require('node:fs');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const STORE_MS = 100;
const scripts = [];

const store = () => {
  for (const { script, path } of scripts) {
    const keptPath = keptCodePath(path);
    fs.writeFileSync(`${keptPath}.new`, script.createCachedData());
    fs.renameSync(`${keptPath}.new`, keptPath);
  }
};

vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    scripts.push({ script: this, path: options.filename });
  }
};
// It takes its Script from vm when it is loaded.
const { keptCodePath } = require('../bin/load-packed.js');
process.on('exit', store);
if (!isMainThread) setInterval(store, STORE_MS).unref();
