#!/bin/bash
# Assembles the root of the image in a folder, for any architecture, without root and without running what is in it: packages of
# Debian are unpacked (their scripts never run), Node and Plimsoll come from the npm registry and the tarball.
#   assemble.sh --root DIR --tarball plimsoll-X.tgz [--arch amd64|arm64] [--node VERSION] [--rdma]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
arch=$(dpkg --print-architecture) parts=base root='' tarball='' node=''
while [ $# -gt 0 ]; do
  case $1 in
    --root) root=$2; shift ;;
    --tarball) tarball=$(realpath "$2"); shift ;;
    --arch) arch=$2; shift ;;
    --node) node=$2; shift ;;
    --rdma) parts='base rdma' ;;
    *) echo "assemble.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
[ -n "$root" ] && [ -n "$tarball" ] || { echo 'assemble.sh: --root and --tarball are needed' >&2; exit 2; }
case $arch in
  amd64) cpu=x64 ;;
  arm64) cpu=arm64 ;;
  *) echo "assemble.sh: no image for $arch, only amd64 and arm64" >&2; exit 2 ;;
esac
# The version that the repository is developed and tested with.
node=${node:-$(sed -n 's/^ *"node": "\([0-9.]*\)",\{0,1\}$/\1/p' "$here/../../package.json")}
[ -n "$node" ] || { echo 'assemble.sh: package.json pins no version of node; give --node' >&2; exit 2; }
[ ! -e "$root" ] || [ -z "$(ls -A "$root")" ] || { echo "assemble.sh: $root is not empty" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Debian: a state of apt of its own, so that neither this machine's packages nor its architecture count.
mkdir -p "$root" "$work"/{lists/partial,cache/archives/partial,debs,npm}
: > "$work/status"
# The sources are this machine's own, of Debian bookworm, with the mirrors and keys that it trusts; another file by DEBIAN_SOURCES.
for sources in "${DEBIAN_SOURCES:-}" /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do [ -f "$sources" ] && break; done
grep -q bookworm "$sources" || { echo "assemble.sh: $sources names no Debian bookworm; give DEBIAN_SOURCES" >&2; exit 1; }
apt=(-o "Dir::State=$work" -o "Dir::State::status=$work/status" -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache"
  -o "APT::Architecture=$arch" -o "APT::Architectures::=$arch" -o APT::Sandbox::User= -o Acquire::Languages=none
  -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/sources")
mkdir "$work/sources"
cp "$sources" "$work/sources/debian.${sources##*.}"
apt-get "${apt[@]}" update -qq
mapfile -t packages < <(for part in $parts; do sed -n "s/^$part //p" "$here/packages"; done)
(cd "$work/debs" && apt-get "${apt[@]}" download -qq "${packages[@]}")
# The merged /usr first, or packages would make folders of these.
for folder in bin sbin lib; do mkdir -p "$root/usr/$folder"; ln -sfn "usr/$folder" "$root/$folder"; done
[ "$arch" = amd64 ] && { mkdir -p "$root/usr/lib64"; ln -sfn usr/lib64 "$root/lib64"; }
for deb in "$work"/debs/*.deb; do
  dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink --no-same-owner
done
mkdir -p "$root/usr/share/plimsoll"
(cd "$work/debs" && for deb in *.deb; do dpkg-deb -W --showformat='${Package} ${Version} ${Architecture}\n' "$deb"; done) \
  | sort > "$root/usr/share/plimsoll/packages"

# Of the packages only what runs, and their licences.
for unused in usr/share/man usr/share/locale usr/share/info usr/share/lintian usr/share/bash-completion usr/lib/mime \
  usr/share/dict usr/games usr/src usr/share/bug etc/update-motd.d root home mnt media \
  opt srv boot var/backups var/local var/mail var/opt var/spool; do
  rm -rf "${root:?}/$unused"
done
find "$root/usr/share/doc" -type f ! -name copyright -delete
find "$root/usr/share/doc" -type l -delete
# Of iproute2 only `ip` is used; the others would need libraries that are not there.
find "$root/usr/sbin" "$root/usr/bin" -mindepth 1 \( -type f -o -type l \) \
  ! -name ip ! -name 'ib_*' ! -name 'ucx_*' ! -name raw_ethernet_\* -delete
[ -e "$root/usr/bin/ip" ] || { echo 'assemble.sh: iproute2 has no /usr/bin/ip' >&2; exit 1; }
rm -rf "$root"/usr/lib/*/gconv "$root"/usr/lib/*/audit "$root"/usr/lib/*/perl* "$root"/usr/lib/*/tc "$root"/etc/iproute2/rt_dsfield.d

# Node: the binary that its npm package has for this architecture.
(cd "$work/npm" && npm pack --silent "node-linux-$cpu@$node" > /dev/null && tar -xzf node-linux-*.tgz)
install -D -m 0755 "$work/npm/package/bin/node" "$root/opt/plimsoll/bin/node"
install -D -m 0644 "$work/npm/package/LICENSE" "$root/usr/share/doc/node/copyright"

# Plimsoll: as npm installs its tarball, for that architecture, without any package's scripts.
npm install --silent --no-fund --no-audit --ignore-scripts --omit=dev --omit=peer --global --prefix "$work/prefix" \
  --os=linux --cpu="$cpu" --libc=glibc "$tarball" > /dev/null
mkdir -p "$root/opt/plimsoll/lib"
cp -R "$work/prefix/lib/node_modules" "$root/opt/plimsoll/lib/node_modules"
modules=$root/opt/plimsoll/lib/node_modules/plimsoll/node_modules
rm -rf "$modules"/.package-lock.json "$modules"/.bin "$modules"/zeromq/{src,script,CMakeLists.txt,vcpkg.json} "$modules"/koffi/{src,vendor,doc}
find "$modules/zeromq/build" -mindepth 1 -maxdepth 1 -type d ! -name linux -exec rm -rf {} +
find "$modules/zeromq/build/linux" -mindepth 1 -maxdepth 1 -type d ! -name "$cpu" -exec rm -rf {} +
find "$modules/zeromq/build/linux/$cpu/node" -mindepth 1 -maxdepth 1 ! -name 'glibc-*' -exec rm -rf {} +
find "$modules" -path '*musl*' -name '*.node' -delete
find "$modules" -name '*.map' -delete

# Who runs it, and where it writes.
mkdir -p "$root"/{etc,proc,sys,dev,run,tmp} "$root/var/lib/plimsoll"
printf 'root:x:0:0:root:/:/nonexistent\nplimsoll:x:65532:65532:Plimsoll:/var/lib/plimsoll:/nonexistent\n' > "$root/etc/passwd"
printf 'root:x:0:\nplimsoll:x:65532:\n' > "$root/etc/group"
printf 'hosts: files dns\npasswd: files\ngroup: files\n' > "$root/etc/nsswitch.conf"
chmod 1777 "$root/tmp"
# Anybody may make a home there, because a cluster may choose the user; the home itself is private.
chmod 1777 "$root/var/lib/plimsoll"

# Every library that something in it asks for must be in it.
missing=$(find "$root" -type f \( -name '*.so*' -o -name '*.node' -o -path '*/bin/*' -o -path '*/sbin/*' \) -exec sh -c '
  for file; do readelf -d "$file" 2>/dev/null | sed -n "s/.*(NEEDED).*\[\(.*\)\]/\1/p"; done' sh {} + | sort -u |
  while read -r library; do [ -n "$(find "$root" -name "$library" -print -quit)" ] || echo "$library"; done)
[ -z "$missing" ] || { echo "assemble.sh: not in the image: $missing" >&2; exit 1; }
echo "$root: $arch, node $node, $(du -sm --apparent-size "$root" | cut -f1) MB"
