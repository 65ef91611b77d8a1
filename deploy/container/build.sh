#!/bin/bash
# Builds the image with podman or buildah from an assembled root. Where neither may build (no user namespaces, no mounts), the same
# root is started in a bare chroot instead, which it says.
#   build.sh [--tarball FILE] [--arch amd64|arm64] [--node VERSION] [--rdma] [--tag NAME] [--out DIR] [--chroot]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
tarball='' tag=localhost/plimsoll out='' by='' arch=$(dpkg --print-architecture) passed=()
while [ $# -gt 0 ]; do
  case $1 in
    --tarball) tarball=$2; shift ;;
    --tag) tag=$2; shift ;;
    --out) out=$2; shift ;;
    --chroot) by=chroot ;;
    --arch) arch=$2; shift ;;
    --node) passed+=("$1" "$2"); shift ;;
    --rdma) passed+=("$1") ;;
    *) echo "build.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
work=${out:-$(mktemp -d)}
mkdir -p "$work"
[ -n "$out" ] || trap 'rm -rf "$work"' EXIT
if [ -z "$tarball" ]; then
  (cd "$repository" && npm pack --silent --pack-destination "$work" > /dev/null)
  tarball=$(ls "$work"/plimsoll-*.tgz)
fi
version=$(tar -xzOf "$tarball" package/package.json | sed -n 's/^ *"version": "\(.*\)",$/\1/p')
"$here/assemble.sh" --root "$work/root" --tarball "$tarball" --arch "$arch" "${passed[@]}"
if [ "$by" != chroot ]; then
  for tool in podman buildah; do
    command -v "$tool" > /dev/null || continue
    build=("$tool" build --isolation chroot --platform "linux/$arch" --build-arg "VERSION=$version" --tag "$tag:$version")
    if "${build[@]}" --file "$here/Containerfile" "$work" > "$work/build.log" 2>&1; then by=$tool; break; fi
    echo "build.sh: $tool cannot build here: $(tail -n 1 "$work/build.log")" >&2
  done
fi
case $by in
  podman | buildah) echo "built by $by: $tag:$version, $("$by" images --format '{{.Size}}' "$tag:$version" | head -n 1)" ;;
  *) echo "no image was built; its root is in $work/root, to be started by: $here/check.sh --chroot $work/root" ;;
esac
