#!/bin/bash
# Starts what the image holds and asks three things of it: its version, its first readings, a benchmark against its own mock.
#   check.sh IMAGE            with podman; where it cannot start containers, with buildah
#   check.sh --chroot ROOT    in a bare chroot, as another user, with nothing of this machine but /proc, /sys and /dev/null
set -euo pipefail
script='
  const { spawn, spawnSync } = require("node:child_process");
  const plimsoll = "/opt/plimsoll/lib/node_modules/plimsoll/bin/plimsoll.js";
  const run = (...words) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [plimsoll, ...words], { encoding: "utf8" });
    console.log(`plimsoll ${words.join(" ")}: ${status}\n${stdout}${stderr}`);
    if (status !== 0) process.exit(1);
  };
  console.log(`user ${process.getuid()}, node ${process.version}, ${process.arch}`);
  run("--version");
  run("up", "--once");
  const mock = spawn(process.execPath, [plimsoll, "mock", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  mock.stdout.once("data", text => {
    const url = /http:\/\/[\w.:]+/.exec(String(text))?.[0];
    try { run("bench", url, "--concurrency", "4", "--requests", "40"); } finally { mock.kill(); }
  });
'
if [ "${1:-}" = --chroot ]; then
  root=$2
  # A mount namespace, so that what is mounted goes with it.
  unshare --mount --propagation private bash -c '
    root=$1 script=$2 chroot=$(command -v chroot)
    mount -t proc proc "$root/proc" && mount --rbind -o ro /sys "$root/sys" && mount -t tmpfs tmpfs "$root/dev" && mount -t tmpfs tmpfs "$root/tmp"
    mkdir -m 1777 "$root/dev/shm"
    for device in null urandom random zero; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
    mount -t tmpfs -o uid=65532,gid=65532,mode=0700 tmpfs "$root/var/lib/plimsoll"
    exec env -i PATH=/opt/plimsoll/bin:/usr/bin:/bin HOME=/var/lib/plimsoll PLIMSOLL_HOME=/var/lib/plimsoll/home NO_COLOR=1 \
      "$chroot" --userspec=65532:65532 "$root" /opt/plimsoll/bin/node -e "$script"' bash "$root" "$script"
elif podman run --rm --network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 "$1" --version > /dev/null 2>&1; then
  echo 'started by podman, read-only, without capabilities'
  exec podman run --rm --network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --read-only --cap-drop all \
    --tmpfs /tmp --tmpfs /var/lib/plimsoll:mode=0777 --env NO_COLOR=1 --entrypoint /opt/plimsoll/bin/node "$1" -e "$script"
else
  echo 'podman cannot start containers here: started by buildah, in a chroot of the image'
  container=$(buildah from "$1")
  trap 'buildah rm "$container" > /dev/null' EXIT
  buildah run --isolation chroot --env NO_COLOR=1 "$container" -- /opt/plimsoll/bin/node -e "$script"
fi
