#!/bin/bash
# Makes a stand-in for the official image of Node, for a machine that reaches no registry of images: Debian from its
# packages, with the Node and the npm of this machine. It needs root, debootstrap and buildah, and takes some minutes.
#   base-image.sh IMAGE NODE
set -euo pipefail
image=$1
node=$2
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

# The package sources of this machine, where it is a Debian with its own mirror.
sources=/etc/apt/sources.list.d/debian.sources
mirror=$(awk '/^URIs:/ {print $2; exit}' "$sources" 2>/dev/null || true)
debootstrap --variant=minbase bookworm "$root" "${mirror:-http://deb.debian.org/debian}" >"$work/log" || {
  tail -n 20 "$work/log" >&2
  exit 1
}
if [ -n "$mirror" ] && grep -q bookworm "$sources"; then
  : >"$root/etc/apt/sources.list"
  cp "$sources" "$root/etc/apt/sources.list.d/"
fi
# The certificates and the settings of npm that this machine needs for its package sources.
mkdir -p "$root/etc/ssl/certs" "$root/usr/local/etc" "$root/usr/local/lib/node_modules"
[ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
[ ! -f /root/.npmrc ] || cp /root/.npmrc "$root/usr/local/etc/npmrc"

cp "$node" "$root/usr/local/bin/node"
cp -a "$npm" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"

container=$(buildah from scratch)
buildah copy -q "$container" "$root" / >/dev/null
certificates=/etc/ssl/certs/ca-certificates.crt
buildah config --cmd bash --env "SSL_CERT_FILE=$certificates" --env "NODE_EXTRA_CA_CERTS=$certificates" "$container"
buildah commit -q "$container" "$image" >/dev/null
buildah rm "$container" >/dev/null
